/* CC0: copy freely.
 *
 * 23: matrices between two ticks: a wheel that rolls, a blade that turns about its hub, a mirror image.
 *
 * You will see: a plain lerp of the numbers shrinks the wheel, and flattens what is mirrored. By kind
 * each keeps its size, and a mirrored sprite changes sides at once.
 */
#include "evenstep/world.h"

#include <math.h>
#include <stdio.h>

enum { BLADES = 3 };

typedef struct world {
    float wheel[16];          /* 4x4, a column after the other: decomposed in each frame */
    float blades[BLADES][28]; /* the same with its parts behind it: decomposed once per tick */
    float sprite[12];         /* 3x4, a row after the other: a translation in every fourth number */
} world;

static const es_field fields[] = {
        ES_FIELD(world, wheel, ES_BLEND_MATRIX),
        ES_FIELD_ARRAY(world, blades, ES_BLEND_MATRIX),
        ES_FIELD(world, sprite, ES_BLEND_MATRIX_ROWS),
};
static const es_layout layout = ES_LAYOUT(world, fields);

/* The same world by the macro, on straight lines: the numbers that are printed below. */
#define LINES(M)                                                                                   \
    M(wheel[0], LINEAR)                                                                            \
    M(wheel[1], LINEAR)                                                                            \
    M(wheel[12], LINEAR) M(blades[0][0], LINEAR) M(blades[0][1], LINEAR) M(sprite[0], LINEAR)
ES_DEFINE_BLEND(world, LINES)

/* Turned about z, scaled, moved along x. */
static void place(float m[16], float angle, float scale, float x)
{
    const float c = cosf(angle) * scale, s = sinf(angle) * scale;
    const float columns[4][4] = {{c, s, 0, 0}, {-s, c, 0, 0}, {0, 0, scale, 0}, {x, 0, 0, 1}};
    for (int i = 0; i < 16; ++i) {
        m[i] = columns[i / 4][i % 4];
    }
}

static void update(world *w, int tick)
{
    const float time = (float)tick;
    place(w->wheel, -2 * time, 0.5F, time);
    for (int i = 0; i < BLADES; ++i) {
        place(w->blades[i], 2.1F * (float)i + 1.5F * time, 1 + time, 0);
        es_matrix_keep(ES_BLEND_MATRIX, 28, w->blades[i]); /* after the last change in the tick */
    }
    for (int i = 0; i < 12; ++i) {
        w->sprite[i] = i % 5 == 0 ? 1.0F : 0.0F;
    }
    w->sprite[0] = tick % 2 == 0 ? 1.0F : -1.0F; /* looks to the other side */
}

int main(void)
{
    static const char *const names[] = {"a plain lerp", "by kind"};
    es_history *history = es_history_create(sizeof(world), 2);
    if (history == NULL || !es_layout_validate(&layout)) {
        fprintf(stderr, "%s\n", es_get_error());
        return 1;
    }
    update(es_history_current(history), 0);
    es_history_reset(history, 0, 0);
    update(es_history_push(history, NULL), 1);
    const world *from = es_history_previous(history), *to = es_history_current(history);
    printf("alpha                     0.00    0.25    0.50    0.75    1.00\n");
    for (int by_kind = 0; by_kind < 2; ++by_kind) {
        world seen[5];
        for (int i = 0; i < 5; ++i) {
            seen[i] = world_blend(from, to, i / 4.0);
            if (by_kind == 1) {
                es_blend(&layout, from, to, i / 4.0, &seen[i]);
            }
        }
        printf("%s\n  the wheel's radius  ", names[by_kind]);
        for (int i = 0; i < 5; ++i) {
            printf("%8.3f", (double)hypotf(seen[i].wheel[0], seen[i].wheel[1]));
        }
        printf("\n  the blade's length  ");
        for (int i = 0; i < 5; ++i) {
            printf("%8.3f", (double)hypotf(seen[i].blades[0][0], seen[i].blades[0][1]));
        }
        printf("\n  the sprite's width  ");
        for (int i = 0; i < 5; ++i) {
            printf("%8.3f", (double)seen[i].sprite[0]);
        }
        printf("\n");
    }
    float wheel[16]; /* one matrix needs no layout */
    es_lerp_matrix(ES_BLEND_MATRIX, 16, from->wheel, to->wheel, 0.5, wheel);
    printf("one by one, half way: x = %.2f\n", (double)wheel[12]);
    es_history_destroy(history);
    return 0;
}
