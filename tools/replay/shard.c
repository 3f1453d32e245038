/* SPDX-License-Identifier: Zlib
 *
 * `evenstep replay --shard`: which part of the recordings a worker verifies.
 */
#include "bulk.h"

#include <inttypes.h>
#include <stdlib.h>

/* An index and a count, as what starts workers sets them. The first index that is set decides. */
static const struct {
    const char *index, *count;
} sources[] = {
        {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"}, /* sbatch --array */
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  /* Open MPI */
        {"PMI_RANK", "PMI_SIZE"},                          /* MPICH, Intel MPI */
        {"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"},       /* Kubernetes; the Job sets the second */
        {"SLURM_PROCID", "SLURM_NTASKS"},                  /* srun, also with PMIx */
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

/* A whole number, and then an end. */
static bool parse(const char *text, char end, int64_t *number, const char **rest)
{
    char *after = NULL;
    *number = *text >= '0' && *text <= '9' ? strtoll(text, &after, 10) : 0;
    *rest = after;
    return after != NULL && *after == end && *number <= INT32_MAX;
}

/* False, after a message: it is not set, or no number. */
static bool read_number(const char *name, int64_t *number)
{
    const char *text = getenv(name), *rest;
    if (text == NULL || !parse(text, '\0', number, &rest)) {
        (void)tool_usage("replay", "--shard auto: %s: expected a whole number, %s%s", name,
                text != NULL ? "got " : "it is not set", text != NULL ? text : "");
        return false;
    }
    return true;
}

/* Slurm's indices begin anywhere, and may be some apart: --array=10-40:10. Of a list it says step 1. */
static bool read_array(int64_t *index, int64_t count)
{
    int64_t first, last, step;
    if (!read_number("SLURM_ARRAY_TASK_MIN", &first) || !read_number("SLURM_ARRAY_TASK_MAX", &last)
            || !read_number("SLURM_ARRAY_TASK_STEP", &step)) {
        return false;
    }
    if (step < 1 || *index < first || last - first != (count - 1) * step) {
        (void)tool_usage("replay",
                "--shard auto: SLURM_ARRAY_TASK_ID is %" PRId64 ", one of %" PRId64 " from %" PRId64
                " to %" PRId64 ": the array has gaps; submit all of it",
                *index, count, first, last);
        return false;
    }
    *index = (*index - first) / step;
    return true;
}

static bool read_source(int64_t *index, int64_t *count)
{
    char names[200] = "";
    size_t i = 0;
    for (; i < SOURCES && getenv(sources[i].index) == NULL; ++i) {
        tool_append(names, sizeof names, ", ", sources[i].index);
    }
    if (i == SOURCES) {
        (void)tool_usage("replay", "--shard auto: none of these variables is set: %s", names);
        return false;
    }
    return read_number(sources[i].index, index) && read_number(sources[i].count, count)
           && (i > 0 || read_array(index, *count));
}

int replay_find_shard(replay_bulk *bulk, const char *text)
{
    int64_t index, count;
    const char *rest;
    bool is_auto = strcmp(text, "auto") == 0;
    if (is_auto && !read_source(&index, &count)) {
        return TOOL_USAGE;
    }
    if (!is_auto && (!parse(text, '/', &index, &rest) || !parse(rest + 1, '\0', &count, &rest))) {
        return tool_usage("replay", "--shard: expected I/N, or auto, got '%s'", text);
    }
    if (index >= count) {
        return tool_usage(
                "replay", "--shard: %" PRId64 "/%" PRId64 ": I is 0 to N - 1", index, count);
    }
    bulk->shard = (uint32_t)index;
    bulk->count = (uint32_t)count;
    return TOOL_OK;
}
