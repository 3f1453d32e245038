/* SPDX-License-Identifier: Zlib
 *
 * Writes recordings for tests/replay_command.sh:
 *
 *   replay_recorder record FILE [NAME=VALUE...]   `settings` below says what is in it and what fails
 *   replay_recorder flip FILE OTHER NUMBER        a copy with one flipped bit
 *   replay_recorder poke FILE OTHER KIND NTH AT VALUE   a copy in which the NTH record (from 0) of
 *                                                 this kind has VALUE, 8 bytes, at byte AT of its
 *                                                 payload, with right checksums
 *   replay_recorder spoil FILE OTHER KIND NTH [LAST]   a copy in which a bit of the payloads of the
 *                                                 NTH to the LAST record of this kind is flipped
 *
 * All numbers are exact in binary, and none comes from a clock: every machine writes the same.
 */
#include "platform/platform.h"

#include "record_game.h"

enum { BALLS = 4, BULK = 4096, INPUT_MAX = 200000 };

typedef struct world {
    struct {
        uint8_t alive;
        float at[2];
    } balls[BALLS];
    int64_t score;
    double energy;
    uint32_t random;
    int32_t depth;
    float bulk[BULK];
} world;

typedef struct setting {
    const char *name;
    long value;
} setting;

/* A setting that names a tick: 0: never. */
static setting settings[] = {{"ticks", 60}, {"rate", 60}, {"seed", 7}, {"hashes", 4}, {"every", 1},
        {"snapshots", 20}, {"layout", 0}, {"tags", 0}, {"nan", 0}, {"input", 0}, {"change", 0},
        {"other_input", 0}, {"other_step", 0}, {"other_event", 0}, {"full", 0}, {"again", 0},
        {"end", 1}, {"frames", 1}, {"start", 0}, {"unstarted", 0}};

static long get(const char *name)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
        if (strcmp(settings[i].name, name) == 0) {
            return settings[i].value;
        }
    }
    abort();
}

static bool set(const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, text, length) == 0) {
            settings[i].value = strtol(text + length + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

/* --- the state -------------------------------------------------------------------------------- */

#define OF_EACH(member, type) type, ES_BLEND_STEP, ES_PLACE_OF_EACH(world, balls, member, type)
#define ONE(member, type)     type, ES_BLEND_STEP, ES_PLACE(world, member, type)

static const es_field usual[] = {
        {"balls.alive", OF_EACH(alive, ES_TYPE_U8), .group = 1},
        {"balls.at", OF_EACH(at, ES_TYPE_F32), .group = 1},
        {"score", ONE(score, ES_TYPE_I64), .group = 2},
        {"energy", ONE(energy, ES_TYPE_F64), .group = 2},
        {"random", ONE(random, ES_TYPE_U32), .group = 0},
        {"depth", ONE(depth, ES_TYPE_I32), .group = 0},
};
/* One field is gone, one is new, one has another type. */
static const es_field other[] = {
        {"balls.alive", OF_EACH(alive, ES_TYPE_U8), .group = 1},
        {"balls.at", OF_EACH(at, ES_TYPE_F32), .group = 1},
        {"score", ONE(score, ES_TYPE_I64), .group = 2},
        {"random", ONE(random, ES_TYPE_I32), .group = 0},
        {"depth", ONE(depth, ES_TYPE_I32), .group = 0},
        {"bul\x1b[31mk", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE_ARRAY(world, bulk, ES_TYPE_F32),
                .group = 3},
};
/* More than a record holds. */
static const es_field large[] = {
        {"balls.at", OF_EACH(at, ES_TYPE_F32), .group = 1},
        {"depth", ONE(depth, ES_TYPE_I32), .group = 0},
        {"bulk", ES_TYPE_F32, ES_BLEND_STEP, ES_PLACE_ARRAY(world, bulk, ES_TYPE_F32), .group = 3},
        {"energy", ONE(energy, ES_TYPE_F64), .group = 2},
};
static const es_layout layouts[] = {
        ES_LAYOUT(world, usual), ES_LAYOUT(world, other), ES_LAYOUT(world, large)};

static void update(world *w, int64_t tick, const unsigned char *input, size_t size)
{
    w->random = w->random * UINT32_C(1664525) + UINT32_C(1013904223);
    w->score += size > 0 ? input[0] : 1;
    w->energy = (double)(w->random >> 16) / 256.0;
    w->depth = (int32_t)(tick % 5) - 2;
    for (int i = 0; i < BALLS; ++i) {
        w->balls[i].alive = (uint8_t)(tick / 10 & 1);
        w->balls[i].at[0] = (float)(tick * (i + 1)) / 8.0F;
        w->balls[i].at[1] = -(float)(w->random >> (24 - i) & 255) / 16.0F;
    }
    for (int i = 0; i < BULK; ++i) {
        w->bulk[i] = (float)((tick * 31 + i) % 1000) / 4.0F;
    }
    if (tick == get("change")) {
        w->balls[2].at[1] += 0.5F;
        w->score += 1000;
    }
    if (tick == get("nan")) {
        uint32_t quiet_nan = UINT32_C(0xFFC12345);
        uint64_t negative_zero = UINT64_C(1) << 63;
        memcpy(&w->balls[0].at[0], &quiet_nan, 4);
        w->balls[0].at[1] = -1.0F / 1073741824.0F;
        w->balls[1].at[0] = 3.0e38F * 2.0F;
        w->balls[1].at[1] = -w->balls[1].at[0];
        w->balls[2].at[0] = 0.1F;
        w->balls[2].at[1] = 16777216.0F;
        memcpy(&w->energy, &negative_zero, 8);
        w->score = INT64_MIN;
        w->random = UINT32_MAX;
        w->depth = INT32_MIN;
    }
}

/* --- one run ---------------------------------------------------------------------------------- */

static size_t make_input(int64_t tick, unsigned char *input)
{
    size_t size = get("input") > 0 ? (size_t)get("input") : tick % 4 == 0 ? (size_t)(tick % 5) : 0;
    for (size_t i = 0; i < size; ++i) {
        input[i] = (unsigned char)(33 + (tick * 7 + (int64_t)i * 3) % 94);
    }
    if (tick == get("other_input")) {
        input[size > 0 ? size - 1 : 0] ^= 64;
        size += size == 0;
    }
    return size;
}

/* 60 frames a second; two of them are late, and after one of these the machine slept. */
static es_report make_frame(int64_t index)
{
    es_report report;
    memset(&report, 0, sizeof report);
    int64_t late_ns = (index >= 17 ? 30500000 : 0) + (index >= 40 ? 2000000000 : 0);
    report.frame.index = index;
    report.frame.start_ns = 5000000000 + index * 16666667 + late_ns;
    report.frame.present_ns = report.frame.start_ns + 16666667;
    report.frame.content_ns = index * 16666667;
    report.frame.interval_ns = 16666667;
    report.frame.previous_tick = index;
    report.frame.current_tick = index + 1;
    report.frame.alpha = (double)(index % 8 + 1) / 8.0;
    report.frame.ticks = index == 17 ? 3 : 1;
    report.frame.gap.kind = index == 40 ? ES_GAP_SUSPENDED : ES_GAP_NONE;
    report.frame.gap.duration_ns = index == 40 ? 1980000000 : 0;
    report.update_work_ns = index == 17 ? 41000000 : 1250000;
    report.render_work_ns = 2500000;
    report.shown_ns = report.frame.start_ns + 12000000 + (index == 30 ? 4000000 : 0);
    report.source = ES_SHOWN_FEEDBACK;
    report.series = index >= 40;
    return report;
}

static void record_tick(es__record *record, world *w, int64_t tick)
{
    static unsigned char input[INPUT_MAX];
    static const unsigned char event[] = "decided\n\x1b[2J";
    es_rate rate = es_hz((uint32_t)get("rate"));
    es_step step = {.index = tick,
            .time_ns = es_rate_time_ns(rate, tick),
            .dt_ns = es_rate_time_ns(rate, tick) - es_rate_time_ns(rate, tick - 1),
            .dt_s = es__rate_period_s(rate)};
    step.time_ns += tick == get("other_step") ? 1 : 0;
    size_t size = make_input(tick, input);
    (void)es__record_reading(record, ES__READING_NOW, tick * 16666667);
    (void)es__record_step(record, &step, input, size);
    if (tick % 15 == 0) {
        size_t bytes = sizeof event - 1 - (tick == get("other_event"));
        (void)es__record_event(record, (uint32_t)(tick / 15), event, bytes);
    }
    update(w, tick, input, size);
    (void)es__record_tick(record, &step, w);
    if (get("frames") != 0) {
        es_report report = make_frame(tick - 1);
        (void)es__record_frame(record, &report);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

static es__file file;
static bool is_full;

static es_result write_or_refuse(void *user, const void *bytes, size_t size)
{
    return is_full ? ES_ERR_FULL : es__file_write(user, bytes, size);
}

static es__record_config make_config(void)
{
    static const char *const two[] = {"level", "3", "player", "J\xC3\xBCrgen", NULL};
    static const char *const four[] = {"level", "3", "player", "J\xC3\xBCrgen", "hostile\n",
            "\x1b]0;title\a \xFF\xFE \xE2\x80\xAE\"turned\" \\ \xC2\x9B",
            "a name that is longer than most",
            "and a text below it, which goes on and on until it is longer than a line of a "
            "terminal "
            "is wide, whatever the terminal",
            NULL};
    es__record_config config;
    memset(&config, 0, sizeof config);
    config.layout = &layouts[get("layout")];
    config.stream = (es_stream){.user = &file, .write = write_or_refuse};
    config.tick_rate = es_hz((uint32_t)get("rate"));
    config.seed = (uint64_t)get("seed");
    config.tags = get("tags") != 0 ? four : two;
    config.hashes = (es_record_hashes)get("hashes");
    config.hash_every = (int32_t)get("every");
    config.snapshot_every = (int32_t)get("snapshots");
    return config;
}

static int record_run(const char *path)
{
    static unsigned char memory[2 * ES__RECORD_MEMORY_MIN];
    static es__record record;
    static world w;
    if (!es__file_open(&file, path, true)) {
        return 2;
    }
    es__record_config config = make_config();
    w.random = (uint32_t)get("seed");
    int64_t start = get("start");
    if (es__record_init(&record, &config, memory, sizeof memory, NULL) != ES_OK) {
        return 2;
    }
    if (get("unstarted") == 0
            && es__record_start(&record, start, es_rate_time_ns(config.tick_rate, start), &w)
                       != ES_OK) {
        return 2;
    }
    for (int64_t tick = start + 1; tick <= start + get("ticks"); ++tick) {
        is_full = get("full") != 0 && tick >= get("full") && tick < get("again");
        record_tick(&record, &w, tick);
    }
    is_full = false;
    if (get("end") != 0) {
        (void)es__record_end(&record);
    } else {
        (void)es__record_flush(&record);
    }
    es__file_close(&file);
    return file.failed == 0 ? 0 : 2;
}

/* --- damage ----------------------------------------------------------------------------------- */

static unsigned char bytes[1 << 20];

static size_t read_all(const char *path)
{
    return record_read_file(path, bytes, sizeof bytes);
}

static int write_all(const char *path, size_t size)
{
    return size > 0 && record_write_file(path, bytes, size) ? 0 : 2;
}

static int flip(const char *from, const char *to, unsigned long number)
{
    size_t size = read_all(from);
    uint64_t random = (uint64_t)number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    random = (random ^ random >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    random ^= random >> 31;
    if (size > 0) {
        bytes[random / 8 % size] ^= (unsigned char)(1U << (random % 8));
    }
    return write_all(to, size);
}

static int poke(const char *from, const char *to, char **numbers)
{
    unsigned long kind = strtoul(numbers[0], NULL, 10), nth = strtoul(numbers[1], NULL, 10);
    uint64_t value = strtoull(numbers[3], NULL, 10);
    size_t size = read_all(from);
    for (size_t at = 16; at + 20 <= size; at += 20 + record_u32(bytes + at + 4)) {
        if (bytes[at + 2] != kind || nth-- > 0) {
            continue;
        }
        for (unsigned i = 0; i < 8; ++i) {
            bytes[at + 16 + strtoul(numbers[2], NULL, 10) + i] = (unsigned char)(value >> 8 * i);
        }
        record_seal(bytes + at);
        return write_all(to, size);
    }
    return 2;
}

static int spoil(const char *from, const char *to, int count, char **numbers)
{
    unsigned long kind = strtoul(numbers[0], NULL, 10), nth = strtoul(numbers[1], NULL, 10);
    unsigned long last = count > 2 ? strtoul(numbers[2], NULL, 10) : nth, index = 0;
    size_t size = read_all(from);
    for (size_t at = 16; at + 20 <= size; at += 20 + record_u32(bytes + at + 4)) {
        if (bytes[at + 2] == kind) {
            bytes[at + 16] ^= index >= nth && index <= last ? 1 : 0;
            index += 1;
        }
    }
    return index > last ? write_all(to, size) : 2;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "flip") == 0) {
        return flip(argv[2], argv[3], strtoul(argv[4], NULL, 10));
    }
    if (argc == 8 && strcmp(argv[1], "poke") == 0) {
        return poke(argv[2], argv[3], argv + 4);
    }
    if ((argc == 6 || argc == 7) && strcmp(argv[1], "spoil") == 0) {
        return spoil(argv[2], argv[3], argc - 4, argv + 4);
    }
    for (int i = 3; i < argc; ++i) {
        if (!set(argv[i])) {
            return 2;
        }
    }
    return argc >= 3 && strcmp(argv[1], "record") == 0 ? record_run(argv[2]) : 2;
}
