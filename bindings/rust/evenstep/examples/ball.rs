//! A ball without a window: 30 updates and 60 frames per second. CC0: copy freely.
use evenstep::{hz, lerp, Config, Loop};

fn main() -> Result<(), evenstep::Error> {
    let mut config = Config::default();
    config.0.tick_rate = hz(30.0);
    config.0.pace = evenstep::sys::ES_PACE_ADAPTIVE;
    let mut run = Loop::new(&config)?;
    let (mut previous, mut x, mut speed) = (20.0, 20.0, 60.0);
    loop {
        let frame = run.next()?;
        for step in frame.updates() {
            previous = x;
            x += speed * step.dt_s;
            if !(20.0..=60.0).contains(&x) {
                speed = -speed;
            }
        }
        println!("{:>width$}", "o", width = lerp(previous, x, frame.alpha) as usize);
        run.submit()?;
        if frame.index == 120 {
            return Ok(());
        }
    }
}
