/* SPDX-License-Identifier: Zlib
 *
 * replay: programs whose recordings can be run again: shared objects (adapters/verify.h).
 */
#include "verify.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <inttypes.h>
#include <stdlib.h>

/* --- shared objects --------------------------------------------------------------------------- */

#define SYMBOL "es_verify_program"

/* NULL: *why says why not. */
static const es_verify *load(const char *path, char *why, size_t size)
{
#if defined(_WIN32)
    const es_verify *found = NULL;
    HMODULE module = LoadLibraryA(path);
    FARPROC symbol = module != NULL ? GetProcAddress(module, SYMBOL) : NULL;
    memcpy(&found, &symbol, sizeof found);
    snprintf(why, size, "%s, error %lu", module != NULL ? "no symbol " SYMBOL : "not loaded",
            (unsigned long)GetLastError());
    return found;
#else
    char local[4096]; /* dlopen searches system folders for a name without a slash */
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') != NULL ? "" : "./", path);
    void *module = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    const es_verify *found = module != NULL ? dlsym(module, SYMBOL) : NULL;
    if (found == NULL) {
        snprintf(why, size, "%s", dlerror());
    }
    return found;
#endif
}

/* The field that makes it unusable; NULL: none. */
static const char *bad_field(const es_verify *program)
{
    return program->version / 1000 != ES_VERSION / 1000
                   ? "version is of another version of Evenstep"
           : program->layout == NULL              ? "layout is NULL"
           : !es_layout_validate(program->layout) ? es_get_error()
           : program->create == NULL              ? "create is NULL"
           : program->destroy == NULL             ? "destroy is NULL"
           : program->update == NULL              ? "update is NULL"
                                                  : NULL;
}

int replay_program_load(const es_verify **program, const char *path)
{
    char why[512] = "";
    *program = load(path, why, sizeof why);
    if (*program == NULL) {
        return replay_failed("--program: cannot load '%s': %s", path, why);
    }
    const char *bad = bad_field(*program);
    return bad == NULL ? TOOL_OK : replay_failed("--program: '%s': " SYMBOL ": %s", path, bad);
}

/* --- one recording ---------------------------------------------------------------------------- */

/* The first verdict stays. */
TOOL_PRINTF(3, 4)
static void judge(replay_verdict *verdict, const char *name, const char *format, ...)
{
    va_list arguments;
    if (verdict->name[0] == '\0') {
        snprintf(verdict->name, sizeof verdict->name, "%s", name);
        va_start(arguments, format);
        vsnprintf(verdict->why, sizeof verdict->why, format, arguments);
        va_end(arguments);
    }
}

/* What its records say before it is run. */
typedef struct survey {
    char program[64];    /* the tag */
    char damage[120];    /* the first, but for a cut; "": none */
    bool ended, is_torn; /* has an end; ends within a record */
} survey;

static bool look(const char *path, survey *found)
{
    es_replay_item item;
    es_replay *records = es_replay_open(path, NULL, NULL);
    while (es_replay_next_item(records, &item)) {
        found->ended = found->ended || item.kind == ES_RECORD_END;
        if (item.kind == ES_RECORD_TAG && strcmp(item.field->name, "program") == 0) {
            snprintf(found->program, sizeof found->program, "%.*s", (int)item.size,
                    (const char *)item.bytes);
        } else if (item.damage == ES_DAMAGE_CUT) {
            found->is_torn = true;
        } else if (item.damage != ES_DAMAGE_NONE && found->damage[0] == '\0') {
            snprintf(found->damage, sizeof found->damage, "byte %" PRIu64 ": %s", item.offset,
                    es_damage_name(item.damage));
        } else if (item.kind == ES_RECORD_GAP && found->damage[0] == '\0') {
            snprintf(found->damage, sizeof found->damage,
                    "ticks %" PRId64 " to %" PRId64 " were left out when it was recorded",
                    item.step.index, replay_gap_end(&item));
        }
    }
    bool read = records != NULL;
    es_replay_close(records);
    return read;
}

/* Where a replay first differs: "from tick 38 on: balls.vx; at tick 60 ...". False: nowhere. */
static bool describe_difference(const es_replay *replay, char *text, size_t size)
{
    es_difference found;
    char what[80] = "the state", values[200] = "";
    if (!es_replay_get_difference(replay, &found)) {
        return false;
    }
    if (found.field != NULL) {
        snprintf(what, sizeof what, "%s", found.field);
    } else if (found.group >= 0) {
        snprintf(what, sizeof what, "group %" PRId32, found.group);
    }
    if (found.value_field != NULL) {
        snprintf(values, sizeof values,
                "; at tick %" PRId64 " %s of element %zu is %.17g, recorded was %.17g",
                found.value_tick, found.value_field, found.object, found.values[0],
                found.values[1]);
    }
    snprintf(text, size, "from tick %" PRId64 " on: %s%s%s", found.tick, what, values,
            es_replay_get_status(replay).same_arithmetic
                    ? ""
                    : " (this machine's floats are not those of the one that recorded)");
    return true;
}

static void judge_difference(replay_verdict *verdict, const es_replay *replay)
{
    char text[sizeof verdict->why];
    if (describe_difference(replay, text, sizeof text)) {
        judge(verdict, "differs", "%s", text);
    }
}

/* Up to the end; after a difference, up to the next saved state, which has its values. */
static void run_ticks(
        es_replay *replay, const es_verify *program, void *state, replay_verdict *verdict)
{
    es_step step;
    es_difference found;
    const void *input;
    size_t size;
    while ((!es_replay_get_difference(replay, &found) || found.value_field == NULL)
            && es_replay_next(replay, &step, &input, &size)) {
        if (program->update(state, &step, input, size) != 0) {
            judge_difference(verdict, replay);
            judge(verdict, "incomplete", "the input of tick %" PRId64 " is not valid", step.index);
            break;
        }
        verdict->ticks += 1;
        (void)es_replay_check(replay, state);
    }
    judge_difference(verdict, replay);
}

static void run_opened(es_replay *replay, const es_verify *program, void *state,
        const survey *found, replay_verdict *verdict)
{
    es_replay_status status = es_replay_get_status(replay);
    if (status.result == ES_ERR_DAMAGED) {
        judge(verdict, "incomplete", "%s",
                found->damage[0] != '\0' ? found->damage : "no whole first state");
    } else if (program->loaded != NULL && program->loaded(state, status.tick) != 0) {
        judge(verdict, "incomplete", "its first state is not valid");
    } else {
        run_ticks(replay, program, state, verdict);
    }
    verdict->compared = es_replay_get_status(replay).compared;
    verdict->hash = es_state_hash(program->layout, state);
    if (found->damage[0] != '\0') {
        judge(verdict, "incomplete", "%s", found->damage);
    }
    if (es_replay_get_status(replay).result == ES_ERR_IO) {
        judge(verdict, "refused", "%s", tool_error_reason());
    }
    if (verdict->compared == 0 && verdict->ticks > 0) {
        judge(verdict, "incomplete", "no tick has a hash or a saved state");
    }
    if (found->is_torn || !found->ended) {
        judge(verdict, "cut off", "after tick %" PRId64, es_replay_get_status(replay).tick);
    }
    judge(verdict, "equal", "%s", "");
}

void replay_run_again(const char *path, const es_verify *program, replay_verdict *verdict)
{
    survey found = {.ended = false};
    const es_record_config config = {.layout = program->layout};
    *verdict = (replay_verdict){.ticks = 0};
    if (look(path, &found) && program->name != NULL && strcmp(found.program, program->name) != 0) {
        judge(verdict, "refused", "a recording of '%s', not of '%s'", found.program, program->name);
        return;
    }
    void *state = program->create();
    es_replay *replay = state != NULL ? es_replay_open(path, &config, state) : NULL;
    if (replay != NULL) {
        run_opened(replay, program, state, &found, verdict);
    } else {
        judge(verdict, "refused", "%s", state != NULL ? tool_error_reason() : "out of memory");
    }
    es_replay_close(replay);
    if (state != NULL) {
        program->destroy(state);
    }
}
