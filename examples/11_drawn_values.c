/* CC0: copy freely.
 *
 * 11: drawn values: a heading, a quaternion, a texture offset, a zoom and colours between two ticks.
 *
 * You will see: what a plain lerp draws at a quarter, half and three quarters of the tick, and what
 * a blend by the kind of value draws. The lerp turns the long way round, or unevenly, runs the
 * texture backwards, shoots up in the zoom, turns red into grey, and makes grey too dark.
 */
#include "evenstep/world.h"

#include <math.h>
#include <stdio.h>

static const float radian = 57.29577951F; /* degrees */

typedef struct look {
    float heading;          /* radians */
    float tilt[4];          /* a quaternion */
    float offset;           /* of a texture that repeats at 1 */
    float zoom;             /* by a constant ratio */
    float light[4];         /* linear light and alpha */
    float shade[3];         /* sRGB */
    unsigned char pixel[3]; /* sRGB */
    int digit;              /* changes half way */
} look;

static const es_field fields[] = {
        ES_FIELD(look, heading, ES_BLEND_ANGLE),
        ES_FIELD(look, tilt, ES_BLEND_ROTATION),
        ES_FIELD(look, offset, ES_BLEND_CYCLIC, ES_WITH(period, 1)),
        ES_FIELD(look, zoom, ES_BLEND_LOG),
        ES_FIELD(look, light, ES_BLEND_COLOUR),
        ES_FIELD(look, shade, ES_BLEND_SRGB),
        ES_FIELD(look, pixel, ES_BLEND_SRGB),
        ES_FIELD(look, digit, ES_BLEND_NEAREST),
};
static const es_layout layout = ES_LAYOUT(look, fields);

/* Each number that is printed below, on a straight line. */
#define LOOK_MEMBERS(M)                                                                            \
    M(heading, LINEAR) M(tilt[2], LINEAR) M(tilt[3], LINEAR) M(offset, LINEAR)                     \
    M(zoom, LINEAR) M(light[0], LINEAR) M(shade[0], LINEAR)
ES_DEFINE_BLEND(look, LOOK_MEMBERS)

int main(void)
{
    const look from = {350 / radian, {0, 0, 0, 1}, 0.9F, 1, {1, 0, 0, 1}, {0}, {0}, 1};
    const look to = {10 / radian, {0, 0, 0.996195F, 0.087156F}, 0.1F, 16, {0, 0.5F, 0.5F, 0},
            {1, 1, 1}, {255, 255, 255}, 9};
    printf("alpha                        0.25    0.50    0.75\n");
    for (int plain = 1; plain >= 0; --plain) {
        look seen[3];
        for (int i = 0; i < 3; ++i) {
            double alpha = (i + 1) / 4.0;
            if (plain) {
                seen[i] = look_blend(&from, &to, alpha);
                seen[i].pixel[0] = (unsigned char)es_lerp(from.pixel[0], to.pixel[0], alpha);
                seen[i].digit = (int)es_lerp(from.digit, to.digit, alpha);
            } else {
                es_blend(&layout, &from, &to, alpha, &seen[i]);
            }
        }
#define ROW(format, value)                                                                         \
    for (int i = 0; i < 3; ++i) {                                                                  \
        printf(format, value);                                                                     \
    }
        printf("%s\n  heading 350 to 10      ", plain ? "a plain lerp" : "by the kind of value");
        ROW("%8.1f", (double)(seen[i].heading * radian));
        printf(" degrees\n  tilt 0 to 170          ");
        ROW("%8.1f", (double)(2 * radian * atan2f(seen[i].tilt[2], seen[i].tilt[3])));
        printf(" degrees\n  texture 0.9 to 0.1     ");
        ROW("%8.2f", (double)seen[i].offset);
        printf("\n  zoom 1 to 16           ");
        ROW("%8.2f", (double)seen[i].zoom);
        printf("\n  red that fades out     ");
        ROW("%8.2f", (double)seen[i].light[0]);
        printf(" of red\n  dark to bright         ");
        ROW("%8.2f", (double)seen[i].shade[0]);
        printf("\n  black to white         ");
        ROW("%8d", seen[i].pixel[0]);
        printf(" of 255\n  digit 1 to 9           ");
        ROW("%8d", seen[i].digit);
        printf("\n");
    }
    float tilt[4];                   /* single values need no layout */
    es_track1 heading = {.snap = 1}; /* this one is kept by its object, and set in each tick */
    const es_frame frame = {.current_tick = 1, .alpha = 0.5}; /* of es_loop_next */
    es_track1_snap(&heading, 0, (double)from.heading);
    es_track1_set(&heading, 1, (double)to.heading);
    es_track1_shift(&heading, (double)(-360 / radian)); /* a turn less, in both ticks */
    es_lerp_quat(from.tilt, to.tilt, 0.5, tilt);
    printf("half way one by one: heading %.1f, of a track %.1f, tilt %.1f degrees\n",
            es_lerp_angle((double)from.heading, (double)to.heading, 0.5) * (double)radian,
            es_track1_angle_at(&heading, &frame) * (double)radian,
            (double)(2 * radian * atan2f(tilt[2], tilt[3])));
    return 0;
}
