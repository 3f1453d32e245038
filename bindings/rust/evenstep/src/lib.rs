//! Smooth motion for games.
//!
//! ```no_run
//! use evenstep::{lerp, Config, Loop};
//!
//! let mut run = Loop::new(&Config::default())?;
//! let (mut previous, mut x) = (0.0, 0.0);
//! loop {
//!     let frame = run.next()?;
//!     for step in frame.updates() {
//!         previous = x;
//!         x += 240.0 * step.dt_s;
//!     }
//!     println!("{}", lerp(previous, x, frame.alpha)); // draw
//!     run.submit()?;
//!     // present
//! #   break;
//! }
//! # Ok::<(), evenstep::Error>(())
//! ```
//!
//! What is not here is in [`sys`], by its C name.
use std::ffi::CStr;
use std::ops::Deref;
use std::ptr;

pub use evenstep_sys as sys;

/// A call has failed; the text is that of `es_get_error`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn text(c: *const std::os::raw::c_char) -> String {
    // every text of the library ends with a zero
    unsafe { CStr::from_ptr(c) }.to_string_lossy().into_owned()
}

fn check(ok: bool) -> Result<(), Error> {
    if ok { Ok(()) } else { Err(Error(text(unsafe { sys::es_get_error() }))) }
}

/// A rate per second as an exact fraction: 59.94 is 60000/1001.
pub fn hz(rate: f64) -> sys::es_rate {
    unsafe { sys::es_hz(rate) }
}

/// The loop's clock.
pub fn now_ns() -> i64 {
    unsafe { sys::es_now_ns() }
}

/// Between two numbers; exactly `a` at 0 and `b` at 1.
pub fn lerp(a: f64, b: f64, t: f64) -> f64 {
    unsafe { sys::es_lerp(a, b, t) }
}

/// How a loop behaves: the C structure, whose zeros are the defaults.
pub struct Config(pub sys::es_loop_config);

impl Default for Config {
    fn default() -> Self {
        // all zeros: numbers, NULL pointers and None
        Config(unsafe { std::mem::zeroed() })
    }
}

/// One frame: what to run and what to draw.
pub struct Frame(sys::es_frame);

impl Deref for Frame {
    type Target = sys::es_frame;
    fn deref(&self) -> &sys::es_frame {
        &self.0
    }
}

impl Frame {
    /// The ticks to run now.
    pub fn updates(&self) -> impl Iterator<Item = sys::es_step> + '_ {
        (0..self.0.ticks).map(move |i| unsafe { sys::es_frame_step(&self.0, i) })
    }
}

/// Decides when to update, when to draw and which instant each frame shows.
pub struct Loop(*mut sys::es_loop);

// One thread at a time, which need not be the one that made it.
unsafe impl Send for Loop {}

impl Drop for Loop {
    fn drop(&mut self) {
        unsafe { sys::es_loop_destroy(self.0) }
    }
}

impl Loop {
    pub fn new(config: &Config) -> Result<Self, Error> {
        let made = unsafe { sys::es_loop_create(&config.0) };
        check(!made.is_null()).map(|_| Loop(made))
    }

    /// Ends the last frame, waits if it must, and plans the next.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Frame, Error> {
        let mut frame = Frame(unsafe { std::mem::zeroed() });
        check(unsafe { sys::es_loop_next(self.0, &mut frame.0) }).map(|_| frame)
    }

    /// Drawing is done: present directly after it.
    pub fn submit(&mut self) -> Result<(), Error> {
        check(unsafe { sys::es_loop_submit(self.0) })
    }

    /// Before each frame: content is where the other clock is.
    pub fn follow(&mut self, follower: &mut Follower, offset_ns: i64) -> Result<(), Error> {
        check(unsafe { sys::es_loop_follow(self.0, follower.0, offset_ns) })
    }

    pub fn set_paused(&mut self, paused: bool) {
        unsafe { sys::es_loop_set_paused(self.0, paused) }
    }

    pub fn set_speed(&mut self, speed: f64) -> Result<(), Error> {
        check(unsafe { sys::es_loop_set_speed(self.0, speed) })
    }

    pub fn set_visible(&mut self, visible: bool) {
        unsafe { sys::es_loop_set_visible(self.0, visible) }
    }

    pub fn display(&self) -> sys::es_display {
        unsafe { sys::es_loop_get_display(self.0) }
    }

    /// A line for a window's title.
    pub fn status(&self) -> String {
        let mut line = [0; 160];
        text(unsafe { sys::es_loop_status(self.0, line.as_mut_ptr(), line.len()) })
    }

    /// What is wrong with the program or its display.
    pub fn problem(&self) -> Option<String> {
        let problem = unsafe { sys::es_loop_problem(self.0) };
        if problem.is_null() { None } else { Some(text(problem)) }
    }

    /// For functions of [`sys`]. Do not destroy it.
    pub fn as_ptr(&mut self) -> *mut sys::es_loop {
        self.0
    }
}

/// An object in the plane, which remembers its tick.
pub struct Track(sys::es_track2);

impl Default for Track {
    fn default() -> Self {
        Track(unsafe { std::mem::zeroed() })
    }
}

impl Track {
    /// After the object's update, in this tick.
    pub fn set(&mut self, tick: i64, x: f64, y: f64, angle: f64) {
        unsafe { sys::es_track2_set(&mut self.0, tick, sys::es_pose2 { x, y, angle }) }
    }

    /// It jumped: no frame shows it on the way.
    pub fn snap(&mut self, tick: i64, x: f64, y: f64, angle: f64) {
        unsafe { sys::es_track2_snap(&mut self.0, tick, sys::es_pose2 { x, y, angle }) }
    }

    /// Where a frame shows it.
    pub fn at(&self, frame: &Frame) -> sys::es_pose2 {
        unsafe { sys::es_track2_at(&self.0, &frame.0) }
    }
}

/// Gives each event to exactly one tick.
pub struct Input(*mut sys::es_input);

unsafe impl Send for Input {}

impl Drop for Input {
    fn drop(&mut self) {
        unsafe { sys::es_input_destroy(self.0) }
    }
}

impl Input {
    pub fn new() -> Result<Self, Error> {
        let made = unsafe { sys::es_input_create(ptr::null()) };
        check(!made.is_null()).map(|_| Input(made))
    }

    pub fn button(&mut self, code: i32, down: bool, stamp_ns: i64) -> Result<(), Error> {
        check(unsafe { sys::es_input_button(self.0, code, down, stamp_ns) })
    }

    pub fn motion(&mut self, axis: i32, by: f64, stamp_ns: i64) -> Result<(), Error> {
        check(unsafe { sys::es_input_move(self.0, axis, by, stamp_ns) })
    }

    pub fn tick(&mut self, step: &sys::es_step) {
        unsafe { sys::es_input_tick(self.0, step) };
    }

    pub fn pressed(&self, code: i32) -> i32 {
        unsafe { sys::es_input_pressed(self.0, code) }
    }

    pub fn held(&self, code: i32) -> bool {
        unsafe { sys::es_input_held(self.0, code) }
    }

    pub fn value(&self, axis: i32) -> f64 {
        unsafe { sys::es_input_value(self.0, axis) }
    }
}

/// Another clock: a sound card, a server.
pub struct Follower(*mut sys::es_follower);

unsafe impl Send for Follower {}

impl Drop for Follower {
    fn drop(&mut self) {
        unsafe { sys::es_follower_destroy(self.0) }
    }
}

impl Follower {
    pub fn new() -> Result<Self, Error> {
        let made = unsafe { sys::es_follower_create(ptr::null()) };
        check(!made.is_null()).map(|_| Follower(made))
    }

    /// A reading: what the other clock showed, and when.
    pub fn add(&mut self, other_ns: i64, read_ns: i64) -> bool {
        unsafe { sys::es_follower_add(self.0, other_ns, read_ns) }
    }

    pub fn reset(&mut self) {
        unsafe { sys::es_follower_reset(self.0) }
    }

    /// What it shows at an instant.
    pub fn at(&mut self, now_ns: i64) -> Result<i64, Error> {
        let mut other_ns = 0;
        check(unsafe { sys::es_follower_at(self.0, now_ns, &mut other_ns) }).map(|_| other_ns)
    }
}
