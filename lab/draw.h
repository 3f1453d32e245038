/* SPDX-License-Identifier: Zlib
 *
 * draw: random machines. Machine number n of a seed is the same on every computer.
 */
#ifndef LAB_DRAW_H
#define LAB_DRAW_H

#include "lab/run.h"

/* Machine number n: a random display with feedback, tick rate, costs on CPU and GPU, lateness,
 * preemption and incident. captures: costs of real programs that it may use; may be empty. The
 * setup has no loop, and lasts 30 s with a warm-up of 2 s. */
lab_setup lab_draw(uint64_t seed, int64_t n, const lab_cost *captures, size_t capture_count);

enum { LAB_DRAW_TEXT = 240 };

/* The machine in words, such as "144 Hz, queue 2, present blocks, then queues, ..." text: has
 * LAB_DRAW_TEXT characters. Returns text. */
char *lab_draw_describe(const lab_setup *setup, char *text);

#endif
