/* CC0: copy freely.
 *
 * 11: drawn values: a heading, a quaternion, a texture offset, a zoom and colours between two ticks.
 *
 * You will see: what a plain lerp draws at a quarter, half and three quarters of the tick, and what
 * the function for the kind of value draws. The lerp turns the long way round, or unevenly, runs the
 * texture backwards, shoots up in the zoom, turns red into grey, and makes grey too dark. At last a
 * value that needs no ticks: a weight on a spring, which lets it go between two of them.
 */
#include "evenstep/evenstep.h"
#include "evenstep/track.h"
#include "evenstep/value.h"

#include <math.h>
#include <stdio.h>

static const float radian = 57.29577951F; /* degrees */

static float lerp(float a, float b, float alpha)
{
    return es_lerp_f32(a, b, alpha);
}

int main(void)
{
    static const float level[4] = {0, 0, 0, 1}, tilted[4] = {0, 0, 0.996195F, 0.087156F};
    static const float dark[3] = {0, 0, 0}, bright[3] = {1, 1, 1};               /* as sRGB */
    static const float red[4] = {1, 0, 0, 1}, clear[4] = {0, 0.5F, 0.5F, 0};     /* linear light */
    static const unsigned char black[3] = {0, 0, 0}, white[3] = {255, 255, 255}; /* pixels */
    printf("alpha                        0.25    0.50    0.75\n");
    for (int plain = 1; plain >= 0; --plain) {
        float heading[3], tilt[3], offset[3], zoom[3], redness[3], shade[3];
        int grey[3];
        for (int i = 0; i < 3; ++i) {
            float alpha = (float)(i + 1) / 4, from = 350 / radian, to = 10 / radian, mixed[4], q[4];
            unsigned char pixel[3];
            heading[i] = plain ? lerp(from, to, alpha) : es_angle_f32(from, to, alpha);
            es_rotation_f32(level, tilted, alpha, q);
            tilt[i] = plain ? atan2f(lerp(0, tilted[2], alpha), lerp(1, tilted[3], alpha))
                            : atan2f(q[2], q[3]);
            offset[i] = plain ? lerp(0.9F, 0.1F, alpha) : es_cyclic_f32(0.9F, 0.1F, alpha, 1);
            zoom[i] = plain ? lerp(1, 16, alpha) : es_ratio_f32(1, 16, alpha);
            es_colour_f32(red, clear, 4, alpha, mixed);
            redness[i] = plain ? lerp(red[0], clear[0], alpha) : mixed[0];
            es_srgb_f32(dark, bright, 3, alpha, mixed);
            shade[i] = plain ? lerp(dark[0], bright[0], alpha) : mixed[0];
            es_srgb_u8(black, white, 3, (double)alpha, pixel);
            grey[i] = plain ? (int)lerp(black[0], white[0], alpha) : pixel[0];
        }
        printf("%s\n", plain ? "a plain lerp" : "by the kind of value");
        printf("  heading 350 to 10      %8.1f%8.1f%8.1f degrees\n", (double)(heading[0] * radian),
                (double)(heading[1] * radian), (double)(heading[2] * radian));
        printf("  tilt 0 to 170          %8.1f%8.1f%8.1f degrees\n", (double)(tilt[0] * 2 * radian),
                (double)(tilt[1] * 2 * radian), (double)(tilt[2] * 2 * radian));
        printf("  texture 0.9 to 0.1     %8.2f%8.2f%8.2f\n", (double)offset[0], (double)offset[1],
                (double)offset[2]);
        printf("  zoom 1 to 16           %8.2f%8.2f%8.2f\n", (double)zoom[0], (double)zoom[1],
                (double)zoom[2]);
        printf("  red that fades out     %8.2f%8.2f%8.2f of red\n", (double)redness[0],
                (double)redness[1], (double)redness[2]);
        printf("  dark to bright         %8.2f%8.2f%8.2f\n", (double)shade[0], (double)shade[1],
                (double)shade[2]);
        printf("  black to white         %8d%8d%8d of 255\n", grey[0], grey[1], grey[2]);
    }
    const es_track swing = {
            ES_TRACK_SINE, .amplitude = 2, .acceleration = -9.81, .period_ns = 2 * ES_NS_PER_S};
    const es_track fall = es_track_continue(&swing, 300 * ES_NS_PER_MS, ES_TRACK_BALLISTIC);
    printf("a weight at 200, 400 and 600 ms; its spring lets go at 300\n                         ");
    for (int i = 1; i <= 3; ++i) {
        printf("%8.2f", es_track_between(&swing, &fall, i * 200 * ES_NS_PER_MS));
    }
    printf(" m\n");
    return 0;
}
