/* SPDX-License-Identifier: Zlib
 *
 * demo_display: tells what the loop knows of the display, what it expected of it, and what each
 * setting costs: in the overlay, in the summary, in the JSON file.
 */
#ifndef DEMO_DISPLAY_H
#define DEMO_DISPLAY_H

#include "demo_report.h"

#include <jansson.h>

/** Adds lines to the figures of the overlay. frame: the one being drawn. */
void demo_display_show(const demo_stats *stats, const es_frame *frame, demo_hud *hud);

/** Prints some lines for people. */
void demo_display_print(const demo_stats *stats, FILE *out);

/** Prints what was measured of each of the loops that took turns; nothing where none did. */
void demo_display_print_turns(const demo_run *run, FILE *out);

/** Adds `display`, `seen_less_expected_ms`, `input_age_ms`, `repeated` and `delivered`. */
void demo_display_json(json_t *root, const demo_stats *stats);

/** The loops that took turns; null where none did. */
json_t *demo_display_turns_json(const demo_run *run);

#endif
