/* SPDX-License-Identifier: Zlib
 *
 * demo_play: a recording in place of the game: its ticks in this machine's frames; or, as
 * scheduled, its frames as well.
 *
 * In frames of this machine the loop asks for ticks as it does in a game, and gets those that were
 * recorded for as much time as its own are worth. Pauses and speeds are left out: the world stood,
 * or had ticks of the same length. As scheduled the loop runs on a clock that answers what was
 * recorded, and keys are pressed again in the frames that they were pressed in: so it makes the
 * same frames, with every stutter.
 */
#ifndef DEMO_PLAY_H
#define DEMO_PLAY_H

#include "evenstep/tape.h"

#include "demo_player.h"

/* How it goes, for the overlay and the end. */
typedef struct demo_playing {
    const char *path; /* NULL: nothing is played */
    bool schedule;
    int64_t tick, first_tick, last_tick;
    uint64_t ran, compared; /* ticks, and those of them whose hashes were there to compare with */
    bool differs;
    int64_t differs_tick;
    bool lost, cut, skipped;
    bool uncompared;  /* ticks could not be compared, but for one that was cut off */
    bool whole;       /* all ticks there are were run, or those up to the one asked for */
    int64_t frames;   /* as scheduled: run, ... */
    int64_t same;     /* ... of these, the same to the nanosecond as those recorded ... */
    bool threaded;    /* no frames were recorded from there on */
    uint64_t strays;  /* ... and readings, steps and items that were others */
    bool reshaped;    /* as scheduled, but not the same frames */
    const char *text; /* what is wrong, in words: the file, and where; NULL: nothing */
} demo_playing;

typedef struct demo_play {
    demo_player player;
    bool schedule;
    int64_t until; /* the last tick that is wanted */
    int64_t debt_ns;
    double portal;    /* of the ticks run for the last step */
    bool standing;    /* frames do not go on: a pause, or the end */
    bool step;        /* but one is wanted */
    const char *says; /* what the last key came to, for the overlay; or NULL */
    /* as scheduled */
    es_tape_player tape;
    es_clock pace; /* the machine's */
    int64_t paused_ns, stood_ns;
    bool threaded; /* ticks got a thread of their own: that ends what is scheduled */
    int64_t frame, same, strays;
    es_reader notes;
    unsigned char *window;
    bool has_note;
    demo_note note;
} demo_play;

/** Opens a recording. NULL: no memory. Else play->player.why says what is wrong where *good is
 * false. */
demo_play *demo_play_open(const char *path, bool schedule, bool *good);
void demo_play_close(demo_play *play);

/** As scheduled: the clock that the loop has. pace: whose time it takes; {0}: as fast as it can. */
es_clock demo_play_clock(demo_play *play, const es_clock *pace, es_ratio speed);

/** And one that stands at the last reading. */
es_clock demo_play_clock_after(demo_play *play);

/** Runs the ticks that a step of the loop is worth. false: there are no more. */
bool demo_play_step(demo_play *play, const es_step *step);

/** Whether the ticks, or what is wanted of them, are over. */
bool demo_play_is_over(const demo_play *play);

/** Goes a second on or back from where the world is. */
void demo_play_leap(demo_play *play, bool back);

/** As scheduled: the next thing that came in this frame, if it is of these kinds. */
bool demo_play_note(demo_play *play, demo_note_kind first, demo_note_kind last, demo_note *note);

/** As scheduled: a frame is over. */
void demo_play_frame(demo_play *play, const es_frame_report *report);

/** As scheduled: time stands, or goes on. */
void demo_play_stand(demo_play *play, bool stands);

/** How it goes. */
demo_playing demo_play_look(demo_play *play);

#endif
