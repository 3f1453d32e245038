/* SPDX-License-Identifier: Zlib
 *
 * draw: random machines. Machine number n of a seed is the same on every computer.
 */
#ifndef LAB_DRAW_H
#define LAB_DRAW_H

#include "lab/run.h"

/* What a random machine draws: refresh rate or range, queue, blocking, latch, lateness, costs on CPU
 * and GPU, an incident, what the loop knows. captures: costs of real programs to draw from, too; may
 * be empty. The setup has no loop; it lasts 30 s, of which the first 2 are not measured. */
lab_setup lab_draw(uint64_t seed, int64_t n, const lab_cost *captures, size_t capture_count);

enum { LAB_DRAW_TEXT = 240 };

/* The machine in words, such as "144 Hz, queue 2, present waits before it queues, ..." Returns
 * text, which has LAB_DRAW_TEXT characters. */
char *lab_draw_describe(const lab_setup *setup, char *text);

#endif
