/* SPDX-License-Identifier: Zlib
 *
 * Rotations: how far es__rotation_f32 and its form in double are from a slerp in long double, and from
 * that the plain normalised lerp beside them.
 */
#include "blend.h"

#include "json.h"
#include "svg.h"
#include "table.h"

#include "world/value_parts.h"

#include <math.h>
#include <string.h>

enum { TURNS = 5, WAYS = 3, STEPS = 1000, POSES = 48 };

/* At exactly half a turn either way round is right: the last is a hair less. */
static const double turns[TURNS] = {5, 10, 45, 90, 179.99};

typedef struct rotation_errors {
    double at[TURNS][WAYS][STEPS + 1]; /* in degrees, by alpha */
    double largest[TURNS][WAYS];
} rotation_errors;

static const char *const way_names[WAYS] = {"float", "double", "nlerp"};
static const char *const way_keys[WAYS] = {"f32_degrees", "f64_degrees", "nlerp_degrees"};

static const long double pi = 3.141592653589793238462643383279502884L;

/* A turn by some degrees about an axis; the last component is the scalar. */
static void turned(long double degrees, long double out[4])
{
    static const long double axis[3] = {0.6L, -0.64L, 0.48L}; /* its length is 1 */
    long double half = degrees * pi / 360;
    for (int i = 0; i < 3; ++i) {
        out[i] = axis[i] * sinl(half);
    }
    out[3] = cosl(half);
}

static void normalise(long double q[4])
{
    long double length = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        q[i] /= length;
    }
}

/* First `pose`, then q: rounding is as it is for a body that lies anyhow. */
static void posed(const long double q[4], const long double pose[4], long double out[4])
{
    const long double *p = pose;
    out[0] = q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1];
    out[1] = q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0];
    out[2] = q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3];
    out[3] = q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2];
}

/* Some directions of four numbers, spread by multiples of irrational numbers. */
static void pose_at(int index, long double out[4])
{
    static const long double steps[4] = {0.7548776662L, 0.5698402910L, 0.8191725134L, 0.4311591L};
    for (int i = 0; i < 4; ++i) {
        long double at = (long double)(index + 1) * steps[i];
        out[i] = at - floorl(at) - 0.5L;
    }
    normalise(out);
}

/* The angle between two rotations, in degrees. By the sine of its quarter, which is exact where it
 * is small; q and -q are the same. */
static double between(const long double a[4], const long double b[4])
{
    long double apart = 0, together = 0;
    for (int i = 0; i < 4; ++i) {
        apart += (a[i] - b[i]) * (a[i] - b[i]);
        together += (a[i] + b[i]) * (a[i] + b[i]);
    }
    apart = apart < together ? apart : together;
    return (double)(4 * asinl(sqrtl(apart) / 2) * 180 / pi);
}

/* What each way shows, between what `from` and `to` are in its own type; the truth is the slerp of
 * the same two. About one axis a slerp is a turn by a part of the angle. */
static void measure_at(
        const long double pose[4], long double degrees, double alpha, double errors[WAYS])
{
    long double none[4], whole[4], part[4], from[4], to[4];
    float a32[4], b32[4], out32[4];
    double a64[4], b64[4], out64[4];
    long double truth[4], shown[WAYS][4];
    turned(0, none);
    turned(degrees, whole);
    posed(none, pose, from);
    posed(whole, pose, to);
    for (int i = 0; i < 4; ++i) {
        a32[i] = (float)from[i];
        b32[i] = (float)to[i];
        a64[i] = (double)from[i];
        b64[i] = (double)to[i];
    }
    es__rotation_f32(a32, b32, (float)alpha, out32);
    es__rotation_f64(a64, b64, alpha, out64);
    for (int i = 0; i < 4; ++i) {
        shown[0][i] = (long double)out32[i];
        shown[1][i] = (long double)out64[i];
        shown[2][i] = from[i] + (long double)alpha * (to[i] - from[i]);
    }
    for (int way = 0; way < WAYS; ++way) {
        long double at = way == 0 ? (long double)(float)alpha : (long double)alpha;
        turned(degrees * at, part);
        posed(part, pose, truth);
        normalise(shown[way]); /* a length that is off by an ulp is no angle */
        errors[way] = between(shown[way], truth);
    }
}

static void measure(rotation_errors *errors)
{
    long double pose[4];
    memset(errors, 0, sizeof *errors);
    for (int index = 0; index < TURNS * POSES * (STEPS + 1); ++index) {
        int turn = index % TURNS, step = index / TURNS % (STEPS + 1);
        double each[WAYS];
        pose_at(index / TURNS / (STEPS + 1), pose);
        measure_at(pose, (long double)turns[turn], (double)step / STEPS, each);
        for (int way = 0; way < WAYS; ++way) {
            double *at = &errors->at[turn][way][step], *largest = &errors->largest[turn][way];
            *at = each[way] > *at ? each[way] : *at;
            *largest = *at > *largest ? *at : *largest;
        }
    }
}

/* --- showing ---------------------------------------------------------------------------------- */

static int print_table(const rotation_errors *errors)
{
    table t;
    if (!table_init(&t, WAYS, TURNS)) {
        return tool_fail(BLEND_COMMAND, "out of memory");
    }
    printf("largest error of a rotation between two ticks, in degrees, against a slerp in long "
           "double\n\n"
           "float    es__rotation_f32\n"
           "double   the same in double\n"
           "nlerp    the straight line between the two, made unit, in long double\n\n");
    for (int way = 0; way < WAYS; ++way) {
        table_set_column(&t, (size_t)way, "", way_names[way]);
        for (int turn = 0; turn < TURNS; ++turn) {
            table_set(&t, (size_t)turn, (size_t)way, "%.1e", errors->largest[turn][way]);
        }
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        table_set_row(&t, (size_t)turn, false, "%g per tick", turns[turn]);
    }
    table_print(&t, stdout);
    table_finish(&t);
    return TOOL_OK;
}

/* Two digits, which say enough; more would be those of the machine's long double. */
static json_t *degrees_json(double degrees)
{
    char text[32];
    double value = 0;
    snprintf(text, sizeof text, "%.1e", degrees);
    sscanf(text, "%lf", &value);
    return json_real(value);
}

static bool write_json(const void *user, const char *path)
{
    const rotation_errors *errors = user;
    json_t *items = json_array();
    for (int turn = 0; turn < TURNS; ++turn) {
        json_t *item = json_pack("{s:f}", "degrees_per_tick", turns[turn]);
        for (int way = 0; way < WAYS; ++way) {
            json_object_set_new(item, way_keys[way], degrees_json(errors->largest[turn][way]));
        }
        json_array_append_new(items, item);
    }
    json_t *root = json_pack("{s:o}", "rotation", items);
    return tool_json_write(root, path);
}

/* --- the drawing ------------------------------------------------------------------------------ */

static const char style[] =
        ".float{stroke:#1f5f9e;stroke-width:1.7;fill:none}"
        ".double{stroke:#1a7f37;stroke-width:1.7;fill:none}"
        ".nlerp{stroke:#d4700f;stroke-width:1.5;stroke-dasharray:5 3;fill:none}\n"
        "@media (prefers-color-scheme:dark){.float{stroke:#79b8ff}.double{stroke:#56d364}"
        ".nlerp{stroke:#f0a24a}}\n";

static const double left = 70.0;
static const double top = 98.0;
static const double pane_width = 176.0;
static const double pane_height = 260.0;
static const double pane_gap = 14.0;

enum { DECADE_LOW = -10, DECADE_HIGH = 2 };

static double y_of(double degrees)
{
    double decade = degrees > 0 ? log10(degrees) : DECADE_LOW;
    decade = decade < DECADE_LOW ? DECADE_LOW : decade > DECADE_HIGH ? DECADE_HIGH : decade;
    return top + pane_height * (DECADE_HIGH - decade) / (DECADE_HIGH - DECADE_LOW);
}

/* The largest of ten steps each: at an alpha where the error changes its sign nothing is to be
 * seen but a needle. */
static void put_curve(svg *drawing, const double *errors, const char *colour, double x)
{
    enum { GROUP = 10 };
    svg_path_begin(drawing, colour);
    for (int step = 0; step < STEPS; step += GROUP) {
        double largest = 0;
        for (int i = step; i <= step + GROUP; ++i) {
            largest = errors[i] > largest ? errors[i] : largest;
        }
        double at = x + pane_width * (step + GROUP / 2.0) / STEPS;
        svg_point(drawing, at, y_of(largest));
    }
    svg_path_end(drawing);
}

static void put_pane(svg *drawing, const rotation_errors *errors, int turn)
{
    double x = left + (pane_width + pane_gap) * turn;
    svg_text(drawing, "bold middle", x + pane_width / 2, top - 8, "%g\xc2\xb0 per tick",
            turns[turn]);
    svg_rect(drawing, "pane", x, top, pane_width, pane_height);
    for (int decade = DECADE_LOW; decade <= DECADE_HIGH; decade += 2) {
        double y = y_of(pow(10, decade));
        svg_line(drawing, "grid", x, y, x + pane_width, y);
        if (turn == 0 && decade >= -2) {
            svg_text(drawing, "small soft end", x - 6, y + 4, "%g\xc2\xb0", pow(10, decade));
        } else if (turn == 0) {
            svg_text(drawing, "small soft end", x - 6, y + 4, "1e%d\xc2\xb0", decade);
        }
    }
    svg_clip_begin(drawing, x, top, pane_width, pane_height);
    for (int way = 0; way < WAYS; ++way) {
        put_curve(drawing, errors->at[turn][way], way_names[way], x);
    }
    svg_clip_end(drawing);
    svg_text(drawing, "small soft", x, top + pane_height + 15, "0");
    svg_text(drawing, "small soft middle", x + pane_width / 2, top + pane_height + 15, "alpha");
    svg_text(drawing, "small soft end", x + pane_width, top + pane_height + 15, "1");
}

static bool draw(const void *user, const char *path)
{
    const rotation_errors *errors = user;
    static const char *const titles[WAYS] = {
            "ours, float", "ours, double", "plain normalised lerp"};
    svg drawing;
    double width = left + (pane_width + pane_gap) * TURNS + 8;
    if (!svg_open(&drawing, path, width, top + pane_height + 32, "Errors of rotations", style)) {
        return false;
    }
    svg_text(&drawing, "big", left, 28, "How far a rotation is from even angular speed");
    svg_text(&drawing, "small soft", left, 46,
            "the angle to an exact slerp between the same two ticks, by alpha");
    for (int way = 0; way < WAYS; ++way) {
        double x = left + 130.0 * way;
        svg_line(&drawing, way_names[way], x, 64, x + 22, 64);
        svg_text(&drawing, "small", x + 28, 68, "%s", titles[way]);
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        put_pane(&drawing, errors, turn);
    }
    return svg_close(&drawing);
}

int blend_rotation(const char *svg_path, const char *json_path)
{
    static rotation_errors errors;
    const tool_file files[] = {{"json", json_path, write_json}, {"svg", svg_path, draw}};
    measure(&errors);
    int status = tool_count_stdout(files, 2) > 0 ? TOOL_OK : print_table(&errors);
    return status == TOOL_OK ? tool_write_files(BLEND_COMMAND, files, 2, &errors) : status;
}
