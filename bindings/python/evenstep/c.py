"""Made by scripts/bind.py from the headers. Do not edit."""
from ctypes import *  # noqa: F403

ES_GAP_NONE = 0
ES_GAP_SUSPENDED = 1
ES_GAP_BLOCKED = 2
ES_GAP_STOPPED = 3
ES_GAP_CLOCK_BACK = 4
ES_GAP_CLOCK_JUMP = 5
ES_GAP_CLOCK_STILL = 6
ES_GAP_UNKNOWN = 7
ES_SHOWN_PLANNED = -1
ES_SHOWN_PRESENT_RETURN = 0
ES_SHOWN_FEEDBACK = 1
ES_SHOWN_VIRTUAL = 2
ES_PACE_AUTO = 0
ES_PACE_ADAPTIVE = 1
ES_PACE_FIXED = 2
ES_PACE_PRESENT = 3
ES_PACE_UNCAPPED = 4
ES_STEP_FIXED = 0
ES_STEP_VARIABLE = 1
ES_STEP_LOCKSTEP = 2
ES_CATCH_UP_DROP = 0
ES_CATCH_UP_SLOW = 1
ES_CATCH_UP_SPREAD = 2
ES_CATCH_UP_STRETCH = 3
ES_CATCH_UP_WAIT = 4
ES_HOLD_AUTO = 0
ES_HOLD_NEVER = 1
ES_TARGET_BALANCED = 0
ES_TARGET_SMOOTH = 1
ES_TARGET_EARLY = 2
ES_PRESENT_GUESSED = 0
ES_PRESENT_SOFTWARE = 1
ES_PRESENT_VSYNC = 2
ES_PRESENT_HARDWARE = 3
ES_DISPLAY_UNKNOWN = 0
ES_DISPLAY_BLOCKS = 1
ES_DISPLAY_FREE = 2
ES_DISPLAY_VARIABLE = 3
ES_DISPLAY_HOST = 4
ES_OK = 0
ES_ERR_INVALID = -1
ES_ERR_STATE = -2
ES_ERR_RANGE = -3
ES_ERR_UNSUPPORTED = -4
ES_ERR_SPACE = -5
ES_ERR_REFUSED = -6
ES_ERR_FULL = -7
ES_ERR_IO = -8
ES_ERR_DAMAGED = -9
ES_ERR_DIFFERS = -10
ES_TYPE_NONE = 0
ES_TYPE_F32 = 1
ES_TYPE_F64 = 2
ES_TYPE_I32 = 3
ES_TYPE_U32 = 4
ES_TYPE_I64 = 5
ES_TYPE_U8 = 6
ES_BLEND_NONE = 0
ES_BLEND_LINEAR = 1
ES_BLEND_ANGLE = 2
ES_BLEND_CYCLIC = 3
ES_BLEND_ROTATION = 4
ES_BLEND_COLOUR = 5
ES_BLEND_SRGB = 6
ES_BLEND_LOG = 7
ES_BLEND_STEP = 8
ES_BLEND_NEAREST = 9
ES_BLEND_HERMITE = 10
ES_BLEND_CATMULL_ROM = 11
ES_BLEND_MONOTONE = 12
ES_BLEND_MARK = 13
ES_BLEND_MATRIX = 14
ES_BLEND_MATRIX_ROWS = 15
ES_PREDICT_HOLD = 0
ES_PREDICT_LINEAR = 1
ES_PREDICT_BALLISTIC = 2
ES_CORRECT_BLEND = 0
ES_CORRECT_DECAY = 1
ES_CORRECT_SNAP = 2
ES_INPUT_PRESS = 0
ES_INPUT_RELEASE = 1
ES_INPUT_MOVE = 2
ES_INPUT_PLACE = 3
ES_INPUT_RESET = 4
ES_INPUT_LOST = 5
ES_INPUT_OTHER = 6
ES_SLICE_SHARE = 0
ES_SLICE_COUNT = 1
ES_SLICE_BUDGET = 2
ES_SLICE_TICKS = 0
ES_SLICE_FRAMES = 1
ES_SLICE_FORCE = 0
ES_SLICE_EVEN = 1
ES_FOLLOW_LATE = 0
ES_FOLLOW_BOTH = 1
ES_RECORD_HASH_NAMES = 0
ES_RECORD_HASH_WHOLE = 1
ES_RECORD_HASH_FIELDS = 2
ES_RECORD_HASH_NONE = 3
ES_RECORD_HASH_GROUPS = 4
ES_RECORD_NONE = 0
ES_RECORD_RUN = 1
ES_RECORD_FIELD = 2
ES_RECORD_TAG = 3
ES_RECORD_SNAPSHOT = 4
ES_RECORD_STEP = 5
ES_RECORD_INPUT = 6
ES_RECORD_HASH = 7
ES_RECORD_FRAME = 8
ES_RECORD_READINGS = 9
ES_RECORD_EVENT = 10
ES_RECORD_GAP = 11
ES_RECORD_END = 12
ES_RECORD_COPY = 128
ES_RECORD_INDEX = 129
ES_DAMAGE_NONE = 0
ES_DAMAGE_CUT = 1
ES_DAMAGE_HEAD = 2
ES_DAMAGE_PAYLOAD = 3
ES_DAMAGE_MISSING = 4
ES_DAMAGE_REPEATED = 5
ES_DAMAGE_CONTENT = 6
ES_VERSION_MAJOR = 0
ES_VERSION_MINOR = 3
ES_VERSION_PATCH = 0
ES_NS_PER_US = 1000
ES_NS_PER_MS = 1000000
ES_NS_PER_S = 1000000000
ES_UNKNOWN_NS = -1
ES_LOOP_BYTES = 24576
ES_VIEW_TICKS = 4
ES_RECORD_FORMAT = 2
ES_RECORD_SIZE_MAX = 65536
ES_RECORD_FIELDS_MAX = 4096
ES_RECORD_TAGS_MAX = 256


class es_step(Structure):
    """Describes a tick, which simulates from time_ns - dt_ns to time_ns."""

class es_gap(Structure):
    """The gaps since the frame before."""

class es_account(Structure):
    """Where time went since the first frame."""

class es_frame(Structure):
    """One frame:"""

class es_report(Structure):
    """One complete frame."""

class es_rate(Structure):
    """Events per second, exact:"""

class es_clock(Structure):
    """A source of time other than the system's clock:"""

class es_loop_config(Structure):
    """How a loop behaves."""

class es_present(Structure):
    """What a platform reports about one frame, on the loop's clock:"""

class es_targets(Structure):
    """What a platform does with the targets of a frame."""

class es_display(Structure):
    """What is known of the display."""

class es_jumps(Structure):
    """What a jump is, in a group of objects."""

class es_pose2(Structure):
    """"""

class es_pose3(Structure):
    """"""

class es_track1(Structure):
    """Where an object was and is."""

class es_track2(Structure):
    """"""

class es_track3(Structure):
    """"""

class es_prediction(Structure):
    """How far and how a field is predicted."""

class es_field(Structure):
    """One field:"""

class es_layout(Structure):
    """A state's fields."""

class es_blend_tick(Structure):
    """A state of the simulation, and its time."""

class es_input_event(Structure):
    """One event."""

class es_input_stamps(Structure):
    """The clock that stamps events, for es_input_stamp."""

class es_input_config(Structure):
    """"""

class es_input_delay(Structure):
    """Delays of many events."""

class es_input_status(Structure):
    """"""

class es_spring(Structure):
    """How something follows a target."""

class es_camera_state(Structure):
    """Private:"""

class es_camera(Structure):
    """A camera in the plane, where the third numbers are 0, or in space."""

class es_rate_group(Structure):
    """What ticks together."""

class es_rates_config(Structure):
    """"""

class es_rates_run(Structure):
    """A group's tick to run now."""

class es_slice_config(Structure):
    """{0}:"""

class es_slice_job(Structure):
    """One long update."""

class es_slice_grant(Structure):
    """Items to run now."""

class es_slice_status(Structure):
    """"""

class es_server_config(Structure):
    """"""

class es_server_loop(Structure):
    """"""

class es_server_tick(Structure):
    """A tick to run now."""

class es_server_status(Structure):
    """"""

class es_follower_config(Structure):
    """"""

class es_follower_status(Structure):
    """"""

class es_snapshots_config(Structure):
    """"""

class es_snapshots_status(Structure):
    """"""

class es_threads_config(Structure):
    """0 is the default of every field but state_size."""

class es_view(Structure):
    """The states that a frame shows."""

class es_stream(Structure):
    """Where bytes go and come from, in place of a file."""

class es_record_config(Structure):
    """{0} except for layout or state_size is a sensible recording."""

class es_record_status(Structure):
    """How a recording goes."""

class es_replay_status(Structure):
    """How a replay goes."""

class es_difference(Structure):
    """What differs first."""

class es_synctest_config(Structure):
    """"""

class es_replay_run(Structure):
    """"""

class es_replay_item(Structure):
    """One record, or one stretch of damage."""

class es_meter_sample(Structure):
    """One displayed frame."""

class es_error_ms(Structure):
    """An error's distribution, in ms."""

class es_smoothness(Structure):
    """All frames so far, and the errors of the samples kept."""


es_step._fields_ = [
    ("index", c_int64),
    ("time_ns", c_int64),
    ("dt_s", c_double),
    ("dt_ns", c_int64),
    ("in_frame", c_int32),
    ("due_ns", c_int64),
    ("begun_ns", c_int64),
]
es_gap._fields_ = [
    ("kind", c_int),
    ("duration_ns", c_int64),
    ("removed_ns", c_int64),
]
es_account._fields_ = [
    ("dropped_ns", c_int64),
    ("gaps_ns", c_int64),
    ("slowed_ns", c_int64),
    ("slow_motion_ns", c_int64),
    ("clamped_ns", c_int64),
    ("delay_ns", c_int64),
    ("reanchored_ns", c_int64),
    ("seeked_ns", c_int64),
    ("stretched_ns", c_int64),
    ("frame_dropped_ns", c_int64),
    ("frame_slow_motion_ns", c_int64),
    ("frame_stretched_ns", c_int64),
    ("debt_ns", c_int64),
    ("offset_ns", c_int64),
]
es_frame._fields_ = [
    ("ticks", c_int32),
    ("tick_s", c_double),
    ("alpha", c_double),
    ("visible", c_bool),
    ("surplus", c_bool),
    ("index", c_int64),
    ("start_ns", c_int64),
    ("present_ns", c_int64),
    ("content_ns", c_int64),
    ("interval_ns", c_int64),
    ("late_ns", c_int64),
    ("target_ns", c_int64),
    ("target_refreshes", c_int32),
    ("previous_tick", c_int64),
    ("current_tick", c_int64),
    ("previous_ns", c_int64),
    ("current_ns", c_int64),
    ("newest_tick", c_int64),
    ("newest_ns", c_int64),
    ("ahead_ns", c_int64),
    ("gap", es_gap),
    ("account", es_account),
    ("begun_ns", c_int64),
    ("steps", c_int64 * 6),
]
es_report._fields_ = [
    ("frame", es_frame),
    ("ready_ns", c_int64),
    ("submit_ns", c_int64),
    ("shown_ns", c_int64),
    ("source", c_int),
    ("update_work_ns", c_int64),
    ("render_work_ns", c_int64),
    ("series", c_int32),
    ("returned_ns", c_int64),
]
es_rate._fields_ = [
    ("numerator", c_uint32),
    ("denominator", c_uint32),
]
es_clock._fields_ = [
    ("now_ns", CFUNCTYPE(c_int64, c_void_p)),
    ("wait_until", CFUNCTYPE(None, c_void_p, c_int64)),
    ("suspended_ns", CFUNCTYPE(c_int64, c_void_p)),
    ("thread_cpu_ns", CFUNCTYPE(c_int64, c_void_p)),
    ("user", c_void_p),
    ("description", c_char_p),
    ("thread_cpu_is_coarse", c_bool),
]
es_loop_config._fields_ = [
    ("tick_rate", es_rate),
    ("refresh", es_rate),
    ("step", c_int),
    ("pace", c_int),
    ("catch_up", c_int),
    ("catch_up_max_ns", c_int64),
    ("ticks_max", c_int32),
    ("delay_ticks", c_double),
    ("lead_ticks", c_int32),
    ("alpha_below_one", c_bool),
    ("low_latency", c_bool),
    ("missed_max", c_double),
    ("speed_change_max", c_double),
    ("hold", c_int),
    ("targets", c_int),
    ("interval_ns", c_int64),
    ("interval_min_ns", c_int64),
    ("interval_max_ns", c_int64),
    ("gap_ns", c_int64),
    ("step_min_ns", c_int64),
    ("step_max_ns", c_int64),
    ("step_absurd_ns", c_int64),
    ("clock", es_clock),
]
es_present._fields_ = [
    ("frame", c_int64),
    ("shown_ns", c_int64),
    ("reported_ns", c_int64),
    ("refresh_ns", c_int64),
    ("sequence", c_uint64),
    ("grade", c_int),
    ("discarded", c_bool),
    ("variable", c_bool),
]
es_targets._fields_ = [
    ("times", c_bool),
    ("refreshes", c_bool),
    ("deadline_ns", c_int64),
    ("ahead_ns", c_int64),
]
es_display._fields_ = [
    ("mode", c_int),
    ("period_ns", c_double),
    ("queue", c_int32),
    ("feedback", c_bool),
    ("missed", c_int64),
    ("frames_per_s", c_double),
    ("targets", c_bool),
    ("speed_change", c_double),
]
es_jumps._fields_ = [
    ("ratio", c_double),
    ("shortest", c_double),
]
es_pose2._fields_ = [
    ("x", c_double),
    ("y", c_double),
    ("angle", c_double),
]
es_pose3._fields_ = [
    ("position", c_double * 3),
    ("rotation", c_float * 4),
]
es_track1._fields_ = [
    ("snap", c_double),
    ("previous", c_double),
    ("current", c_double),
    ("next_tick", c_int64),
]
es_track2._fields_ = [
    ("snap", c_double),
    ("previous", es_pose2),
    ("current", es_pose2),
    ("next_tick", c_int64),
]
es_track3._fields_ = [
    ("snap", c_double),
    ("previous", es_pose3),
    ("current", es_pose3),
    ("next_tick", c_int64),
]
es_prediction._fields_ = [
    ("kind", c_int),
    ("correct", c_int),
    ("max_ns", c_int64),
    ("ramp_ns", c_int64),
    ("decay_ns", c_int64),
]
es_field._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("blend", c_int),
    ("count", c_size_t),
    ("components", c_size_t),
    ("offset", c_size_t),
    ("stride", c_size_t),
    ("component_stride", c_size_t),
    ("group", c_int32),
    ("period", c_double),
    ("delay_ticks", c_double),
    ("velocity", c_char_p),
    ("acceleration", c_char_p),
    ("contact", c_char_p),
    ("prediction", POINTER(es_prediction)),
]
es_layout._fields_ = [
    ("fields", POINTER(es_field)),
    ("field_count", c_size_t),
    ("state_size", c_size_t),
]
es_blend_tick._fields_ = [
    ("state", c_void_p),
    ("time_ns", c_int64),
]
es_input_event._fields_ = [
    ("stamp_ns", c_int64),
    ("user", c_uint64),
    ("value", c_double),
    ("device", c_uint16),
    ("code", c_uint16),
    ("kind", c_int),
    ("delay_ns", c_int64),
]
es_input_stamps._fields_ = [
    ("unit_ns", c_int64),
    ("resolution_ns", c_int64),
    ("bits", c_int32),
    ("other", c_bool),
]
es_input_config._fields_ = [
    ("buttons", c_int32),
    ("axes", c_int32),
    ("events", c_int32),
    ("measured", c_int32),
    ("rests", c_uint64),
    ("stamps", es_input_stamps),
]
es_input_delay._fields_ = [
    ("mean_ms", c_double),
    ("p50_ms", c_double),
    ("p95_ms", c_double),
    ("max_ms", c_double),
]
es_input_status._fields_ = [
    ("lost", c_int64),
    ("events", c_int64),
    ("missed", c_int64),
    ("shown", c_int64),
    ("to_tick", es_input_delay),
    ("to_shows", es_input_delay),
    ("to_shown", es_input_delay),
]
es_spring._fields_ = [
    ("half_life_s", c_double),
    ("damping", c_double),
    ("follow", c_double),
]
es_camera_state._fields_ = [
    ("position", c_double * 3),
    ("velocity", c_double * 3),
    ("target", c_double * 3),
    ("aim", c_double * 3),
    ("time_s", c_double),
]
es_camera._fields_ = [
    ("spring", es_spring),
    ("ahead_s", c_double * 3),
    ("zone", c_double * 3),
    ("half_view", c_double * 3),
    ("least", c_double * 3),
    ("most", c_double * 3),
    ("shake_half_life_s", c_double),
    ("shake_hz", c_double),
    ("shake_seed", c_uint32),
    ("now", es_camera_state),
    ("before", es_camera_state),
    ("dt_s", c_double),
    ("next_tick", c_int64),
    ("shake", c_double),
    ("shaken_s", c_double),
]
es_rate_group._fields_ = [
    ("period", c_int32),
    ("phase", c_int32),
    ("rate", es_rate),
    ("lead_ticks", c_int32),
    ("delay_ticks", c_int32),
]
es_rates_config._fields_ = [
    ("groups", POINTER(es_rate_group)),
    ("count", c_int32),
    ("base", es_rate),
]
es_rates_run._fields_ = [
    ("group", c_int32),
    ("step", es_step),
    ("base_tick", c_int64),
]
es_slice_config._fields_ = [
    ("method", c_int),
    ("where", c_int),
    ("late", c_int),
    ("count", c_int32),
]
es_slice_job._fields_ = [
    ("begin_tick", c_int64),
    ("due_tick", c_int64),
    ("items", c_int32),
    ("open", c_bool),
]
es_slice_grant._fields_ = [
    ("slice", c_int32),
    ("first", c_int32),
    ("items", c_int32),
]
es_slice_status._fields_ = [
    ("done", c_bool),
    ("forced", c_int64),
    ("missed", c_int64),
]
es_server_config._fields_ = [
    ("loops_max", c_int32),
    ("slack_ns", c_int64),
    ("gap_ns", c_int64),
    ("clock", es_clock),
]
es_server_loop._fields_ = [
    ("tick_rate", es_rate),
    ("catch_up_max_ns", c_int64),
    ("user", c_void_p),
]
es_server_tick._fields_ = [
    ("loop", c_int32),
    ("user", c_void_p),
    ("step", es_step),
    ("late_ns", c_int64),
    ("dropped", c_int64),
    ("gap", es_gap),
]
es_server_status._fields_ = [
    ("tick_rate", es_rate),
    ("paused", c_bool),
    ("tick", c_int64),
    ("time_ns", c_int64),
    ("dropped", c_int64),
    ("late_ns", c_int64),
    ("late_max_ns", c_int64),
    ("busy_ns", c_int64),
    ("busy_max_ns", c_int64),
]
es_follower_config._fields_ = [
    ("noise", c_int),
    ("rate_error_max", c_double),
    ("speed_change_max", c_double),
    ("jump_ns", c_int64),
    ("tape", CFUNCTYPE(c_int64, c_void_p, c_int64)),
    ("tape_user", c_void_p),
]
es_follower_status._fields_ = [
    ("readings", c_int64),
    ("restarts", c_int64),
    ("rate", c_double),
    ("error_ns", c_int64),
    ("behind_ns", c_int64),
]
es_snapshots_config._fields_ = [
    ("state_size", c_size_t),
    ("tick_rate", es_rate),
    ("spare", c_int32),
    ("delay_ns", c_int64),
]
es_snapshots_status._fields_ = [
    ("received", c_int64),
    ("dropped", c_int64),
    ("frames", c_int64),
    ("predicted", c_int64),
    ("newest_tick", c_int64),
    ("jitter_ns", c_int64),
    ("delay_ns", c_int64),
    ("content_ns", c_int64),
    ("speed", c_double),
]
es_threads_config._fields_ = [
    ("state_size", c_size_t),
    ("state", c_void_p),
    ("update", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, POINTER(es_step))),
    ("user", c_void_p),
    ("lead_ticks", c_int32),
    ("ahead_max_ns", c_int64),
    ("stop_without_frames", c_bool),
]
es_view._fields_ = [
    ("previous", c_void_p),
    ("current", c_void_p),
    ("late_ns", c_int64),
    ("count", c_int32),
    ("states", c_void_p * 4),
    ("times_ns", c_int64 * 4),
]
es_stream._fields_ = [
    ("user", c_void_p),
    ("write", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)),
    ("read", CFUNCTYPE(c_int, c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t))),
]
es_record_config._fields_ = [
    ("layout", POINTER(es_layout)),
    ("state_size", c_size_t),
    ("stream", es_stream),
    ("tick_rate", es_rate),
    ("seed", c_uint64),
    ("tags", POINTER(c_char_p)),
    ("start_tick", c_int64),
    ("hashes", c_int),
    ("hash_every", c_int32),
    ("snapshot_every", c_int32),
]
es_record_status._fields_ = [
    ("result", c_int),
    ("bytes", c_uint64),
    ("steps", c_uint64),
    ("frames", c_uint64),
    ("ticks_lost", c_uint64),
]
es_replay_status._fields_ = [
    ("result", c_int),
    ("tick", c_int64),
    ("last_tick", c_int64),
    ("resume_tick", c_int64),
    ("compared", c_uint64),
    ("ended", c_bool),
    ("same_arithmetic", c_bool),
    ("same_library", c_bool),
    ("strays", c_uint64),
]
es_difference._fields_ = [
    ("tick", c_int64),
    ("field", c_char_p),
    ("group", c_int32),
    ("value_tick", c_int64),
    ("value_field", c_char_p),
    ("object", c_size_t),
    ("component", c_size_t),
    ("values", c_double * 2),
]
es_synctest_config._fields_ = [
    ("layout", POINTER(es_layout)),
    ("every", c_int32),
    ("ticks", c_int32),
    ("input_max", c_size_t),
    ("user", c_void_p),
    ("update", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(es_step), c_void_p, c_size_t)),
    ("loaded", CFUNCTYPE(None, c_void_p, c_void_p, c_int64)),
]
es_replay_run._fields_ = [
    ("config", es_record_config),
    ("version", c_uint32 * 3),
    ("packed_size", c_uint64),
    ("field_count", c_uint32),
    ("hash_count", c_uint32),
    ("self_test", c_uint64 * 2),
]
es_replay_item._fields_ = [
    ("kind", c_int),
    ("damage", c_int),
    ("offset", c_uint64),
    ("length", c_uint64),
    ("sequence", c_uint32),
    ("step", es_step),
    ("part", c_uint64),
    ("total", c_uint64),
    ("bytes", POINTER(c_ubyte)),
    ("size", c_size_t),
    ("count", c_uint64),
    ("field", POINTER(es_field)),
    ("run", POINTER(es_replay_run)),
    ("frame", POINTER(es_report)),
    ("end", POINTER(es_record_status)),
]
es_meter_sample._fields_ = [
    ("shown_ns", c_int64),
    ("content_ns", c_int64),
    ("series", c_int32),
    ("source", c_int),
]
es_error_ms._fields_ = [
    ("mean_abs_ms", c_double),
    ("bias_ms", c_double),
    ("rms_ms", c_double),
    ("median_ms", c_double),
    ("p99_ms", c_double),
    ("max_ms", c_double),
]
es_smoothness._fields_ = [
    ("frames", c_int64),
    ("ticks", c_int64),
    ("ticks_min", c_int32),
    ("ticks_max", c_int32),
    ("dropped_ns", c_int64),
    ("gaps", c_int64),
    ("gaps_ns", c_int64),
    ("late_ns_max", c_int64),
    ("work_ns", c_int64),
    ("work_ns_max", c_int64),
    ("source", c_int),
    ("intervals", c_size_t),
    ("interval_ms", c_double),
    ("intended_ms", c_double),
    ("interval", es_error_ms),
    ("animation", es_error_ms),
    ("lost_ms", c_double),
]

FUNCTIONS = {
    "es_loop_create": (c_void_p, [POINTER(es_loop_config)]),
    "es_loop_destroy": (None, [c_void_p]),
    "es_loop_next": (c_bool, [c_void_p, POINTER(es_frame)]),
    "es_loop_submit": (c_bool, [c_void_p]),
    "es_loop_end": (c_bool, [c_void_p]),
    "es_get_error": (c_char_p, []),
    "es_frame_step": (es_step, [POINTER(es_frame), c_int32]),
    "es_loop_wait": (c_bool, [c_void_p, POINTER(es_frame)]),
    "es_loop_next_at": (c_bool, [c_void_p, c_int64, c_int64, POINTER(es_frame)]),
    "es_loop_acquired": (None, [c_void_p]),
    "es_loop_begin": (c_bool, [c_void_p]),
    "es_loop_tick": (c_bool, [c_void_p, POINTER(es_step)]),
    "es_loop_set_paused": (None, [c_void_p, c_bool]),
    "es_loop_tick_once": (c_bool, [c_void_p]),
    "es_loop_set_speed": (c_bool, [c_void_p, c_double]),
    "es_loop_set_visible": (None, [c_void_p, c_bool]),
    "es_loop_resync": (c_bool, [c_void_p]),
    "es_loop_idle": (c_bool, [c_void_p]),
    "es_loop_seek": (c_bool, [c_void_p, c_int64]),
    "es_loop_presented": (None, [c_void_p, POINTER(es_present)]),
    "es_loop_set_targets": (c_bool, [c_void_p, POINTER(es_targets)]),
    "es_loop_get_display": (es_display, [c_void_p]),
    "es_loop_get_report": (POINTER(es_report), [c_void_p]),
    "es_loop_problem": (c_char_p, [c_void_p]),
    "es_loop_status": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "es_loop_idle_ns": (c_int64, [c_void_p]),
    "es_loop_preset": (c_bool, [c_char_p, POINTER(es_loop_config)]),
    "es_loop_configure": (c_bool, [c_void_p, POINTER(es_loop_config)]),
    "es_loop_get_config": (es_loop_config, [c_void_p]),
    "es_loop_create_in": (c_void_p, [c_void_p, c_size_t, POINTER(es_loop_config)]),
    "es_hz": (es_rate, [c_double]),
    "es_rate_time_ns": (c_int64, [es_rate, c_int64]),
    "es_now_ns": (c_int64, []),
    "es_wait_until": (None, [c_int64]),
    "es_clock_system": (c_bool, [POINTER(es_clock)]),
    "es_thread_set_realtime": (c_bool, [c_bool]),
    "es_lerp": (c_double, [c_double, c_double, c_double]),
    "es_lerpf": (c_float, [c_float, c_float, c_double]),
    "es_version": (c_int, []),
    "es_set_assert_handler": (None, [CFUNCTYPE(None, c_void_p, c_char_p), c_void_p]),
    "es_loop_create_checked": (c_void_p, [POINTER(es_loop_config), c_void_p, c_size_t, POINTER(c_uint32)]),
    "es_lerp_angle": (c_double, [c_double, c_double, c_double]),
    "es_lerp_quat": (None, [POINTER(c_float), POINTER(c_float), c_double, POINTER(c_float)]),
    "es_history_create": (c_void_p, [c_size_t, c_int32]),
    "es_history_destroy": (None, [c_void_p]),
    "es_history_push": (c_void_p, [c_void_p, POINTER(es_step)]),
    "es_history_next": (c_void_p, [c_void_p, POINTER(es_step)]),
    "es_history_reset": (None, [c_void_p, c_int64, c_int64]),
    "es_history_current": (c_void_p, [c_void_p]),
    "es_history_previous": (c_void_p, [c_void_p]),
    "es_history_tick": (c_void_p, [c_void_p, c_int32]),
    "es_history_matches": (c_bool, [c_void_p, POINTER(es_frame)]),
    "es_history_snap": (c_bool, [c_void_p, POINTER(es_layout), c_char_p, c_size_t]),
    "es_history_shift": (c_bool, [c_void_p, POINTER(es_layout), c_char_p, c_size_t, POINTER(c_double), c_size_t]),
    "es_blend": (c_bool, [POINTER(es_layout), c_void_p, c_void_p, c_double, c_void_p]),
    "es_blend_frame": (c_bool, [POINTER(es_layout), c_void_p, POINTER(es_frame), c_void_p]),
    "es_blend_ticks": (c_bool, [POINTER(es_layout), POINTER(es_blend_tick), c_size_t, c_int64, c_void_p]),
    "es_layout_validate": (c_bool, [POINTER(es_layout)]),
    "es_motion_accelerate": (None, [POINTER(c_double), POINTER(c_double), c_double, c_double]),
    "es_motion_verlet_position": (None, [POINTER(c_double), c_double, c_double, c_double]),
    "es_motion_verlet_speed": (None, [POINTER(c_double), c_double, c_double, c_double]),
    "es_jumped": (c_bool, [POINTER(es_jumps), POINTER(c_float), c_double, c_double]),
    "es_track1_set": (None, [POINTER(es_track1), c_int64, c_double]),
    "es_track2_set": (None, [POINTER(es_track2), c_int64, es_pose2]),
    "es_track3_set": (None, [POINTER(es_track3), c_int64, es_pose3]),
    "es_track1_snap": (None, [POINTER(es_track1), c_int64, c_double]),
    "es_track2_snap": (None, [POINTER(es_track2), c_int64, es_pose2]),
    "es_track3_snap": (None, [POINTER(es_track3), c_int64, es_pose3]),
    "es_track1_shift": (None, [POINTER(es_track1), c_double]),
    "es_track2_shift": (None, [POINTER(es_track2), es_pose2]),
    "es_track3_shift": (None, [POINTER(es_track3), POINTER(c_double)]),
    "es_track1_at": (c_double, [POINTER(es_track1), POINTER(es_frame)]),
    "es_track1_angle_at": (c_double, [POINTER(es_track1), POINTER(es_frame)]),
    "es_track2_at": (es_pose2, [POINTER(es_track2), POINTER(es_frame)]),
    "es_track3_at": (es_pose3, [POINTER(es_track3), POINTER(es_frame)]),
    "es_lerp_matrix": (None, [c_int, c_size_t, POINTER(c_float), POINTER(c_float), c_double, POINTER(c_float)]),
    "es_matrix_keep": (None, [c_int, c_size_t, POINTER(c_float)]),
    "es_input_create": (c_void_p, [POINTER(es_input_config)]),
    "es_input_destroy": (None, [c_void_p]),
    "es_input_push": (c_bool, [c_void_p, POINTER(es_input_event)]),
    "es_input_button": (c_bool, [c_void_p, c_int32, c_bool, c_int64]),
    "es_input_move": (c_bool, [c_void_p, c_int32, c_double, c_int64]),
    "es_input_stamp": (c_int64, [c_void_p, c_uint64, c_int64]),
    "es_input_frame": (None, [c_void_p, POINTER(es_frame), c_int64]),
    "es_input_tick": (c_int32, [c_void_p, POINTER(es_step)]),
    "es_input_next": (c_bool, [c_void_p, POINTER(es_input_event)]),
    "es_input_pressed": (c_int32, [c_void_p, c_int32]),
    "es_input_released": (c_int32, [c_void_p, c_int32]),
    "es_input_held": (c_bool, [c_void_p, c_int32]),
    "es_input_value": (c_double, [c_void_p, c_int32]),
    "es_input_moved": (c_double, [c_void_p, c_int32]),
    "es_input_peek": (c_double, [c_void_p, c_int32]),
    "es_input_at": (c_double, [c_void_p, c_int32, c_int64, c_int64]),
    "es_input_view_ns": (c_int64, [c_void_p, POINTER(es_frame)]),
    "es_input_save": (c_size_t, [c_void_p, c_void_p, c_size_t]),
    "es_input_load": (c_bool, [c_void_p, c_void_p, c_size_t]),
    "es_input_get_status": (es_input_status, [c_void_p]),
    "es_spring_follow": (None, [POINTER(es_spring), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double), c_size_t, c_double]),
    "es_spring_follow_angle": (None, [POINTER(es_spring), POINTER(c_double), POINTER(c_double), c_double, c_double, c_double]),
    "es_spring_follow_quat": (None, [POINTER(es_spring), POINTER(c_double), POINTER(c_double), POINTER(c_double), POINTER(c_double), c_double]),
    "es_camera_follow": (None, [POINTER(es_camera), c_int64, POINTER(c_double), c_double]),
    "es_camera_cut": (None, [POINTER(es_camera), c_int64, POINTER(c_double)]),
    "es_camera_shake": (None, [POINTER(es_camera), c_double]),
    "es_camera_at": (None, [POINTER(es_camera), POINTER(es_frame), POINTER(c_double)]),
    "es_rates_create": (c_void_p, [POINTER(es_rates_config)]),
    "es_rates_destroy": (None, [c_void_p]),
    "es_rates_rebase": (c_bool, [c_void_p, c_int64, c_int64, es_rate]),
    "es_rates_next": (c_bool, [c_void_p, c_int64, POINTER(es_rates_run)]),
    "es_rates_newest": (c_int64, [c_void_p, c_int32, c_int64, POINTER(c_int64)]),
    "es_rates_frame": (c_bool, [c_void_p, c_int32, POINTER(es_frame), POINTER(es_frame)]),
    "es_rates_history_ticks": (c_int32, [c_void_p, c_int32, c_int32]),
    "es_slices_create": (c_void_p, [POINTER(es_slice_config), c_int32]),
    "es_slices_destroy": (None, [c_void_p]),
    "es_slices_begin": (c_bool, [c_void_p, c_int32, POINTER(es_slice_job)]),
    "es_slices_open_tick": (None, [c_void_p, c_int64, c_int64, c_int64]),
    "es_slices_open_frame": (None, [c_void_p, POINTER(es_frame), c_int64, c_int64]),
    "es_slices_next": (c_bool, [c_void_p, c_int64, POINTER(es_slice_grant)]),
    "es_slices_finish": (c_bool, [c_void_p, c_int32, c_int32]),
    "es_slices_get_status": (es_slice_status, [c_void_p, c_int32]),
    "es_server_create": (c_void_p, [POINTER(es_server_config)]),
    "es_server_destroy": (None, [c_void_p]),
    "es_server_add": (c_int32, [c_void_p, POINTER(es_server_loop)]),
    "es_server_remove": (c_bool, [c_void_p, c_int32]),
    "es_server_next": (c_bool, [c_void_p, c_int64, POINTER(es_server_tick)]),
    "es_server_due_ns": (c_int64, [c_void_p]),
    "es_server_set_paused": (c_bool, [c_void_p, c_int32, c_bool]),
    "es_server_set_rate": (c_bool, [c_void_p, c_int32, es_rate]),
    "es_server_get_status": (es_server_status, [c_void_p, c_int32]),
    "es_follower_create": (c_void_p, [POINTER(es_follower_config)]),
    "es_follower_destroy": (None, [c_void_p]),
    "es_follower_add": (c_bool, [c_void_p, c_int64, c_int64]),
    "es_follower_reset": (None, [c_void_p]),
    "es_follower_at": (c_bool, [c_void_p, c_int64, POINTER(c_int64)]),
    "es_follower_get_status": (es_follower_status, [c_void_p]),
    "es_loop_follow": (c_bool, [c_void_p, c_void_p, c_int64]),
    "es_loop_sound_ratio": (c_double, [c_void_p, c_double, c_double]),
    "es_snapshots_create": (c_void_p, [POINTER(es_snapshots_config)]),
    "es_snapshots_destroy": (None, [c_void_p]),
    "es_snapshots_add": (c_bool, [c_void_p, c_int64, c_void_p, c_int64]),
    "es_snapshots_blend": (c_bool, [c_void_p, POINTER(es_layout), POINTER(es_frame), c_void_p]),
    "es_snapshots_get_status": (es_snapshots_status, [c_void_p]),
    "es_threads_start": (c_void_p, [c_void_p, POINTER(es_threads_config)]),
    "es_threads_view": (c_bool, [c_void_p, POINTER(es_view)]),
    "es_threads_call": (c_bool, [c_void_p, CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(c_int64)), c_void_p]),
    "es_threads_stop": (None, [c_void_p, c_void_p]),
    "es_threads_tick_due": (c_int64, [c_void_p]),
    "es_threads_tick_begin": (c_bool, [c_void_p, POINTER(es_step), POINTER(c_void_p), POINTER(c_void_p)]),
    "es_threads_tick_end": (c_bool, [c_void_p]),
    "es_record_create": (c_void_p, [c_char_p, POINTER(es_record_config), c_void_p]),
    "es_record_input": (c_bool, [c_void_p, POINTER(es_step), c_void_p, c_size_t]),
    "es_record_state": (c_bool, [c_void_p, POINTER(es_step), c_void_p]),
    "es_record_frame": (c_bool, [c_void_p, POINTER(es_report)]),
    "es_replay_open": (c_void_p, [c_char_p, POINTER(es_record_config), c_void_p]),
    "es_replay_next": (c_bool, [c_void_p, POINTER(es_step), POINTER(c_void_p), POINTER(c_size_t)]),
    "es_replay_check": (c_bool, [c_void_p, c_void_p]),
    "es_replay_seek": (c_bool, [c_void_p, c_int64, c_void_p]),
    "es_replay_close": (None, [c_void_p]),
    "es_record_event": (c_bool, [c_void_p, c_uint32, c_void_p, c_size_t]),
    "es_record_flush": (c_bool, [c_void_p]),
    "es_record_clock": (es_clock, [c_void_p, POINTER(es_clock)]),
    "es_record_value": (c_int64, [c_void_p, c_int64]),
    "es_record_get_status": (es_record_status, [c_void_p]),
    "es_record_destroy": (es_record_status, [c_void_p]),
    "es_replay_get_difference": (c_bool, [c_void_p, POINTER(es_difference)]),
    "es_replay_next_frame": (c_bool, [c_void_p, POINTER(es_report)]),
    "es_replay_clock": (es_clock, [c_void_p, POINTER(es_clock)]),
    "es_replay_value": (c_int64, [c_void_p, c_int64]),
    "es_replay_get_status": (es_replay_status, [c_void_p]),
    "es_synctest_create": (c_void_p, [POINTER(es_synctest_config)]),
    "es_synctest_before": (None, [c_void_p, c_void_p, POINTER(es_step), c_void_p, c_size_t]),
    "es_synctest_after": (c_bool, [c_void_p, c_void_p]),
    "es_synctest_draw_before": (None, [c_void_p, c_void_p]),
    "es_synctest_draw_after": (c_bool, [c_void_p, c_void_p, c_int64]),
    "es_synctest_get_difference": (c_bool, [c_void_p, POINTER(es_difference)]),
    "es_synctest_destroy": (None, [c_void_p]),
    "es_state_pack": (c_size_t, [POINTER(es_layout), c_void_p, c_void_p, c_size_t]),
    "es_state_unpack": (c_bool, [POINTER(es_layout), c_void_p, c_void_p, c_size_t]),
    "es_state_hash": (c_uint64, [POINTER(es_layout), c_void_p]),
    "es_replay_next_item": (c_bool, [c_void_p, POINTER(es_replay_item)]),
    "es_replay_seek_item": (None, [c_void_p, POINTER(es_replay_item)]),
    "es_damage_name": (c_char_p, [c_int]),
    "es_meter_create": (c_void_p, [c_size_t]),
    "es_meter_destroy": (None, [c_void_p]),
    "es_meter_add": (None, [c_void_p, POINTER(es_report)]),
    "es_meter_presented": (c_bool, [c_void_p, POINTER(es_present)]),
    "es_meter_clear": (None, [c_void_p]),
    "es_meter_get_sample": (c_bool, [c_void_p, c_size_t, POINTER(es_meter_sample)]),
    "es_meter_smoothness": (es_smoothness, [c_void_p]),
    "es_trace_create": (c_void_p, [c_char_p]),
    "es_trace_frame": (c_bool, [c_void_p, POINTER(es_report)]),
    "es_trace_destroy": (c_bool, [c_void_p]),
}
