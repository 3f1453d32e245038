//! Evenstep's C functions. Made by scripts/bind.py from the headers. Do not edit.
#![allow(non_camel_case_types, non_upper_case_globals)]
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)] pub struct es_follower { _private: [u8; 0] }
#[repr(C)] pub struct es_history { _private: [u8; 0] }
#[repr(C)] pub struct es_input { _private: [u8; 0] }
#[repr(C)] pub struct es_loop { _private: [u8; 0] }
#[repr(C)] pub struct es_meter { _private: [u8; 0] }
#[repr(C)] pub struct es_rates { _private: [u8; 0] }
#[repr(C)] pub struct es_record { _private: [u8; 0] }
#[repr(C)] pub struct es_replay { _private: [u8; 0] }
#[repr(C)] pub struct es_server { _private: [u8; 0] }
#[repr(C)] pub struct es_slices { _private: [u8; 0] }
#[repr(C)] pub struct es_snapshots { _private: [u8; 0] }
#[repr(C)] pub struct es_synctest { _private: [u8; 0] }
#[repr(C)] pub struct es_threads { _private: [u8; 0] }
#[repr(C)] pub struct es_trace { _private: [u8; 0] }

/// The cause of a gap:
pub type es_gap_kind = c_int;
pub const ES_GAP_NONE: es_gap_kind = 0;
/// the machine slept
pub const ES_GAP_SUSPENDED: es_gap_kind = 1;
/// present did not return: a hidden or minimised window
pub const ES_GAP_BLOCKED: es_gap_kind = 2;
/// the thread did not run: a debugger, SIGSTOP, a modal dialog
pub const ES_GAP_STOPPED: es_gap_kind = 3;
/// the clock stepped back
pub const ES_GAP_CLOCK_BACK: es_gap_kind = 4;
/// the clock leapt, and other clocks did not
pub const ES_GAP_CLOCK_JUMP: es_gap_kind = 5;
/// the clock stood still while the loop waited
pub const ES_GAP_CLOCK_STILL: es_gap_kind = 6;
/// too long for a frame, and the clock cannot tell why
pub const ES_GAP_UNKNOWN: es_gap_kind = 7;

/// How a screen time is known.
pub type es_shown_source = c_int;
/// planned, not measured (a host without a clock)
pub const ES_SHOWN_PLANNED: es_shown_source = -1;
/// present returned: queued or shown
pub const ES_SHOWN_PRESENT_RETURN: es_shown_source = 0;
/// the platform reported it
pub const ES_SHOWN_FEEDBACK: es_shown_source = 1;
/// a simulated display: exact
pub const ES_SHOWN_VIRTUAL: es_shown_source = 2;

/// What sets the pace of frames.
pub type es_pace = c_int;
/// after the loop has found the refreshes, the display. If presents provably do not block, a timer. Until then, nothing
pub const ES_PACE_AUTO: es_pace = 0;
/// a timer (rule A1). The interval grows to 6/5 of work that does not fit, and shrinks by at most 1 % per frame
pub const ES_PACE_ADAPTIVE: es_pace = 1;
/// interval_ns; a frame whose work does not fit loses whole intervals
pub const ES_PACE_FIXED: es_pace = 2;
/// the call that presents, as in ten-line loops: no display timing, and each frame shows the instant at which it begins. If presents provably do not block, a timer
pub const ES_PACE_PRESENT: es_pace = 3;
/// nothing: a frame starts at once
pub const ES_PACE_UNCAPPED: es_pace = 4;

/// How long the step of a tick is.
pub type es_step_kind = c_int;
/// 0, 1 or more updates of one period per frame, as content needs
pub const ES_STEP_FIXED: es_step_kind = 0;
/// one update per frame, of the frame time; with auto of the time between the refreshes that show the frames. No exact replay
pub const ES_STEP_VARIABLE: es_step_kind = 1;
/// one update of one period per frame, however long the frame took
pub const ES_STEP_LOCKSTEP: es_step_kind = 2;

/// What happens to simulated time that the machine cannot keep up with.
pub type es_catch_up = c_int;
/// ticks over the bound do not run; their time is lost at once
pub const ES_CATCH_UP_DROP: es_catch_up = 0;
/// slow motion: content runs evenly slower, as far as the machine needs. After 1 s without a shortage it recovers by 1/104 per frame
pub const ES_CATCH_UP_SLOW: es_catch_up = 1;
/// content runs up to 1/4 faster until the debt is made up. Debt over catch_up_max_ns is dropped
pub const ES_CATCH_UP_SPREAD: es_catch_up = 2;
/// longer steps, up to four periods; the rest is dropped. No exact replay
pub const ES_CATCH_UP_STRETCH: es_catch_up = 3;
/// a frame moves the world by at most 5/4 of interval_ns, however long the frame took. The bound still holds
pub const ES_CATCH_UP_WAIT: es_catch_up = 4;

/// Whether a frame is shown for several refreshes, evenly, where the work does not fit one.
pub type es_hold = c_int;
/// only on a known fixed refresh, after a second of work that did not fit
pub const ES_HOLD_AUTO: es_hold = 0;
/// frames come as fast as they can, at uneven times where the work needs it
pub const ES_HOLD_NEVER: es_hold = 1;

/// How far ahead frames ask to be seen, where the platform obeys:
pub type es_target_use = c_int;
/// nearly all are kept. Costs at most 2 % of the frame rate, and one refresh of input age
pub const ES_TARGET_BALANCED: es_target_use = 0;
/// as balanced, but costs up to 5 % and two refreshes
pub const ES_TARGET_SMOOTH: es_target_use = 1;
/// no frame waits for its target longer than its work may vary
pub const ES_TARGET_EARLY: es_target_use = 2;

/// How good a platform's screen time is.
pub type es_present_grade = c_int;
/// the time at which the answer arrived
pub const ES_PRESENT_GUESSED: es_present_grade = 0;
/// stamped by a compositor or server
pub const ES_PRESENT_SOFTWARE: es_present_grade = 1;
/// as SOFTWARE, and synchronised to vblank
pub const ES_PRESENT_VSYNC: es_present_grade = 2;
/// stamped by the display hardware
pub const ES_PRESENT_HARDWARE: es_present_grade = 3;

/// How presents behave.
pub type es_display_mode = c_int;
/// not known yet: content follows frame times
pub const ES_DISPLAY_UNKNOWN: es_display_mode = 0;
/// presents wait for refreshes, whose times are known
pub const ES_DISPLAY_BLOCKS: es_display_mode = 1;
/// presents provably never wait: a timer paces the frames
pub const ES_DISPLAY_FREE: es_display_mode = 2;
/// variable refresh: a refresh lasts until the next frame
pub const ES_DISPLAY_VARIABLE: es_display_mode = 3;
/// a host calls once per refresh
pub const ES_DISPLAY_HOST: es_display_mode = 4;

/// What a call returns where its caller must tell errors apart.
pub type es_result = c_int;
pub const ES_OK: es_result = 0;
/// an argument or a configuration field is out of its range
pub const ES_ERR_INVALID: es_result = -1;
/// the call is out of order
pub const ES_ERR_STATE: es_result = -2;
/// the result does not fit the range of the type
pub const ES_ERR_RANGE: es_result = -3;
/// this platform or clock cannot do that
pub const ES_ERR_UNSUPPORTED: es_result = -4;
/// the caller's memory is too small
pub const ES_ERR_SPACE: es_result = -5;
/// the system does not allow it
pub const ES_ERR_REFUSED: es_result = -6;
/// there is no space at the moment
pub const ES_ERR_FULL: es_result = -7;
/// reading or writing failed
pub const ES_ERR_IO: es_result = -8;
/// the bytes are not those that were written
pub const ES_ERR_DAMAGED: es_result = -9;
/// two runs that should be equal differ
pub const ES_ERR_DIFFERS: es_result = -10;

/// What one number of a field is.
pub type es_type = c_int;
/// not set: refused
pub const ES_TYPE_NONE: es_type = 0;
/// float
pub const ES_TYPE_F32: es_type = 1;
/// double
pub const ES_TYPE_F64: es_type = 2;
/// int32_t
pub const ES_TYPE_I32: es_type = 3;
/// uint32_t
pub const ES_TYPE_U32: es_type = 4;
/// int64_t
pub const ES_TYPE_I64: es_type = 5;
/// uint8_t, bool, char
pub const ES_TYPE_U8: es_type = 6;

/// How a field looks between ticks.
pub type es_blend_kind = c_int;
/// not set: refused
pub const ES_BLEND_NONE: es_blend_kind = 0;
/// along the straight line
pub const ES_BLEND_LINEAR: es_blend_kind = 1;
/// radians, the short way round
pub const ES_BLEND_ANGLE: es_blend_kind = 2;
/// wraps at `period`, the short way round: texture offsets, phases, hours
pub const ES_BLEND_CYCLIC: es_blend_kind = 3;
/// a unit quaternion of 4 components in any order, at even angular speed
pub const ES_BLEND_ROTATION: es_blend_kind = 4;
/// linear light: 3 components, or 4 with a straight (not premultiplied) alpha last; F32. Premultiplied linear light is ES_BLEND_LINEAR.
pub const ES_BLEND_COLOUR: es_blend_kind = 5;
/// as COLOUR, encoded as sRGB: F32 from 0 to 1, U8 from 0 to 255; alpha is never encoded
pub const ES_BLEND_SRGB: es_blend_kind = 6;
/// by a constant ratio: scales, zooms, frequencies. Through zero, or to another sign, along the straight line
pub const ES_BLEND_LOG: es_blend_kind = 7;
/// the newer tick's value, the older only at alpha 0: flags, counters, anything discrete; every type
pub const ES_BLEND_STEP: es_blend_kind = 8;
/// the older tick's value below alpha 1/2; every type
pub const ES_BLEND_NEAREST: es_blend_kind = 9;
/// the cubic with the given `velocity` at both ends
pub const ES_BLEND_HERMITE: es_blend_kind = 10;
/// the cubic through four ticks; smooth from pair to pair only with a tick beyond: lead_ticks 1
pub const ES_BLEND_CATMULL_ROM: es_blend_kind = 11;
/// a cubic that never leaves its two ends: through four ticks, or with the given `velocity`, each limited
pub const ES_BLEND_MONOTONE: es_blend_kind = 12;
/// counts an object's jumps: teleport, spawn, reuse of its slot. Where it changed, no field of its group is blended across the change. 1 component, in a group; U8, I32, U32, I64; not delayed. Itself as ES_BLEND_STEP.
pub const ES_BLEND_MARK: es_blend_kind = 13;
/// a column after the other: 4x4 or 3x4, the position last. OpenGL, glm; also rows of matrices that multiply row vectors: Direct3D
pub const ES_BLEND_MATRIX: es_blend_kind = 14;
/// a row after the other: 4x4 or 3x4, the position in every fourth number. raylib, VkTransformMatrixKHR
pub const ES_BLEND_MATRIX_ROWS: es_blend_kind = 15;

/// What a field shows after the newest tick (lead_ticks -1, delay_ticks below 0, or late ticks).
pub type es_predict = c_int;
/// the newest tick
pub const ES_PREDICT_HOLD: es_predict = 0;
/// goes on with the field's `velocity`; without one, as in the last tick
pub const ES_PREDICT_LINEAR: es_predict = 1;
/// goes on with `velocity` and `acceleration`
pub const ES_PREDICT_BALLISTIC: es_predict = 2;

/// How the screen gets from an older tick's prediction to a newer one's.
pub type es_correct = c_int;
/// both predict the shown instant, mixed by how much of the tick (the shorter of the last two) has passed
pub const ES_CORRECT_BLEND: es_correct = 0;
/// the newest prediction; the difference fades evenly in decay_ns
pub const ES_CORRECT_DECAY: es_correct = 1;
/// at once
pub const ES_CORRECT_SNAP: es_correct = 2;

/// What happened.
pub type es_input_kind = c_int;
/// button `code` went down; a repeat while it is down changes nothing
pub const ES_INPUT_PRESS: es_input_kind = 0;
/// button `code` went up
pub const ES_INPUT_RELEASE: es_input_kind = 1;
/// axis `code` moved by `value`: a mouse, a wheel
pub const ES_INPUT_MOVE: es_input_kind = 2;
/// axis `code` is now at `value`: a stick, a pointer
pub const ES_INPUT_PLACE: es_input_kind = 3;
/// everything of the device is up: focus lost, device unplugged
pub const ES_INPUT_RESET: es_input_kind = 4;
/// made by es_input where events were refused: everything is up
pub const ES_INPUT_LOST: es_input_kind = 5;
/// the program's own, for es_input_next; changes no button and no axis
pub const ES_INPUT_OTHER: es_input_kind = 6;

/// How many items run in a slot.
pub type es_slice_method = c_int;
/// in proportion to the ticks passed since begin: the same in every run
pub const ES_SLICE_SHARE: es_slice_method = 0;
/// es_slice_config.count items
pub const ES_SLICE_COUNT: es_slice_method = 1;
/// what fits into the slot's time, by what items have cost so far
pub const ES_SLICE_BUDGET: es_slice_method = 2;

/// In which slots.
pub type es_slice_where = c_int;
/// those of ticks
pub const ES_SLICE_TICKS: es_slice_where = 0;
/// those of frames, in idle time; at ticks only what is due
pub const ES_SLICE_FRAMES: es_slice_where = 1;

/// What happens to a job that would not be done in time.
pub type es_slice_late = c_int;
/// at its tick the rest runs at once, however long that takes
pub const ES_SLICE_FORCE: es_slice_late = 0;
/// a budget never falls behind its even share: in each slot what does not fit runs all the same
pub const ES_SLICE_EVEN: es_slice_late = 1;

/// How readings of a clock err.
pub type es_follow_noise = c_int;
/// a reading may be old, never new: positions that change in blocks, time stamps of callbacks, packets
pub const ES_FOLLOW_LATE: es_follow_noise = 0;
/// both ways, by 0 on average: positions that a driver estimates
pub const ES_FOLLOW_BOTH: es_follow_noise = 1;

/// How finely the state is hashed after each tick.
pub type es_record_hashes = c_int;
/// one hash, and 8 bits or more of each field's: they name the field that differs, but for one of 256
pub const ES_RECORD_HASH_NAMES: es_record_hashes = 0;
/// one hash
pub const ES_RECORD_HASH_WHOLE: es_record_hashes = 1;
/// one hash per field
pub const ES_RECORD_HASH_FIELDS: es_record_hashes = 2;
pub const ES_RECORD_HASH_NONE: es_record_hashes = 3;
/// one hash per group of fields: the default until version 0.2
pub const ES_RECORD_HASH_GROUPS: es_record_hashes = 4;

/// Kinds of records.
pub type es_record_kind = c_int;
/// damage
pub const ES_RECORD_NONE: es_record_kind = 0;
/// the first: `run`
pub const ES_RECORD_RUN: es_record_kind = 1;
/// of the state: `field`
pub const ES_RECORD_FIELD: es_record_kind = 2;
/// field->name, and the text as bytes
pub const ES_RECORD_TAG: es_record_kind = 3;
/// step.index and time_ns; a part of the packed state
pub const ES_RECORD_SNAPSHOT: es_record_kind = 4;
/// before a tick: step; its input, or the first part of it
pub const ES_RECORD_STEP: es_record_kind = 5;
/// step.index; the next part of the input
pub const ES_RECORD_INPUT: es_record_kind = 6;
/// after a tick: step.index; `count` hashes of 8 bytes, the lowest first
pub const ES_RECORD_HASH: es_record_kind = 7;
/// after a frame: `frame`
pub const ES_RECORD_FRAME: es_record_kind = 8;
/// `count` answers of a clock
pub const ES_RECORD_READINGS: es_record_kind = 9;
/// step.index; kind in `count`; bytes
pub const ES_RECORD_EVENT: es_record_kind = 10;
/// ticks that were left out: the first in step.index, `total` of them, and `count` records
pub const ES_RECORD_GAP: es_record_kind = 11;
/// the last: step.index; `end`
pub const ES_RECORD_END: es_record_kind = 12;
/// of a RUN or a FIELD, in case that is damaged
pub const ES_RECORD_COPY: es_record_kind = 128;
/// before a snapshot and the end: where earlier snapshots are
pub const ES_RECORD_INDEX: es_record_kind = 129;

/// What is wrong with a stretch of a recording.
pub type es_damage = c_int;
pub const ES_DAMAGE_NONE: es_damage = 0;
/// the file ends within a record: the writer was killed
pub const ES_DAMAGE_CUT: es_damage = 1;
/// no record begins here, or its head's checksum is wrong
pub const ES_DAMAGE_HEAD: es_damage = 2;
/// a record's second checksum is wrong
pub const ES_DAMAGE_PAYLOAD: es_damage = 3;
/// the records between two sequence numbers are not there
pub const ES_DAMAGE_MISSING: es_damage = 4;
/// an earlier record comes again
pub const ES_DAMAGE_REPEATED: es_damage = 5;
/// the checksums are right, and the content is out of range
pub const ES_DAMAGE_CONTENT: es_damage = 6;
pub const ES_VERSION_MAJOR: i64 = 0;
pub const ES_VERSION_MINOR: i64 = 3;
pub const ES_VERSION_PATCH: i64 = 0;
pub const ES_NS_PER_US: i64 = 1000;
pub const ES_NS_PER_MS: i64 = 1000000;
pub const ES_NS_PER_S: i64 = 1000000000;
pub const ES_UNKNOWN_NS: i64 = -1;
pub const ES_LOOP_BYTES: i64 = 24576;
pub const ES_VIEW_TICKS: i64 = 4;
pub const ES_RECORD_FORMAT: i64 = 2;
pub const ES_RECORD_SIZE_MAX: i64 = 65536;
pub const ES_RECORD_FIELDS_MAX: i64 = 4096;
pub const ES_RECORD_TAGS_MAX: i64 = 256;

/// Describes a tick, which simulates from time_ns - dt_ns to time_ns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_step {
    /// the tick that this update makes: 1, 2, 3, ...
    pub index: i64,
    /// simulated time at its end: floor(index * period), counted from the last change of the tick rate. Exact
    pub time_ns: i64,
    /// the period in seconds, the same for every tick: for physics
    pub dt_s: f64,
    /// time_ns less that of the tick before; varies by 1 ns: for game clocks
    pub dt_ns: i64,
    /// 0 for the first tick of a frame, then 1, 2, ...
    pub in_frame: i32,
    /// when content reaches this tick, on the loop's clock, without delay_ticks. Input with stamps up to due_ns belongs to this tick
    pub due_ns: i64,
    /// when the loop returned the step, or its frame; a host's frame: its start
    pub begun_ns: i64,
}

/// The gaps since the frame before.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_gap {
    /// of the longest gap; ES_GAP_NONE: there was none
    pub kind: es_gap_kind,
    /// how long they lasted in all; at least 0
    pub duration_ns: i64,
    /// time that was taken out; negative where the clock stepped back. 0 for a suspend during which the clock stood still (CLOCK_MONOTONIC on Linux)
    pub removed_ns: i64,
}

/// Where time went since the first frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_account {
    /// lost at once: over catch_up_max_ns, or left unrun
    pub dropped_ns: i64,
    /// taken out as gaps; signed
    pub gaps_ns: i64,
    /// by how much pause, speed, es_loop_resync and slow motion put content behind real time; signed
    pub slowed_ns: i64,
    /// the part of slowed_ns from slow motion, lockstep and speed_change_max; signed
    pub slow_motion_ns: i64,
    /// of this frame, signed. Positive: content is late, because of debt or because ticks are missing. Negative: it must not go back
    pub clamped_ns: i64,
    /// delay_ticks, in force for this frame
    pub delay_ns: i64,
    /// lasting offset of content to the screen, signed: the first frames, another source of screen times, content over 250 ms ahead, a window that was hidden, ticks that went on in a gap (threads.h)
    pub reanchored_ns: i64,
    /// by seeks, single steps and changes of the delay; signed
    pub seeked_ns: i64,
    /// by how much steps were longer than their period; not in the sum
    pub stretched_ns: i64,
    pub frame_dropped_ns: i64,
    pub frame_slow_motion_ns: i64,
    pub frame_stretched_ns: i64,
    /// still to be made up (ES_CATCH_UP_SPREAD)
    pub debt_ns: i64,
    /// how far content is behind present_ns without what is lasting, as after a missed refresh; signed. What exceeds 1.5 frames is recovered. In clamped_ns
    pub offset_ns: i64,
}

/// One frame:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_frame {
    /// the number of updates to run ...
    pub ticks: i32,
    /// ... seconds of each: the period; a variable or stretched step if there is
    pub tick_s: f64,
    /// ... then draw: 0 shows the previous tick, 1 the current one. In (0, 1]; with alpha_below_one in [0, 1)
    pub alpha: f64,
    /// false: es_loop_set_visible said so. Run the ticks, skip drawing
    pub visible: bool,
    /// a host called more often than interval_ns allows: skip this call. All else is as in the frame before, without ticks
    pub surplus: bool,
    /// 0, 1, 2, ...
    pub index: i64,
    /// S: drawing is to begin
    pub start_ns: i64,
    /// D: the frame is expected to be seen; S where that is not known
    pub present_ns: i64,
    /// C: the simulated instant that it shows; goes back only by a seek
    pub content_ns: i64,
    /// intended distance from the frame before; 0: not known
    pub interval_ns: i64,
    /// drawing begins this much after S, without gaps; at least 0
    pub late_ns: i64,
    /// at this time, on the loop's clock; 0: as soon as possible
    pub target_ns: i64,
    /// the swap interval: refreshes after the frame before; from 1
    pub target_refreshes: i32,
    pub previous_tick: i64,
    pub current_tick: i64,
    /// their simulated times
    pub previous_ns: i64,
    pub current_ns: i64,
    /// the last tick run: current_tick, or later with a positive lead
    pub newest_tick: i64,
    /// its simulated time
    pub newest_ns: i64,
    /// how far C lies past the newest tick, for extrapolation; else 0
    pub ahead_ns: i64,
    pub gap: es_gap,
    pub account: es_account,
    /// es_loop_next or es_loop_begin returned; a host's frame: its start
    pub begun_ns: i64,
    /// private: es_frame_step reads it
    pub steps: [i64; 6],
}

/// One complete frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_report {
    pub frame: es_frame,
    /// drawing began. Without es_loop_wait: es_loop_next returned
    pub ready_ns: i64,
    /// drawing ended
    pub submit_ns: i64,
    /// when it was seen, as well as is known
    pub shown_ns: i64,
    /// how shown_ns is known
    pub source: es_shown_source,
    /// spent on this frame's ticks; 0 in the first form without es_loop_wait
    pub update_work_ns: i64,
    /// from es_loop_wait (or es_loop_next: then with the ticks) to es_loop_submit. Blocking in present is not work
    pub render_work_ns: i64,
    /// changes after each gap: only frames of one series can be compared
    pub series: i32,
    /// present returned (es_loop_end); 0: not known
    pub returned_ns: i64,
}

/// Events per second, exact:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_rate {
    /// 1 to 1 000 000 000
    pub numerator: u32,
    /// from 1. 0 is refused: in C `.tick_rate = 59.94` stores {59, 0}
    pub denominator: u32,
}

/// A source of time other than the system's clock:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_clock {
    /// required; from any origin
    pub now_ns: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    /// NULL: only es_loop_next_at works
    pub wait_until: Option<unsafe extern "C" fn(*mut c_void, i64)>,
    /// time the machine has slept; NULL: not known
    pub suspended_ns: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    /// CPU time of the calling thread; NULL: not known
    pub thread_cpu_ns: Option<unsafe extern "C" fn(*mut c_void) -> i64>,
    /// passed to each function
    pub user: *mut c_void,
    /// for people: which clock, how it waits; static, or NULL
    pub description: *const c_char,
    /// thread_cpu_ns advances every few ms only
    pub thread_cpu_is_coarse: bool,
}

/// How a loop behaves.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_loop_config {
    /// updates per second; default 60, up to 1 000 000. With variable steps: the length of a single step while paused
    pub tick_rate: es_rate,
    /// auto, present: the refresh rate that the system announces, from 1 Hz; a hint, default: not announced
    pub refresh: es_rate,
    /// how long the step of a tick is
    pub step: es_step_kind,
    /// what sets the pace of frames
    pub pace: es_pace,
    /// fixed steps: any; variable: drop or wait; lockstep: 0
    pub catch_up: es_catch_up,
    /// most simulated time per frame; the rest goes to catch_up. Default: 250 ms or interval_max_ns, the larger; 1 s with spread; in whole ticks, at least one. fixed
    pub catch_up_max_ns: i64,
    /// most ticks per frame, up to 1 000 000. Default: enough for catch_up_max_ns and lead_ticks. Where frames cannot keep up and ticks cost over half of what they simulate, frames have fewer: they take about 100 ms (or interval_max_ns, if longer); in the stepped form only by default. fixed
    pub ticks_max: i32,
    /// content stays this far behind D, in ticks, 0 to 8; default 0. 1 is the classic accumulator. fixed
    pub delay_ticks: f64,
    /// ticks that run beyond the two around content_ns, -1 to 4; default 0. docs/guide.md, "Settings". fixed
    pub lead_ticks: i32,
    /// false: 0 < alpha <= 1. True: 0 <= alpha < 1, so that every tick that is due has run, as in an accumulator. fixed
    pub alpha_below_one: bool,
    /// auto: es_loop_next waits until just in time for the refresh. Input is younger; a frame that takes longer repeats a refresh
    pub low_latency: bool,
    /// low_latency: share of refreshes that may repeat, 0.0001 to 0.5; default 0.002
    pub missed_max: f64,
    /// auto, fixed; for games that cannot blend. Where the refresh rate is within this share of n times the tick rate, each tick is shown for n refreshes, and the game's speed changes by es_display.speed_change. On a variable refresh that is reported each tick is shown for one frame at its exact time; below 48 ticks per second for several. Up to 0.5; default 0: never. 0.05 is usual
    pub speed_change_max: f64,
    /// auto: whether frames are held where the work does not fit
    pub hold: es_hold,
    /// auto: how far ahead frames ask to be seen
    pub targets: es_target_use,
    /// a frame cap: least distance of frames, 10 us to 10 s. Where refreshes are known, auto shows a frame for whole ones, rounded up; a cap at most 5 % below the refresh rate means every refresh. See es_display.frames_per_s. Default: ES_STEP_LOCKSTEP: one tick period. ES_PACE_UNCAPPED, ES_PACE_PRESENT: none. ES_PACE_AUTO: every refresh; if presents do not block, the known refresh, else 1/60 s. Otherwise: 1/60 s
    pub interval_ns: i64,
    /// auto, adaptive: shrinks to this. Default interval_ns
    pub interval_min_ns: i64,
    /// auto, adaptive: the interval may grow to this, up to 10 s. Longer work is a stall and changes no interval. Default: 50 ms or interval_ns, the larger. With the policies slow and wait, a lasting overload can raise the interval above this default. Set it equal to interval_ns to keep the frame interval constant
    pub interval_max_ns: i64,
    /// a longer time between two calls is a gap, not a frame; more than interval_max_ns; default: 1 s or twice interval_max_ns, the larger. A shorter pause counts as a slow frame. Exception: the OS reports at least 50 ms of suspend, or the refresh count (MSC) shows a clock jump
    pub gap_ns: i64,
    /// variable: the shortest plausible step; default 1 ns
    pub step_min_ns: i64,
    /// variable: the longest plausible step, up to 1 h; default 1 s
    pub step_max_ns: i64,
    /// variable: replaces an implausible step; the rest is dropped; default 1 ms
    pub step_absurd_ns: i64,
    /// default: the system's
    pub clock: es_clock,
}

/// What a platform reports about one frame, on the loop's clock:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_present {
    /// es_frame.index
    pub frame: i64,
    /// when it was seen; not read if discarded
    pub shown_ns: i64,
    /// when the adapter received it, by its own reading of the clock
    pub reported_ns: i64,
    /// the announced refresh period, the shortest if variable; 0: not known
    pub refresh_ns: i64,
    /// the display's count of refreshes; 0: none
    pub sequence: u64,
    pub grade: es_present_grade,
    /// it was never shown
    pub discarded: bool,
    /// variable refresh rate (VRR): a refresh lasts until the next frame flips, but at least refresh_ns (0.5 ms if refresh_ns is 0)
    pub variable: bool,
}

/// What a platform does with the targets of a frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_targets {
    /// a frame is seen at target_ns, or when it is ready after that
    pub times: bool,
    /// a frame is seen target_refreshes after the frame before, or later
    pub refreshes: bool,
    /// a frame must be ready this long before it can be seen; 0 to 1 s
    pub deadline_ns: i64,
    /// a target is at most this far from now; 0: no limit
    pub ahead_ns: i64,
}

/// What is known of the display.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_display {
    pub mode: es_display_mode,
    /// of the refresh; 0: not known
    pub period_ns: f64,
    /// frames from submit to the screen, that one included, 1 to 5: a queue of up to 4, and one that waits for it; 0: not known
    pub queue: i32,
    /// samples arrive and are used
    pub feedback: bool,
    /// refreshes that repeated a frame against the plan
    pub missed: i64,
    /// that interval_ns and what is known of the display allow; 0: not known
    pub frames_per_s: f64,
    /// frames have a target_ns, and the platform keeps it
    pub targets: bool,
    /// by speed_change_max: -0.04 where 62.5 ticks per second are shown at 60 Hz; in lockstep as measured, also in slow motion; 0: none
    pub speed_change: f64,
}

/// What a jump is, in a group of objects.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_jumps {
    /// a way over `ratio` times the usual one is a jump; a lower ratio finds more jumps, also false ones (docs/notes/cuts.md). 0 or less, NaN: 5; 4 if next_way is known
    pub ratio: f64,
    /// a shorter way is none, not even of an object that begins to move; NaN: 0
    pub shortest: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_pose2 {
    pub x: f64,
    pub y: f64,
    /// radians
    pub angle: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_pose3 {
    pub position: [f64; 3],
    /// a unit quaternion, components in any order
    pub rotation: [f32; 4],
}

/// Where an object was and is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_track1 {
    /// a longer way within one tick is a teleport: not blended. 0: all are blended
    pub snap: f64,
    pub previous: f64,
    pub current: f64,
    /// after that of current; 0: nowhere yet
    pub next_tick: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_track2 {
    /// of the position alone
    pub snap: f64,
    pub previous: es_pose2,
    pub current: es_pose2,
    pub next_tick: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_track3 {
    pub snap: f64,
    pub previous: es_pose3,
    pub current: es_pose3,
    pub next_tick: i64,
}

/// How far and how a field is predicted.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_prediction {
    pub kind: es_predict,
    pub correct: es_correct,
    /// predicted in full this far past the newest tick; 0: 250 ms
    pub max_ns: i64,
    /// then slowing evenly to rest, for this long; 0: at rest at once
    pub ramp_ns: i64,
    /// ES_CORRECT_DECAY: how long a correction fades, at most as long as its ticks are kept: decay / period + 1 of them, one more without a velocity. 0: 100 ms. Rotations: as ES_CORRECT_BLEND.
    pub decay_ns: i64,
}

/// One field:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_field {
    /// unique in the layout, not empty
    pub name: *const c_char,
    /// of each number
    pub r#type: es_type,
    /// how it is blended
    pub blend: es_blend_kind,
    /// elements: objects that have this field; at least 1
    pub count: usize,
    /// numbers per element: 3 for a position; 0 counts as 1
    pub components: usize,
    /// bytes from the start of the state to the first element
    pub offset: usize,
    /// bytes from one element to the next
    pub stride: usize,
    /// bytes from one component to the next; 0: they are adjacent
    pub component_stride: usize,
    /// above 0: element i of each field of this group is object i; all have the same count, and at most one is a mark
    pub group: i32,
    /// ES_BLEND_CYCLIC: the length of a turn; above 0 and finite, as a number of the field's type. Other kinds: 0
    pub period: f64,
    /// shown this much later than the rest of the frame, -8 to 8; below 0: earlier, which past the newest tick is predicted
    pub delay_ticks: f64,
    /// the field with its change per second: as many numbers of the same type; NULL: none. ES_BLEND_HERMITE needs it
    pub velocity: *const c_char,
    /// the field with its velocity's change per second: likewise, and only with a velocity; NULL: none
    pub acceleration: *const c_char,
    /// the field with the simulated time, in ns, of each object's next contact: one I64 per element. The prediction ends there. A time not after its own tick's means none. NULL: none
    pub contact: *const c_char,
    /// NULL: hold. No rotation is ballistic
    pub prediction: *const es_prediction,
}

/// A state's fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_layout {
    /// field_count of them
    pub fields: *const es_field,
    /// at least 1
    pub field_count: usize,
    /// bytes of one state
    pub state_size: usize,
}

/// A state of the simulation, and its time.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_blend_tick {
    /// layout->state_size bytes, aligned for its fields
    pub state: *const c_void,
    /// simulated time
    pub time_ns: i64,
}

/// One event.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_input_event {
    /// when it happened; ES_UNKNOWN_NS: the next tick gets it
    pub stamp_ns: i64,
    /// the program's own; returned unchanged
    pub user: u64,
    /// of MOVE and PLACE; whole numbers up to 2^53 add up exactly
    pub value: f64,
    /// the program's number for it; ES_INPUT_ALL only with RESET
    pub device: u16,
    /// the program's number for the button or the axis
    pub code: u16,
    pub kind: es_input_kind,
    /// set by es_input_next: the tick's es_step.due_ns less stamp_ns, at least 0: below the ticks' period if the tick is the event's own, else the tick had run already. 0 without a stamp or a tick. es_input_push ignores it
    pub delay_ns: i64,
}

/// The clock that stamps events, for es_input_stamp.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_input_stamps {
    /// nanoseconds per count, up to 1 s; 0: 1
    pub unit_ns: i64,
    /// stamps are rounded down to multiples of this, up to 1 s; 0: unit_ns
    pub resolution_ns: i64,
    /// stamps wrap after this many bits, 16 to 64; 0: 64
    pub bits: i32,
    /// not the loop's clock: the offset is estimated from when events are received
    pub other: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_input_config {
    /// codes from 0, up to 65 535; others are ignored. 0: 512
    pub buttons: i32,
    /// the same of axes. 0: 8
    pub axes: i32,
    /// that can wait, up to 65 535. 0: 4096. A mouse at 8 kHz: 4000 in 250 ms
    pub events: i32,
    /// events whose delays es_input_status tells, up to 65 535. 0: none
    pub measured: i32,
    /// bit n: RESET and LOST move axis n to 0 (a stick)
    pub rests: u64,
    pub stamps: es_input_stamps,
}

/// Delays of many events.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_input_delay {
    pub mean_ms: f64,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub max_ms: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_input_status {
    /// events refused because too many waited, since es_input_create
    pub lost: i64,
    /// events measured ...
    pub events: i64,
    /// ... of these, the tick of their time had run already
    pub missed: i64,
    /// how many; 0: the delays are 0
    pub shown: i64,
    /// to when the tick ran
    pub to_tick: es_input_delay,
    /// to the first frame with a part of the tick
    pub to_shows: es_input_delay,
    /// to the first frame with all of the tick
    pub to_shown: es_input_delay,
}

/// How something follows a target.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_spring {
    /// from rest, half of the way to a target at rest takes this time, or less if it swings; up to 1e9. 0 or less, NaN: at once
    pub half_life_s: f64,
    /// 0, or 1 and more: critical, it does not swing. From 0.05 on: it swings 0.267 sqrt(1 - damping^2) / half_life_s times per second
    pub damping: f64,
    /// share of the target's velocity that it knows, 0 to 1. 0: it lags by 1.19 half_life_s, times damping unless 0. 1: no lag at constant velocity; it overshoots at turns
    pub follow: f64,
}

/// Private:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_camera_state {
    pub position: [f64; 3],
    pub velocity: [f64; 3],
    pub target: [f64; 3],
    pub aim: [f64; 3],
    pub time_s: f64,
}

/// A camera in the plane, where the third numbers are 0, or in space.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_camera {
    pub spring: es_spring,
    /// looks to where the target's velocity leads in this time
    pub ahead_s: [f64; 3],
    /// the target may be this far from the middle without moving it
    pub zone: [f64; 3],
    /// half of the size of what it shows, which stays ...
    pub half_view: [f64; 3],
    /// ... between these, but for shakes. Too close: it is centred
    pub least: [f64; 3],
    /// not over least: no bounds along this axis
    pub most: [f64; 3],
    /// a shake loses half its strength in this time; 0: 0.15
    pub shake_half_life_s: f64,
    /// how often it goes to and fro per second; 0: 12
    pub shake_hz: f64,
    /// the same seed and times: the same shakes
    pub shake_seed: u32,
    /// at a tick, and at the one before
    pub now: es_camera_state,
    /// at a tick, and at the one before
    pub before: es_camera_state,
    /// between both
    pub dt_s: f64,
    /// after that of now; 0: nowhere yet
    pub next_tick: i64,
    /// its strength at a time
    pub shake: f64,
    /// its strength at a time
    pub shaken_s: f64,
}

/// What ticks together.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_rate_group {
    /// base ticks from one of its ticks to the next, up to 1 000 000; 0: a rate of its own
    pub period: i32,
    /// the base tick of its tick 0, the initial state: 0 to period - 1; 0 with a rate of its own
    pub phase: i32,
    /// with period 0, up to 1 000 000 per second; else {0, 0}
    pub rate: es_rate,
    /// its ticks that have run beyond those that a frame blends: -1 to 6; 1 for splines
    pub lead_ticks: i32,
    /// its ticks by which its content is behind: 0 to 8
    pub delay_ticks: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_rates_config {
    /// copied; of one base tick they run in this order
    pub groups: *const es_rate_group,
    /// 1 to 256
    pub count: i32,
    /// the loop's tick rate, up to 1 000 000 per second
    pub base: es_rate,
}

/// A group's tick to run now.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_rates_run {
    /// index
    pub group: i32,
    /// index, time_ns, dt_ns and dt_s are the group's; in_frame counts its ticks of this base tick
    pub step: es_step,
    /// private
    pub base_tick: i64,
}

/// {0}:
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_slice_config {
    pub method: es_slice_method,
    pub r#where: es_slice_where,
    pub late: es_slice_late,
    /// by count: items in each slot, 1 to 1 000 000 000; else 0
    pub count: i32,
}

/// One long update.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_slice_job {
    /// the newest tick when it begins
    pub begin_tick: i64,
    /// its last slot; after begin_tick, by up to 1 000 000 000
    pub due_tick: i64,
    /// 1 to 1 000 000 000; a guess if open
    pub items: i32,
    /// of unknown length: es_slices_finish ends it
    pub open: bool,
}

/// Items to run now.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_slice_grant {
    /// index
    pub slice: i32,
    /// the first item, counted from 0 in each job
    pub first: i32,
    /// how many; ES_SLICE_ALL: until it is finished
    pub items: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_slice_status {
    /// the last job is done, and none has begun since
    pub done: bool,
    /// items beyond what the method allows, because they were due; in total
    pub forced: i64,
    /// jobs not done at their tick, because es_slices_next was not called until it returned false; in total
    pub missed: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_server_config {
    /// 1 to 1 000 000
    pub loops_max: i32,
    /// a wait may end this much after a tick is due, so that ticks share a wake-up and the thread seldom spins: up to 1 s; default 100 us; 1: as exact as es_wait_until. With a clock of the program a wait ends when it is due
    pub slack_ns: i64,
    /// as es_loop_config.gap_ns; default 1 s
    pub gap_ns: i64,
    /// default: the system's. Without wait_until nothing waits
    pub clock: es_clock,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_server_loop {
    /// default 60, up to 1 000 000 per second
    pub tick_rate: es_rate,
    /// ticks that are later do not run; whole periods of time are lost. Default 250 ms; 1: no tick runs when the one after it is due
    pub catch_up_max_ns: i64,
    /// for es_server_tick.user
    pub user: *mut c_void,
}

/// A tick to run now.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_server_tick {
    /// what es_server_add returned
    pub r#loop: i32,
    /// the loop's
    pub user: *mut c_void,
    /// in_frame is 0
    pub step: es_step,
    /// it begins this much after step.due_ns, without gaps
    pub late_ns: i64,
    /// ticks of this loop that were not run, since the one before
    pub dropped: i64,
    /// of the server, since its last tick
    pub gap: es_gap,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_server_status {
    pub tick_rate: es_rate,
    pub paused: bool,
    /// the newest
    pub tick: i64,
    /// its es_step.time_ns
    pub time_ns: i64,
    /// ticks that were not run, in total
    pub dropped: i64,
    /// how late its ticks began: in total, and the latest
    pub late_ns: i64,
    /// how late its ticks began: in total, and the latest
    pub late_max_ns: i64,
    /// from the return of es_server_next to its next call: in total, and the longest tick. Gaps do not count
    pub busy_ns: i64,
    /// from the return of es_server_next to its next call: in total, and the longest tick. Gaps do not count
    pub busy_max_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_follower_config {
    pub noise: es_follow_noise,
    /// by which share both clocks may differ; 0 to 0.1; 0: 0.001
    pub rate_error_max: f64,
    /// of content; 0 to 0.5; 0: 0.01
    pub speed_change_max: f64,
    /// 0: 20 ms
    pub jump_ns: i64,
    pub tape: Option<unsafe extern "C" fn(*mut c_void, i64) -> i64>,
    pub tape_user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_follower_status {
    /// since the start
    pub readings: i64,
    /// how often the line began anew, as readings contradicted it for 0.75 s, were newer by 20 ms, or came from before for eight times
    pub restarts: i64,
    /// of the other clock, by es_now_ns; 1 before it is known
    pub rate: f64,
    /// the median error of the best reading of each 0.25 s
    pub error_ns: i64,
    /// how far content was behind the other clock in the frame before; signed
    pub behind_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_snapshots_config {
    /// bytes, from 1
    pub state_size: usize,
    /// of the server's snapshots
    pub tick_rate: es_rate,
    /// ticks that may be missing without a prediction: 0 to 8. -1: none; 0: 1
    pub spare: i32,
    /// a fixed delay instead of the measured one, up to 60 ticks; 0: measured
    pub delay_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_snapshots_status {
    /// snapshots
    pub received: i64,
    /// snapshots
    pub dropped: i64,
    /// frames, and those that show a time after the newest snapshot
    pub frames: i64,
    /// frames, and those that show a time after the newest snapshot
    pub predicted: i64,
    /// of the snapshots; -1: none
    pub newest_tick: i64,
    /// 99 % of snapshots arrive at most this much after the fastest
    pub jitter_ns: i64,
    /// how far frames are behind the server when they begin, as the fastest packets show it
    pub delay_ns: i64,
    /// the server's time that the last frame showed
    pub content_ns: i64,
    /// of that time at the last frame: 1, or up to 5 % off
    pub speed: f64,
}

/// 0 is the default of every field but state_size.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_threads_config {
    /// bytes of one state, at least 1
    pub state_size: usize,
    /// of the loop's newest tick; copied. Default: zeros
    pub state: *const c_void,
    pub update: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *const es_step)>,
    /// passed to each function
    pub user: *mut c_void,
    /// ticks begin 1 or 2 (default 1) before a frame can need them
    pub lead_ticks: i32,
    /// how far content may pass the newest tick where the next one is late, in simulated time, up to 1 s; default 0: it stands
    pub ahead_max_ns: i64,
    /// ticks stop where no frame has begun for gap_ns of the loop's configuration. Default: they go on
    pub stop_without_frames: bool,
}

/// The states that a frame shows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_view {
    /// the pair of es_frame.alpha: one state where there is nothing to blend,
    pub previous: *const c_void,
    /// as after a seek
    pub current: *const c_void,
    /// the tick after content has not run: content stands this far behind where it should be
    pub late_ns: i64,
    /// of ticks, for splines, the newest first
    pub count: i32,
    /// beyond count the oldest again
    pub states: [*const c_void; 4],
    /// simulated times, as es_frame.current_ns
    pub times_ns: [i64; 4],
}

/// Where bytes go and come from, in place of a file.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_stream {
    /// passed to both functions
    pub user: *mut c_void,
    pub write: Option<unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> es_result>,
    pub read: Option<unsafe extern "C" fn(*mut c_void, u64, *mut c_void, usize, *mut usize) -> es_result>,
}

/// {0} except for layout or state_size is a sensible recording.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_record_config {
    /// the fields that are hashed and saved
    pub layout: *const es_layout,
    /// without a layout: the state's bytes, all of which are hashed and saved. Other machines and compilers cannot play them
    pub state_size: usize,
    /// used if the path is NULL
    pub stream: es_stream,
    /// of the run; {0, 0}: steps vary
    pub tick_rate: es_rate,
    /// of the run's random numbers; es_replay_item.run has it
    pub seed: u64,
    /// name, text, name, text, ..., NULL: what the run is. May be NULL
    pub tags: *mut *const c_char,
    /// the tick of the initial state; recorded steps follow it
    pub start_tick: i64,
    pub hashes: es_record_hashes,
    /// ticks from one hash to the next; 0: 1
    pub hash_every: i32,
    /// ticks from one saved state to the next. 0: 60 to 3600, so that states take a fifth of the file. Below 0: only the first, and after ticks that were left out
    pub snapshot_every: i32,
}

/// How a recording goes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_record_status {
    /// ES_OK, or why it ended early: es_get_error has the details
    pub result: es_result,
    /// written
    pub bytes: u64,
    pub steps: u64,
    pub frames: u64,
    /// left out, because the stream or the queue was full
    pub ticks_lost: u64,
}

/// How a replay goes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_replay_status {
    pub result: es_result,
    /// of the state
    pub tick: i64,
    /// of the recording, as far as it can be read
    pub last_tick: i64,
    /// after damage: that of the next saved state, for es_replay_seek; INT64_MAX: none
    pub resume_tick: i64,
    /// ticks since es_replay_open or es_replay_seek. Others have no hash and no saved state, or a damaged one
    pub compared: u64,
    /// the recording was ended, not cut off
    pub ended: bool,
    pub same_arithmetic: bool,
    pub same_library: bool,
    /// readings of es_replay_clock of another kind than recorded. Above 0: the program does not do what it did
    pub strays: u64,
}

/// What differs first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_difference {
    /// the first that differs. Drawing: the frame
    pub tick: i64,
    /// that differs at this tick; NULL: not known
    pub field: *const c_char,
    /// if field is NULL and hashes are per group: the field's; else -1
    pub group: i32,
    /// the tick of the values: `tick` or the next one with a saved state
    pub value_tick: i64,
    /// NULL: no values are known yet
    pub value_field: *const c_char,
    pub object: usize,
    pub component: usize,
    /// of this run, and recorded. Sync test: first and second run. Drawing: before and after
    pub values: [f64; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_synctest_config {
    pub layout: *const es_layout,
    /// ticks from one test to the next; 0: 60
    pub every: i32,
    /// that a test runs twice; 0: 2. At most 64 and every
    pub ticks: i32,
    /// bytes of a tick's input; 0: 256. A larger one skips the test
    pub input_max: usize,
    /// passed to the functions
    pub user: *mut c_void,
    pub update: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *const es_step, *const c_void, usize) -> c_int>,
    pub loaded: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, i64)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_replay_run {
    /// tick_rate, seed, hashes, hash_every and snapshot_every
    pub config: es_record_config,
    /// of the library that wrote it
    pub version: [u32; 3],
    /// of the state
    pub packed_size: u64,
    /// records that follow
    pub field_count: u32,
    /// per tick
    pub hash_count: u32,
    /// what that machine computed: arithmetic, C library
    pub self_test: [u64; 2],
}

/// One record, or one stretch of damage.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_replay_item {
    pub kind: es_record_kind,
    pub damage: es_damage,
    /// in the file
    pub offset: u64,
    /// in the file
    pub length: u64,
    /// its number. Damage: that of the first missing record
    pub sequence: u32,
    pub step: es_step,
    /// of a state or an input: `bytes` begin at byte `part` of `total`
    pub part: u64,
    /// of a state or an input: `bytes` begin at byte `part` of `total`
    pub total: u64,
    pub bytes: *const u8,
    pub size: usize,
    /// damage: how many numbers are missing; 0 at the end, where it is unknown
    pub count: u64,
    /// name, type, group, count, components
    pub field: *const es_field,
    pub run: *const es_replay_run,
    pub frame: *const es_report,
    pub end: *const es_record_status,
}

/// One displayed frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_meter_sample {
    /// D: measured screen time
    pub shown_ns: i64,
    /// C, with the time that pause, time scale and seeks took put back
    pub content_ns: i64,
    /// only samples of one series are compared: a gap starts a new one
    pub series: i32,
    /// of shown_ns
    pub source: es_shown_source,
}

/// An error's distribution, in ms.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_error_ms {
    /// mean of |e|
    pub mean_abs_ms: f64,
    /// mean of e
    pub bias_ms: f64,
    /// root of the mean of e squared
    pub rms_ms: f64,
    /// of |e|
    pub median_ms: f64,
    /// 99th percentile of |e|
    pub p99_ms: f64,
    /// largest |e|
    pub max_ms: f64,
}

/// All frames so far, and the errors of the samples kept.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct es_smoothness {
    pub frames: i64,
    /// run in all
    pub ticks: i64,
    /// fewest in one frame, without the first frame ...
    pub ticks_min: i32,
    /// ... and most
    pub ticks_max: i32,
    /// time lost
    pub dropped_ns: i64,
    /// how many ...
    pub gaps: i64,
    /// ... and how long they lasted
    pub gaps_ns: i64,
    /// the latest wake-up
    pub late_ns_max: i64,
    /// in all
    pub work_ns: i64,
    /// the most in one frame
    pub work_ns_max: i64,
    /// of the times of the pairs compared; planned: a frame has no other
    pub source: es_shown_source,
    /// pairs of neighbouring frames that were compared
    pub intervals: usize,
    /// mean d
    pub interval_ms: f64,
    /// mean T; where it is not known, the median |d| stands for it
    pub intended_ms: f64,
    /// d - T
    pub interval: es_error_ms,
    /// (C - C before) - (D - D before)
    pub animation: es_error_ms,
    /// screen time less content time over those pairs
    pub lost_ms: f64,
}

extern "C" {
    /// Makes a loop.
    pub fn es_loop_create(config: *const es_loop_config) -> *mut es_loop;
    /// Frees a loop, in any state.
    pub fn es_loop_destroy(r#loop: *mut es_loop);
    /// Ends the last frame, waits if it must, and plans the next.
    pub fn es_loop_next(r#loop: *mut es_loop, frame: *mut es_frame) -> bool;
    /// Drawing is done:
    pub fn es_loop_submit(r#loop: *mut es_loop) -> bool;
    /// Present has returned.
    pub fn es_loop_end(r#loop: *mut es_loop) -> bool;
    /// Why the last call of this thread that failed has failed:
    pub fn es_get_error() -> *const c_char;
    /// The step of tick i of a frame, from 0:
    pub fn es_frame_step(frame: *const es_frame, i: i32) -> es_step;
    /// Optional, between the ticks and drawing:
    pub fn es_loop_wait(r#loop: *mut es_loop, frame: *mut es_frame) -> bool;
    /// es_loop_next where a host calls the program once per frame; nothing waits.
    pub fn es_loop_next_at(r#loop: *mut es_loop, host_ns: i64, expected_present_ns: i64, frame: *mut es_frame) -> bool;
    /// A driver made the program wait for a buffer until now:
    pub fn es_loop_acquired(r#loop: *mut es_loop);
    /// Opens a frame.
    pub fn es_loop_begin(r#loop: *mut es_loop) -> bool;
    /// The next tick of the frame; call it until it returns false.
    pub fn es_loop_tick(r#loop: *mut es_loop, step: *mut es_step) -> bool;
    /// Stops or resumes content; frames go on and show the same instant.
    pub fn es_loop_set_paused(r#loop: *mut es_loop, paused: bool);
    /// While paused:
    pub fn es_loop_tick_once(r#loop: *mut es_loop) -> bool;
    /// The speed of content, 0 to 1000, to the nearest fraction with a denominator up to 1000; 1 is normal.
    pub fn es_loop_set_speed(r#loop: *mut es_loop, speed: f64) -> bool;
    /// The window is hidden, minimised or occluded, from the next frame on.
    pub fn es_loop_set_visible(r#loop: *mut es_loop, visible: bool);
    /// Call this after a level load or a modal dialog:
    pub fn es_loop_resync(r#loop: *mut es_loop) -> bool;
    /// Nothing moves:
    pub fn es_loop_idle(r#loop: *mut es_loop) -> bool;
    /// Goes to a tick, 0 or later, whose state the program has loaded.
    pub fn es_loop_seek(r#loop: *mut es_loop, tick: i64) -> bool;
    /// Reports when one of the last 16 frames was seen, or that it never was.
    pub fn es_loop_presented(r#loop: *mut es_loop, sample: *const es_present);
    /// Says what the platform does with the targets of frames, from the next frame on; NULL:
    pub fn es_loop_set_targets(r#loop: *mut es_loop, targets: *const es_targets) -> bool;
    /// What is known of the display.
    pub fn es_loop_get_display(r#loop: *const es_loop) -> es_display;
    /// The report of the frame that ended last, valid until the next one ends; NULL before the first.
    pub fn es_loop_get_report(r#loop: *const es_loop) -> *const es_report;
    /// NULL:
    pub fn es_loop_problem(r#loop: *const es_loop) -> *const c_char;
    /// Fills text with a line for a window's title or a corner of the screen, and returns it:
    pub fn es_loop_status(r#loop: *const es_loop, text: *mut c_char, size: usize) -> *const c_char;
    /// How long es_loop_next would wait if it were called now; 0:
    pub fn es_loop_idle_ns(r#loop: *const es_loop) -> i64;
    /// Fills config with the settings of a loop:
    pub fn es_loop_preset(name: *const c_char, config: *mut es_loop_config) -> bool;
    /// Replaces all settings of a running loop but the clock:
    pub fn es_loop_configure(r#loop: *mut es_loop, config: *const es_loop_config) -> bool;
    /// The configuration in force:
    pub fn es_loop_get_config(r#loop: *const es_loop) -> es_loop_config;
    /// es_loop_create in the program's memory, ES_LOOP_BYTES, aligned as malloc's:
    pub fn es_loop_create_in(memory: *mut c_void, size: usize, config: *const es_loop_config) -> *mut es_loop;
    /// An exact rate.
    pub fn es_hz(hz: f64) -> es_rate;
    /// The exact time of an event:
    pub fn es_rate_time_ns(rate: es_rate, events: i64) -> i64;
    /// The system's monotonic clock, on which loops run by default; 0 where there is none.
    pub fn es_now_ns() -> i64;
    /// Waits on that clock:
    pub fn es_wait_until(deadline_ns: i64);
    /// The clock of es_now_ns and es_wait_until, to give it to others.
    pub fn es_clock_system(out: *mut es_clock) -> bool;
    /// Gives the calling thread priority over all ordinary threads, so that waits end in time under load; false:
    pub fn es_thread_set_realtime(on: bool) -> bool;
    /// On the straight line; the difference of a and b is finite.
    pub fn es_lerp(a: f64, b: f64, t: f64) -> f64;
    /// On the straight line; the difference of a and b is finite.
    pub fn es_lerpf(a: f32, b: f32, t: f64) -> f32;
    /// The version of the library that is linked, as ES_VERSION.
    pub fn es_version() -> c_int;
    /// Another handler; NULL:
    pub fn es_set_assert_handler(handler: Option<unsafe extern "C" fn(*mut c_void, *const c_char)>, user: *mut c_void);
    /// es_loop_create (memory NULL, size 0) or es_loop_create_in, which refuse what differs from the library:
    pub fn es_loop_create_checked(config: *const es_loop_config, memory: *mut c_void, size: usize, sizes: *const u32) -> *mut es_loop;
    /// Between two angles in radians, the short way round; half a turn goes forward.
    pub fn es_lerp_angle(a: f64, b: f64, t: f64) -> f64;
    /// Between two unit quaternions, the short way at even angular speed.
    pub fn es_lerp_quat(a: *const f32, b: *const f32, t: f64, out: *mut f32);
    /// Zeroed states at tick 0, time 0.
    pub fn es_history_create(state_size: usize, ticks: i32) -> *mut es_history;
    /// Zeroed states at tick 0, time 0.
    pub fn es_history_destroy(history: *mut es_history);
    /// Before each tick:
    pub fn es_history_push(history: *mut es_history, step: *const es_step) -> *mut c_void;
    /// The same without the copy, for programs that write every byte of the state.
    pub fn es_history_next(history: *mut es_history, step: *const es_step) -> *mut c_void;
    /// Forgets the past:
    pub fn es_history_reset(history: *mut es_history, tick: i64, time_ns: i64);
    /// The state of the newest tick, and of the tick before.
    pub fn es_history_current(history: *const es_history) -> *mut c_void;
    /// The state of the newest tick, and of the tick before.
    pub fn es_history_previous(history: *const es_history) -> *mut c_void;
    /// The state of the tick `age` ticks before the newest; NULL:
    pub fn es_history_tick(history: *const es_history, age: i32) -> *mut c_void;
    /// True:
    pub fn es_history_matches(history: *const es_history, frame: *const es_frame) -> bool;
    /// After a spawn or a teleport, in layouts without a mark:
    pub fn es_history_snap(history: *mut es_history, layout: *const es_layout, name: *const c_char, element: usize) -> bool;
    /// Moves an object and its past, which keeps its motion:
    pub fn es_history_shift(history: *mut es_history, layout: *const es_layout, name: *const c_char, element: usize, delta: *const f64, components: usize) -> bool;
    /// A whole state between two ticks, which may be the same state.
    pub fn es_blend(layout: *const es_layout, previous: *const c_void, current: *const c_void, alpha: f64, out: *mut c_void) -> bool;
    /// The state that a frame shows.
    pub fn es_blend_frame(layout: *const es_layout, history: *const es_history, frame: *const es_frame, out: *mut c_void) -> bool;
    /// The same from ticks that lie anywhere, as in es_view.
    pub fn es_blend_ticks(layout: *const es_layout, ticks: *const es_blend_tick, tick_count: usize, content_ns: i64, out: *mut c_void) -> bool;
    /// True:
    pub fn es_layout_validate(layout: *const es_layout) -> bool;
    /// Moves one coordinate under an acceleration that is constant during the step:
    pub fn es_motion_accelerate(position: *mut f64, speed: *mut f64, acceleration: f64, dt_s: f64);
    /// Velocity Verlet:
    pub fn es_motion_verlet_position(position: *mut f64, speed: f64, acceleration: f64, dt_s: f64);
    /// Second half.
    pub fn es_motion_verlet_speed(speed: *mut f64, before: f64, after: f64, dt_s: f64);
    /// True:
    pub fn es_jumped(jumps: *const es_jumps, usual: *mut f32, way: f64, next_way: f64) -> bool;
    /// After the object's update, in the tick of this index (es_step.index):
    pub fn es_track1_set(track: *mut es_track1, tick: i64, value: f64);
    /// After the object's update, in the tick of this index (es_step.index):
    pub fn es_track2_set(track: *mut es_track2, tick: i64, pose: es_pose2);
    /// After the object's update, in the tick of this index (es_step.index):
    pub fn es_track3_set(track: *mut es_track3, tick: i64, pose: es_pose3);
    /// The same for an object that jumped:
    pub fn es_track1_snap(track: *mut es_track1, tick: i64, value: f64);
    /// The same for an object that jumped:
    pub fn es_track2_snap(track: *mut es_track2, tick: i64, pose: es_pose2);
    /// The same for an object that jumped:
    pub fn es_track3_snap(track: *mut es_track3, tick: i64, pose: es_pose3);
    /// Adds delta to an object's current and previous position, which keeps its motion, also beyond snap:
    pub fn es_track1_shift(track: *mut es_track1, delta: f64);
    /// Adds delta to an object's current and previous position, which keeps its motion, also beyond snap:
    pub fn es_track2_shift(track: *mut es_track2, delta: es_pose2);
    /// Adds delta to an object's current and previous position, which keeps its motion, also beyond snap:
    pub fn es_track3_shift(track: *mut es_track3, delta: *const f64);
    /// Where a frame shows the object.
    pub fn es_track1_at(track: *const es_track1, frame: *const es_frame) -> f64;
    /// Where a frame shows the object.
    pub fn es_track1_angle_at(track: *const es_track1, frame: *const es_frame) -> f64;
    /// Where a frame shows the object.
    pub fn es_track2_at(track: *const es_track2, frame: *const es_frame) -> es_pose2;
    /// Where a frame shows the object.
    pub fn es_track3_at(track: *const es_track3, frame: *const es_frame) -> es_pose3;
    /// Between two matrices, as ES_BLEND_MATRIX or ES_BLEND_MATRIX_ROWS (order) has it.
    pub fn es_lerp_matrix(order: es_blend_kind, floats: usize, a: *const f32, b: *const f32, t: f64, out: *mut f32);
    /// Decomposes a matrix:
    pub fn es_matrix_keep(order: es_blend_kind, floats: usize, matrix: *mut f32);
    /// Creates an es_input without events.
    pub fn es_input_create(config: *const es_input_config) -> *mut es_input;
    /// Creates an es_input without events.
    pub fn es_input_destroy(input: *mut es_input);
    /// Adds an event.
    pub fn es_input_push(input: *mut es_input, event: *const es_input_event) -> bool;
    /// Adds a PRESS or a RELEASE of device 0.
    pub fn es_input_button(input: *mut es_input, code: i32, down: bool, stamp_ns: i64) -> bool;
    /// Adds a MOVE of device 0.
    pub fn es_input_move(input: *mut es_input, axis: i32, by: f64, stamp_ns: i64) -> bool;
    /// Converts a stamp of config.stamps to the loop's clock.
    pub fn es_input_stamp(input: *mut es_input, stamp: u64, now_ns: i64) -> i64;
    /// Reports that a frame was seen, in order, to measure delays.
    pub fn es_input_frame(input: *mut es_input, frame: *const es_frame, shown_ns: i64);
    /// Takes a tick's events:
    pub fn es_input_tick(input: *mut es_input, step: *const es_step) -> i32;
    /// Fills event with the tick's next event, in order; false:
    pub fn es_input_next(input: *mut es_input, event: *mut es_input_event) -> bool;
    /// Returns how often the button went down in this tick.
    pub fn es_input_pressed(input: *const es_input, code: i32) -> i32;
    /// Returns how often the button went up in this tick.
    pub fn es_input_released(input: *const es_input, code: i32) -> i32;
    /// Returns whether the button is down at the end of this tick.
    pub fn es_input_held(input: *const es_input, code: i32) -> bool;
    /// Returns where the axis is:
    pub fn es_input_value(input: *const es_input, axis: i32) -> f64;
    /// Returns by how much the axis changed in this tick.
    pub fn es_input_moved(input: *const es_input, axis: i32) -> f64;
    /// Returns the axis as of now, waiting events included:
    pub fn es_input_peek(input: *mut es_input, axis: i32) -> f64;
    /// Returns the axis at an instant, on the straight line between the events around it, also waiting ones.
    pub fn es_input_at(input: *mut es_input, axis: i32, instant_ns: i64, ahead_ns: i64) -> f64;
    /// Returns the newest instant that frames can show evenly by es_input_at:
    pub fn es_input_view_ns(input: *mut es_input, frame: *const es_frame) -> i64;
    /// Writes what is down and has moved as of this tick, for a recording or the network, without ES_INPUT_OTHER.
    pub fn es_input_save(input: *const es_input, bytes: *mut c_void, size: usize) -> usize;
    /// Puts saved bytes in place of this tick's input.
    pub fn es_input_load(input: *mut es_input, bytes: *const c_void, size: usize) -> bool;
    /// Returns counts and delays, in O(n log n) of config.measured.
    pub fn es_input_get_status(input: *mut es_input) -> es_input_status;
    /// One step, while the target goes evenly from `from` to `to`, which are the same at rest.
    pub fn es_spring_follow(spring: *const es_spring, position: *mut f64, velocity: *mut f64, from: *const f64, to: *const f64, count: usize, dt_s: f64);
    /// The same for an angle in radians, the short way round; half a turn goes forward.
    pub fn es_spring_follow_angle(spring: *const es_spring, angle: *mut f64, velocity: *mut f64, from: f64, to: f64, dt_s: f64);
    /// The same for a unit quaternion x, y, z, w, the short way round.
    pub fn es_spring_follow_quat(spring: *const es_spring, rotation: *mut f64, velocity: *mut f64, from: *const f64, to: *const f64, dt_s: f64);
    /// After the update, in the tick of this index (es_step.index):
    pub fn es_camera_follow(camera: *mut es_camera, tick: i64, target: *const f64, dt_s: f64);
    /// The same for a target that jumped:
    pub fn es_camera_cut(camera: *mut es_camera, tick: i64, target: *const f64);
    /// Shakes what is seen by up to this length along each axis, on top of shakes that go on.
    pub fn es_camera_shake(camera: *mut es_camera, strength: f64);
    /// The middle of what a frame shows, at the instant of es_track2_at and es_lerp, on the path of the ticks.
    pub fn es_camera_at(camera: *const es_camera, frame: *const es_frame, position: *mut f64);
    pub fn es_rates_create(config: *const es_rates_config) -> *mut es_rates;
    pub fn es_rates_destroy(rates: *mut es_rates);
    /// Changes the base rate.
    pub fn es_rates_rebase(rates: *mut es_rates, tick: i64, time_ns: i64, rate: es_rate) -> bool;
    /// Fills run with the next tick to run at base_tick (es_step.index), by group and then by tick.
    pub fn es_rates_next(rates: *const es_rates, base_tick: i64, run: *mut es_rates_run) -> bool;
    /// Returns a group's newest tick once base_tick has run; 0 before its first.
    pub fn es_rates_newest(rates: *const es_rates, group: i32, base_tick: i64, time_ns: *mut i64) -> i64;
    /// Fills a frame of one group:
    pub fn es_rates_frame(rates: *const es_rates, group: i32, frame: *const es_frame, out: *mut es_frame) -> bool;
    /// Returns the ticks that a group's history needs for the pair of every frame; 0 for no group.
    pub fn es_rates_history_ticks(rates: *const es_rates, group: i32, lead_ticks: i32) -> i32;
    /// Creates a set of count slices, 1 to 1024, without jobs.
    pub fn es_slices_create(configs: *const es_slice_config, count: i32) -> *mut es_slices;
    /// Creates a set of count slices, 1 to 1024, without jobs.
    pub fn es_slices_destroy(set: *mut es_slices);
    /// Begins a job, which runs from the next slot on.
    pub fn es_slices_begin(set: *mut es_slices, slice: i32, job: *const es_slice_job) -> bool;
    /// Opens the slot of a tick, before its update.
    pub fn es_slices_open_tick(set: *mut es_slices, tick: i64, now_ns: i64, budget_ns: i64);
    /// Opens the slot of a frame, in idle time:
    pub fn es_slices_open_frame(set: *mut es_slices, frame: *const es_frame, now_ns: i64, budget_ns: i64);
    /// Returns true and what to run next in the open slot; false:
    pub fn es_slices_next(set: *mut es_slices, now_ns: i64, grant: *mut es_slice_grant) -> bool;
    /// Ends a job of unknown length, after its last grant was run.
    pub fn es_slices_finish(set: *mut es_slices, slice: i32, items: i32) -> bool;
    /// All 0 for no slice.
    pub fn es_slices_get_status(set: *const es_slices, slice: i32) -> es_slice_status;
    /// Creates a server without loops.
    pub fn es_server_create(config: *const es_server_config) -> *mut es_server;
    /// Creates a server without loops.
    pub fn es_server_destroy(server: *mut es_server);
    /// Adds a loop, whose first tick is due within a period.
    pub fn es_server_add(server: *mut es_server, config: *const es_server_loop) -> i32;
    /// Adds a loop, whose first tick is due within a period.
    pub fn es_server_remove(server: *mut es_server, r#loop: i32) -> bool;
    /// Ends the last tick, waits for the next one, and fills tick.
    pub fn es_server_next(server: *mut es_server, until_ns: i64, tick: *mut es_server_tick) -> bool;
    /// When the next tick is due, on the clock, for programs that wait for sockets; INT64_MAX:
    pub fn es_server_due_ns(server: *const es_server) -> i64;
    /// Stops or resumes a loop.
    pub fn es_server_set_paused(server: *mut es_server, r#loop: i32, paused: bool) -> bool;
    /// Changes the rate of a loop, from its last tick on.
    pub fn es_server_set_rate(server: *mut es_server, r#loop: i32, rate: es_rate) -> bool;
    /// All 0 for no loop.
    pub fn es_server_get_status(server: *const es_server, r#loop: i32) -> es_server_status;
    /// Makes an estimate of another clock, without readings.
    pub fn es_follower_create(config: *const es_follower_config) -> *mut es_follower;
    /// Makes an estimate of another clock, without readings.
    pub fn es_follower_destroy(follower: *mut es_follower);
    /// Adds a reading.
    pub fn es_follower_add(follower: *mut es_follower, other_ns: i64, read_ns: i64) -> bool;
    /// Forgets all readings:
    pub fn es_follower_reset(follower: *mut es_follower);
    /// What the other clock shows at an instant of our time, also in the future.
    pub fn es_follower_at(follower: *mut es_follower, now_ns: i64, other_ns: *mut i64) -> bool;
    /// How good the estimate is, for logs and a corner of the screen.
    pub fn es_follower_get_status(follower: *const es_follower) -> es_follower_status;
    /// Before each es_loop_next or es_loop_next_at:
    pub fn es_loop_follow(r#loop: *mut es_loop, follower: *mut es_follower, offset_ns: i64) -> bool;
    /// How many samples a program with frames of its own makes of one:
    pub fn es_loop_sound_ratio(r#loop: *const es_loop, fill: f64, change_max: f64) -> f64;
    /// Makes room for the last 64 snapshots.
    pub fn es_snapshots_create(config: *const es_snapshots_config) -> *mut es_snapshots;
    /// Makes room for the last 64 snapshots.
    pub fn es_snapshots_destroy(snapshots: *mut es_snapshots);
    /// Copies a state that has arrived.
    pub fn es_snapshots_add(snapshots: *mut es_snapshots, tick: i64, state: *const c_void, now_ns: i64) -> bool;
    /// What a frame shows, blended by the layout.
    pub fn es_snapshots_blend(snapshots: *mut es_snapshots, layout: *const es_layout, frame: *const es_frame, out: *mut c_void) -> bool;
    /// How snapshots arrive, and how far frames are behind the server.
    pub fn es_snapshots_get_status(snapshots: *const es_snapshots) -> es_snapshots_status;
    /// Gives the loop's ticks to a thread, between two frames.
    pub fn es_threads_start(r#loop: *mut es_loop, config: *const es_threads_config) -> *mut es_threads;
    /// The states of the last frame of es_loop_next or es_loop_wait.
    pub fn es_threads_view(threads: *const es_threads, view: *mut es_view) -> bool;
    /// Calls f once between two ticks, on their thread, within a tick and 10 ms:
    pub fn es_threads_call(threads: *mut es_threads, f: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut i64) -> bool>, user: *mut c_void) -> bool;
    /// Ends the thread, after its tick and an es_threads_call.
    pub fn es_threads_stop(threads: *mut es_threads, state: *mut c_void);
    /// When to call es_threads_tick_begin next, on the loop's clock:
    pub fn es_threads_tick_due(threads: *mut es_threads) -> i64;
    /// Begins the next tick.
    pub fn es_threads_tick_begin(threads: *mut es_threads, step: *mut es_step, state: *mut *mut c_void, previous: *mut *const c_void) -> bool;
    /// Publishes the state of the tick that has begun.
    pub fn es_threads_tick_end(threads: *mut es_threads) -> bool;
    /// Starts a recording and saves the initial state.
    pub fn es_record_create(path: *const c_char, config: *const es_record_config, initial_state: *const c_void) -> *mut es_record;
    /// Before a tick's update:
    pub fn es_record_input(record: *mut es_record, step: *const es_step, input: *const c_void, size: usize) -> bool;
    /// After a tick's update:
    pub fn es_record_state(record: *mut es_record, step: *const es_step, state: *const c_void) -> bool;
    /// After a frame:
    pub fn es_record_frame(record: *mut es_record, report: *const es_report) -> bool;
    /// Opens a recording and loads its initial state.
    pub fn es_replay_open(path: *const c_char, config: *const es_record_config, state: *mut c_void) -> *mut es_replay;
    /// The next tick:
    pub fn es_replay_next(replay: *mut es_replay, step: *mut es_step, input: *mut *const c_void, size: *mut usize) -> bool;
    /// After the update:
    pub fn es_replay_check(replay: *mut es_replay, state: *const c_void) -> bool;
    /// Loads the last saved state that is not after this tick; es_replay_status.tick is its tick.
    pub fn es_replay_seek(replay: *mut es_replay, tick: i64, state: *mut c_void) -> bool;
    pub fn es_replay_close(replay: *mut es_replay);
    /// Adds bytes of the program's own to the current tick, for es_replay_next_item.
    pub fn es_record_event(record: *mut es_record, kind: u32, bytes: *const c_void, size: usize) -> bool;
    /// Writes everything so far.
    pub fn es_record_flush(record: *mut es_record) -> bool;
    /// A clock for es_loop_config that answers as `clock` and records the answers.
    pub fn es_record_clock(record: *mut es_record, clock: *const es_clock) -> es_clock;
    /// For es_follower_config.tape, with the recording as tape_user:
    pub fn es_record_value(record: *mut c_void, value: i64) -> i64;
    /// How it goes.
    pub fn es_record_get_status(record: *const es_record) -> es_record_status;
    /// Ends and frees a recording.
    pub fn es_record_destroy(record: *mut es_record) -> es_record_status;
    /// The first difference since es_replay_open or es_replay_seek.
    pub fn es_replay_get_difference(replay: *const es_replay, difference: *mut es_difference) -> bool;
    /// The next recorded frame.
    pub fn es_replay_next_frame(replay: *mut es_replay, report: *mut es_report) -> bool;
    /// A clock for es_loop_config that answers what es_record_clock recorded.
    pub fn es_replay_clock(replay: *mut es_replay, pace: *const es_clock) -> es_clock;
    /// Likewise, with the replay as tape_user.
    pub fn es_replay_value(replay: *mut c_void, value: i64) -> i64;
    pub fn es_replay_get_status(replay: *const es_replay) -> es_replay_status;
    /// Finds state outside the layout:
    pub fn es_synctest_create(config: *const es_synctest_config) -> *mut es_synctest;
    /// Around a tick's update.
    pub fn es_synctest_before(test: *mut es_synctest, state: *const c_void, step: *const es_step, input: *const c_void, size: usize);
    pub fn es_synctest_after(test: *mut es_synctest, state: *mut c_void) -> bool;
    /// Around a frame's drawing.
    pub fn es_synctest_draw_before(test: *mut es_synctest, state: *const c_void);
    /// Around a frame's drawing.
    pub fn es_synctest_draw_after(test: *mut es_synctest, state: *const c_void, frame: i64) -> bool;
    /// The first difference.
    pub fn es_synctest_get_difference(test: *const es_synctest, difference: *mut es_difference) -> bool;
    /// The first difference.
    pub fn es_synctest_destroy(test: *mut es_synctest);
    /// Packs a state:
    pub fn es_state_pack(layout: *const es_layout, state: *const c_void, bytes: *mut c_void, size: usize) -> usize;
    /// The inverse.
    pub fn es_state_unpack(layout: *const es_layout, state: *mut c_void, bytes: *const c_void, size: usize) -> bool;
    /// A hash of the packed state, the same on every machine.
    pub fn es_state_hash(layout: *const es_layout, state: *const c_void) -> u64;
    /// The next record, or the damage before it, from the first on.
    pub fn es_replay_next_item(replay: *mut es_replay, item: *mut es_replay_item) -> bool;
    /// es_replay_next_item goes on with this item, which is no damage; NULL:
    pub fn es_replay_seek_item(replay: *mut es_replay, item: *const es_replay_item);
    /// Damage as half a sentence:
    pub fn es_damage_name(damage: es_damage) -> *const c_char;
    /// Makes a meter that keeps the newest samples, at least 2.
    pub fn es_meter_create(samples: usize) -> *mut es_meter;
    /// Makes a meter that keeps the newest samples, at least 2.
    pub fn es_meter_destroy(meter: *mut es_meter);
    /// Adds one frame; NULL is ignored.
    pub fn es_meter_add(meter: *mut es_meter, report: *const es_report);
    /// Replaces the return of present by the screen time that the platform reports for one of the last 64 frames added; of a discarded frame the sample goes.
    pub fn es_meter_presented(meter: *mut es_meter, sample: *const es_present) -> bool;
    /// Forgets all frames.
    pub fn es_meter_clear(meter: *mut es_meter);
    /// The sample that came `back` samples before the newest one.
    pub fn es_meter_get_sample(meter: *const es_meter, back: usize, sample: *mut es_meter_sample) -> bool;
    /// Computes the figures, in O(n log n) of the samples kept.
    pub fn es_meter_smoothness(meter: *mut es_meter) -> es_smoothness;
    /// Starts a capture, for `evenstep measure`:
    pub fn es_trace_create(path: *const c_char) -> *mut es_trace;
    /// Adds a frame, in order:
    pub fn es_trace_frame(trace: *mut es_trace, report: *const es_report) -> bool;
    /// Writes the rest, and frees.
    pub fn es_trace_destroy(trace: *mut es_trace) -> bool;
}
