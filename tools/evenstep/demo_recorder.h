/* SPDX-License-Identifier: Zlib
 *
 * demo_recorder: writes down what the demo does, so that it can be played again.
 *
 * The thread of the ticks writes into a ring, and a thread of this file's empties it into the file:
 * a disk that takes its time holds up no tick and no frame. What comes between ticks (frames,
 * readings of the clock, keys) is written only while frames and ticks have one thread; from the
 * moment that they have two, there are ticks and their input.
 *
 * Not for: reading. demo_player does that.
 */
#ifndef DEMO_RECORDER_H
#define DEMO_RECORDER_H

#include "evenstep/clock.h"
#include "evenstep/record.h"

#include "demo_world.h"

/* What is recorded with a run. */
typedef struct demo_recorder_setup {
    const char *path;
    const char *settings; /* the command line, as far as it says how it runs */
    const char *view;
    const char *refresh; /* the display's, as announced, in ns */
    uint64_t seed;
    es_rate tick_rate;
    bool frames; /* and readings and keys */
    bool waits;  /* for the disk: time is not the machine's, so nothing is late for it */
} demo_recorder_setup;

/* What came between ticks. */
typedef enum demo_note_kind {
    DEMO_NOTE_KEY = 1, /* key was pressed */
    DEMO_NOTE_TOLD,    /* the loop was told of a picture */
    DEMO_NOTE_REFRESH, /* the display's refresh is announced as value, in ns */
    DEMO_NOTE_HIDDEN,  /* the view is hidden (1) or not (0) */
    DEMO_NOTE_TURN,    /* one of two loops has its turn */
    DEMO_NOTE_THREADS  /* ticks have a thread of their own: no notes and no frames follow */
} demo_note_kind;

typedef struct demo_note {
    demo_note_kind kind;
    int64_t frame; /* it came in the so manieth, from 0 */
    int64_t value; /* a key's character, and what else there is to say */
    es_present_sample sample;
} demo_note;

enum { DEMO_NOTE_EVENT = 1 }; /* the kind of event that a note is in a recording */

/* How it goes. */
typedef struct demo_recording {
    const char *path; /* NULL: nothing is recorded */
    es_record_counts counts;
    int problem;  /* errno, where writing failed; else 0 */
    int64_t tick; /* the last that was recorded */
    bool frames;  /* are recorded, too */
} demo_recording;

typedef struct demo_recorder demo_recorder;

/** Opens the file, which must be a new one. NULL: errno says why. */
demo_recorder *demo_recorder_open(const demo_recorder_setup *setup);

/** Ends the recording, and tells what became of it. NULL is fine, here and below. */
demo_recording demo_recorder_close(demo_recorder *recorder);

/** The loop was started from this world: at first, and again from another tick. */
void demo_recorder_begin(demo_recorder *recorder, const demo_scene *scene, int64_t time_ns);

/** Before a tick, and after it. */
void demo_recorder_step(demo_recorder *recorder, const es_step *step, const demo_given *given);
void demo_recorder_tick(demo_recorder *recorder, const demo_scene *scene);

/** After a frame. */
void demo_recorder_frame(demo_recorder *recorder, const es_frame_report *report);

/** What came between ticks; its frame is filled in here. */
void demo_recorder_note(demo_recorder *recorder, demo_note note);

/** Bytes of a note, and back. */
enum { DEMO_NOTE_SIZE = 72 };
void demo_note_write(const demo_note *note, unsigned char *bytes);
bool demo_note_read(demo_note *note, const unsigned char *bytes, size_t size);

/** The clock that the loop is to have: the machine's, whose answers are recorded. */
es_clock demo_recorder_clock(demo_recorder *recorder, const es_clock *clock);

/** How it goes; by the thread of the ticks. */
demo_recording demo_recorder_look(const demo_recorder *recorder);

/** Why it ended early, in words; NULL: it did not. */
const char *demo_recording_problem(const demo_recording *recording);

#endif
