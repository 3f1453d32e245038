/* SPDX-License-Identifier: Zlib
 *
 * Any text as the value of any option: no crash, and what is accepted is in range and, printed,
 * reads back as the same value.
 */
#include "../tools/common/tool.h"

#include "fuzz_bytes.h"
#include "base/common.h"

#include <string.h>

static void check_duration(const char *text)
{
    int64_t ns = -1;
    int64_t again = -1;
    char printed[40];
    if (!tool_parse_duration(text, &ns)) {
        return;
    }
    require(ns >= 0);
    tool_format_ms(printed, ns);
    strcat(printed, "ms");
    require(tool_parse_duration(printed, &again) && again == ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    int64_t seconds = -1;
    es_rate rate;
    int32_t count = -1;
    if (size >= sizeof text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    check_duration(text);
    require(!tool_parse_seconds(text, &seconds) || seconds >= 0);
    require(!tool_parse_rate(text, &rate) || es__rate_is_valid(rate));
    require(!tool_parse_count(text, &count) || count >= 0);
    return 0;
}
