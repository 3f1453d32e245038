use evenstep::{Config, Error, Follower, Input, Loop, Track};

#[test]
fn a_game() -> Result<(), Error> {
    let mut config = Config::default();
    config.0.pace = evenstep::sys::ES_PACE_ADAPTIVE;
    let mut run = Loop::new(&config)?;
    let (mut track, mut keys, mut sound) = (Track::default(), Input::new()?, Follower::new()?);
    track.set(0, 0.0, 0.0, 0.0);
    keys.button(3, true, 0)?;
    for _ in 0..30 {
        let frame = run.next()?;
        for step in frame.updates() {
            keys.tick(&step);
            track.set(step.index, step.index as f64, 0.0, 0.0);
        }
        let shown = frame.content_ns as f64 * 60e-9;
        assert!((track.at(&frame).x - shown).abs() < 1e-6, "{} {}", track.at(&frame).x, shown);
        run.submit()?;
    }
    assert!(keys.held(3));
    assert!(sound.at(0).is_err());
    sound.add(7000, 1000);
    assert_eq!(sound.at(2000)?, 8000);
    run.follow(&mut sound, 0)?;
    assert!(run.set_speed(-1.0).unwrap_err().to_string().contains("speed"));
    config.0.tick_rate.denominator = 0;
    config.0.tick_rate.numerator = 5;
    assert!(Loop::new(&config).err().unwrap().to_string().contains("tick_rate"));
    Ok(())
}
