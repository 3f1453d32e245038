/* SPDX-License-Identifier: Zlib
 *
 * Any bytes as a capture: no crash; what is accepted has costs in range that add up; what is
 * refused says why, in one line that names the file, and a line that the file has.
 */
#include "lab/trace.h"

#include "fuzz_bytes.h"

#include <string.h>

enum { COSTS_MAX = 64 };

static void check_error(const lab_trace_error *error, const uint8_t *data, size_t size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; ++i) {
        lines += data[i] == '\n' || data[i] == '\r';
    }
    require(error->line <= lines);
    require(strncmp(error->text, "game.csv", 8) == 0);
    require(strlen(error->text) > 9 && strchr(error->text, '\n') == NULL);
}

static void check_costs(const int64_t *costs_ns, const lab_trace_info *info)
{
    int64_t total_ns = 0;
    for (size_t i = 0; i < info->used; ++i) {
        require(costs_ns[i] >= 1 && costs_ns[i] <= INT64_C(1000000000000));
        total_ns += costs_ns[i];
    }
    require(total_ns == info->total_ns);
    require(!info->in_us || strcmp(info->column, "frametime") == 0);
    require(info->used + info->skipped <= info->rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t costs_ns[COSTS_MAX];
    lab_trace_info info;
    lab_trace_info counted;
    lab_trace_error error;
    const char *text = (const char *)data;
    lab_trace_options options = {.name = "game.csv"};
    if (size > 0 && data[0] % 4 == 0) {
        options.column = "ms";
    }
    es_result result = lab_trace_parse(text, size, &options, costs_ns, COSTS_MAX, &info, &error);
    if (result == ES_ERR_INVALID) {
        check_error(&error, data, size);
        return 0;
    }
    require(result == ES_OK || info.used > COSTS_MAX);
    if (result == ES_OK) {
        check_costs(costs_ns, &info);
    }
    require(lab_trace_parse(text, size, &options, NULL, 0, &counted, &error) != ES_ERR_INVALID);
    require(counted.used == info.used);
    return 0;
}
