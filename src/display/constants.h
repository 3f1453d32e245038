/* SPDX-License-Identifier: Zlib
 *
 * The numbers that decisions of display timing depend on. Exceptions: sizes in state.h, the trials and
 * prices of targets in target.c, limits of settings, rounding and halves of a refresh.
 */
#ifndef ES_DISPLAY_CONSTANTS_H
#define ES_DISPLAY_CONSTANTS_H

/* X(name, value, unit, reason) */
/* clang-format off */
#define ES__CONSTANTS(X)                                                                           \
    /* readings */                                                                                 \
    X(blocked_ns, 200e3, "ns", "a present that takes longer has waited; the call itself takes up to 0.1 ms") \
    X(readings, 8, "readings", "waits that end on one line before refreshes are certain")         \
    X(readings_known, 4, "readings", "the same where the period is announced or was certain before; frames that tell whether targets are kept, or work fits again") \
    X(arc, 0.25, "refreshes", "the least lateness that counts as late, and how early a reading still belongs to a refresh")                \
    X(late_more, 1.5, "", "times the fit's lateness: a late reading exceeds this and arc")     \
    X(on_time, 0.85, "share", "of the readings are on time")                                       \
    X(chance, 1e-4, "share", "chance that random readings would look like refreshes")              \
    X(coast, 0.125, "refreshes", "the error up to which a line is used without readings; content begins so late") \
    X(impossible, 0.0625, "refreshes", "no present returns earlier than this before its refresh; low latency learns in such steps")  \
    X(reset, 3, "readings", "of the last 8 that contradict the line: it is given up")              \
    X(pause_ns, 500e6, "ns", "readings before a longer pause are not compared with those after it") \
    /* frames */                                                                                   \
    X(match_better, 0.05, "share", "of the returns that another distance must explain in addition")   \
    X(hidden_most, 2, "refreshes", "a frame that is ready later after its submit was stalled")      \
    X(hidden_gain, 0.125, "share", "of a flip that was predicted wrong, by which the expected GPU time moves; weight of a frame in shares of late ones") \
    X(similar, 0.5, "share", "of a frame time: costs that differ by more are different loads; of the targets, which a display must keep") \
    X(stall, 3, "refreshes", "a longer frame counts as this long, and a longer period is none") \
    /* how content moves */                                                                        \
    X(mean_long, 11, "frames", "of a mean of frame times; the short one has as many as a queue; at most 16") \
    X(hitch, 6, "mean frame times", "content takes a longer frame at once: no mean spreads it")     \
    X(error_frames, 32, "frames", "over which a predictor's error is averaged, and low latency forgets a miss")                    \
    X(follow, 0.6, "share", "of its error that an eye corrects per frame")                        \
    X(better, 0.9, "share", "of the error, which another predictor must be below")                 \
    X(equal, 0.005, "share", "of a frame time: errors that differ by less are equal")               \
    X(free_frames, 1.5, "frames", "content may be so far from its time: nobody sees that")        \
    X(slew_max, 0.25, "share", "content runs faster or slower by at most this")                    \
    X(jump_ns, 250e6, "ns", "content that is later jumps to its time at once; no mean has a longer frame") \
    X(leap_ns, 20e6, "ns", "a smaller leap of the clock is an uneven stamp of the display") \
    X(fixed_error, 0.01, "refreshes", "a reading that is off by less agrees with a fixed refresh")         \
    X(work_most_ns, 100e6, "ns", "no frame is expected to take longer") \
    X(lasting_ns, 10e9, "ns", "the longest that low latency goes without readings; a change of the hold that is undone sooner was in vain") \
    X(hold_ns, 1e9, "ns", "work is watched this long before frames are held for more refreshes") \
    X(hold_steady, 0.95, "share", "of its frames whose work does not fit")                         \
    X(hold_share, 1.14, "refreshes", "taken per intended one")                           \
    X(fits, 0.97, "share", "of the held refreshes that work may fill")                              \
    X(even_cost, 0.045, "share", "of the time of frames, for even times on a variable refresh")   \
    X(even_forget, 256, "decisions", "over which a late wait fades")         \
    X(even_share, 0.25, "share", "of the difference of successive intervals, which must go")                        \
    X(even_gain, 0.5, "", "time that successive intervals differ less, per time that frames take more") \
    X(target_credit, 2, "mean frame times", "by which targets may delay frames at once")      \
    X(free_share, 0.9, "share", "of the refresh: presents that return faster never wait")          \
    X(free_ns, 1e6, "ns", "the shortest refresh: faster frames wait for none")                     \
    X(look_again_ns, 3e9, "ns", "a timer paces no longer than this without a new proof that presents do not wait")
/* clang-format on */

#define ES__VALUE(name, value, unit, reason) static const double es__tuned_##name = (value);
ES__CONSTANTS(ES__VALUE)
#undef ES__VALUE
#define ES__TUNE(name) (es__tuned_##name)

#endif
