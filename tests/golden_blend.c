/* SPDX-License-Identifier: Zlib
 *
 * The same bytes from every instruction set, compiler, optimisation level and machine: blends
 * random worlds, moves springs and cameras, and hashes the numbers as values, so that the order of bytes
 * does not count. C17 only, no framework: for cross-compilers, too. tests/golden.sh and scripts/cross
 * build and run it.
 *
 *   golden_blend    prints a hash per kind and the total; exits 1 where an instruction set differs
 *                   from the scalar one, or the total from the expected one
 *
 * A change of a formula changes the total on purpose: put the new one here, from one machine, and
 * check that all others agree.
 */
#include "blend_worlds.h"
#include "evenstep/view.h"

#include <inttypes.h>

#define EXPECTED_TOTAL UINT64_C(0x1b5e2459282082c5)
#define EXPECTED_VIEW  UINT64_C(0x7afefb65b4049401)

enum { JOBS = 6 };

#define HASH_START UINT64_C(14695981039346656037)

static void hash_bytes(uint64_t *h, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        *h = (*h ^ (value >> (8 * i) & 255)) * UINT64_C(1099511628211);
    }
}

/* ---- worlds ---- */

/* Of each kind of blend. */
static uint64_t kinds[ES_BLEND_MATRIX_ROWS + 1];

/* It does not count which NaN a number is. */
static void hash_field(uint64_t *h, const es_field *field, const unsigned char *out)
{
    for (size_t i = 0; i < field->count * ref_components(field); ++i) {
        const unsigned char *at =
                out + ref_place(field, i / ref_components(field), i % ref_components(field));
        uint32_t u32 = *at;
        uint64_t u64;
        if (ref_type_size(field->type) == 8) {
            memcpy(&u64, at, sizeof u64);
            bool is_nan = field->type == ES_TYPE_F64
                          && (u64 & (UINT64_MAX >> 1)) > UINT64_C(0x7FF0000000000000);
            hash_bytes(h, is_nan ? UINT64_C(0x7FF8000000000000) : u64, 8);
        } else if (ref_type_size(field->type) == 4) {
            memcpy(&u32, at, sizeof u32);
            bool is_nan = field->type == ES_TYPE_F32 && (u32 & 0x7FFFFFFF) > 0x7F800000;
            hash_bytes(h, is_nan ? 0x7FC00000 : u32, 4);
        } else {
            hash_bytes(h, u32, 1);
        }
    }
}

static const char *const simd_names[] = {"auto", "scalar", "sse2", "avx2", "neon"};
static bool simd_used[ES_SIMD_NEON + 1];

/* The job by an instruction set, with a hash of each field. False: this machine lacks it. */
static bool run_by(const world *w, int simd, unsigned char *out, uint64_t hashes[FIELDS_MAX])
{
    es__error error;
    es__blend_job job = w->job;
    job.simd = (es__simd)simd;
    job.out = out;
    memset(out, 0xA5, w->layout.state_size);
    es_result result = es__blend_run(&job, &error);
    if (result == ES_ERR_INVALID) {
        printf("refused: %s %s\n", error.field, error.reason);
    }
    for (size_t f = 0; f < w->layout.field_count; ++f) {
        hashes[f] = kinds[w->fields[f].blend];
        hash_field(&hashes[f], &w->fields[f], out);
    }
    simd_used[simd] = simd_used[simd] || result == ES_OK;
    return result != ES_ERR_UNSUPPORTED;
}

/* With each instruction set of this machine; the scalar one's hashes are what counts. */
static bool run_job(const world *w, unsigned char *out)
{
    uint64_t scalar[FIELDS_MAX], other[FIELDS_MAX];
    bool ok = run_by(w, ES_SIMD_SCALAR, out, scalar);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        bool there = run_by(w, simd, out, other);
        for (size_t f = 0; there && f < w->layout.field_count; ++f) {
            if (other[f] != scalar[f]) {
                printf("%s is not as scalar: kind %d of type %d, stride %d\n", simd_names[simd],
                        (int)w->fields[f].blend, (int)w->fields[f].type, (int)w->fields[f].stride);
                ok = false;
            }
        }
    }
    for (size_t f = 0; f < w->layout.field_count; ++f) {
        hash_bytes(&kinds[w->fields[f].blend], scalar[f], 8);
    }
    return ok;
}

static bool run_worlds(world_kind kind, uint64_t count)
{
    static world w;
    bool ok = true;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        make_world(&w, seed, kind);
        unsigned char *out = malloc(w.layout.state_size);
        for (int i = 0; i < JOBS && out != NULL; ++i) {
            make_job(&w);
            ok = run_job(&w, out) && ok;
        }
        ok = ok && out != NULL;
        free(out);
        free_world(&w);
    }
    return ok;
}

/* ---- springs and cameras ---- */

/* From -1 to 1, 24 bits. */
static double fraction(test_random *random)
{
    return ((double)((random_u64(random) >> 11) % 33554433) - 16777216.0) / 16777216.0;
}

/* Of all dampings. */
static uint64_t hash_view(void)
{
    static const es_spring springs[] = {
            {0.1, 0, 0}, {0.03, 1, 1}, {0.2, 0.5, 0.25}, {0.4, 0.05, 0}};
    test_random random = {1};
    uint64_t h = HASH_START;
    for (int i = 0; i < 4; ++i) {
        double x = 0, v = 0, angle = 0, speed = 0, q[4] = {0, 0, 0, 1}, spin[3] = {0};
        double from[4] = {0, 0, 0, 1}, at[3] = {0}, seen[3];
        es_camera camera = {
                .spring = springs[i], .ahead_s = {0.3}, .zone = {20, 40}, .most = {900}};
        for (int64_t tick = 0; tick < 2000; ++tick) {
            const es_frame frame = {.current_tick = tick, .alpha = (double)(tick % 16) / 16};
            const double to[4] = {fraction(&random), fraction(&random), fraction(&random), 1};
            double before = at[0], dt_s = 1 / (double)(30 + tick % 97);
            at[0] = 1000 * fraction(&random);
            at[1] = 50 * fraction(&random);
            es_spring_follow(&springs[i], &x, &v, &before, at, 1, dt_s);
            es_spring_follow_angle(&springs[i], &angle, &speed, before, at[0], dt_s);
            es_spring_follow_quat(&springs[i], q, spin, from, to, dt_s);
            memcpy(from, to, sizeof from);
            es_camera_shake(&camera, tick % 50 == 0 ? 3 : 0);
            es_camera_follow(&camera, tick, at, dt_s);
            es_camera_at(&camera, &frame, seen);
            const double all[] = {x, v, angle, speed, q[0], q[3], spin[1], seen[0], seen[1]};
            for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
                hash_bytes(&h, es__bits_of(all[k]), 8);
            }
        }
    }
    return h;
}

int main(void)
{
    uint64_t view = hash_view(), total = HASH_START;
    for (int kind = 0; kind <= ES_BLEND_MATRIX_ROWS; ++kind) {
        kinds[kind] = HASH_START;
    }
    bool ok = run_worlds(TAME, 400);
    ok = run_worlds(WILD, 150) && ok;
    ok = run_worlds(MATRICES, 60) && ok;
    for (int kind = ES_BLEND_LINEAR; kind <= ES_BLEND_MATRIX_ROWS; ++kind) {
        printf("kind %2d      %016" PRIx64 "\n", kind, kinds[kind]);
        hash_bytes(&total, kinds[kind], 8);
    }
    printf("%-12s %016" PRIx64 "  scalar", "total", total);
    for (int simd = ES_SIMD_SSE2; simd <= ES_SIMD_NEON; ++simd) {
        if (simd_used[simd]) {
            printf(" %s", simd_names[simd]);
        }
    }
    printf("\n");
    if (total != EXPECTED_TOTAL) {
        printf("expected     %016" PRIx64 "\n", EXPECTED_TOTAL);
        ok = false;
    }
    if (view != EXPECTED_VIEW) {
        printf("view         %016" PRIx64 ", not %016" PRIx64 "\n", view, EXPECTED_VIEW);
        ok = false;
    }
    return ok ? 0 : 1;
}
