/* SPDX-License-Identifier: Zlib */
#include "replay_demo.h"

#include "replay.h"

#include <string.h>

bool replay_demo_is(const char *path)
{
    (void)path;
    return false;
}

int replay_demo(const replay_demo_request *request)
{
    fprintf(stderr, "evenstep replay: '%s': --verify and --seek are not built in\n", request->path);
    return TOOL_FAILED;
}
