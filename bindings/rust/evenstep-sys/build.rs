//! Links the library of EVENSTEP_LIB_DIR, or compiles the C files in c/ (scripts/amalgamate writes them).
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(command: &mut Command) {
    let status = command.status();
    assert!(matches!(status, Ok(s) if s.success()), "failed: {:?}: {:?}", command, status);
}

fn main() {
    println!("cargo:rerun-if-env-changed=EVENSTEP_LIB_DIR");
    if let Ok(folder) = std::env::var("EVENSTEP_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", folder);
        println!("cargo:rustc-link-lib=evenstep");
        return;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let sources = Path::new("c").read_dir().expect("no folder c: run scripts/amalgamate into it, or set EVENSTEP_LIB_DIR");
    let archive = out.join("libevenstep.a");
    let _ = std::fs::remove_file(&archive);
    for source in sources.map(|entry| entry.unwrap().path()) {
        if source.extension().map_or(false, |e| e == "c") {
            let object = out.join(source.with_extension("o").file_name().unwrap());
            run(Command::new(&compiler).args(["-O2", "-fPIC", "-c"]).arg(&source).arg("-o").arg(&object));
            run(Command::new("ar").arg("rcs").arg(&archive).arg(&object));
        }
        println!("cargo:rerun-if-changed={}", source.display());
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=evenstep");
    println!("cargo:rustc-link-lib=m");
}
