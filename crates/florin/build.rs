//! Gives the linker arguments that make the program smaller, if it is built for size, and if the linker and the C
//! library of this machine support them.
//!
//! A build for speed (`--profile dist`) is linked without these arguments, so that it also runs where the C library is
//! older than on the machine that built it.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Arguments that make the program smaller. Not every linker or C library knows them.
///
/// - Functions with equal instructions become one: generic code that is compiled for many types is often equal.
/// - Addresses that the loader adjusts take about one bit each, instead of 24 bytes (`DT_RELR`).
const ARGUMENTS: [&str; 2] = ["-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_one_of = |name: &str, values: &[&str]| env::var(name).is_ok_and(|found| values.contains(&found.as_str()));
    // A program for another machine can't be run here, so its loader can't be tried.
    let runs_here = env::var_os("HOST") == env::var_os("TARGET");
    if is_one_of("OPT_LEVEL", &["s", "z"]) && runs_here && is_one_of("CARGO_CFG_TARGET_OS", &["linux"]) {
        for argument in ARGUMENTS.into_iter().filter(|argument| works(argument) == Some(true)) {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
}

/// Links an empty program with the argument, as cargo links Florin, and runs it. Returns whether both succeed. `None`:
/// this could not be tried.
fn works(argument: &str) -> Option<bool> {
    let folder = env::var_os("OUT_DIR")?;
    let (source, program) = (Path::new(&folder).join("probe.rs"), Path::new(&folder).join("probe"));
    fs::write(&source, "fn main() {}").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.arg(&source).arg("-o").arg(&program).arg("-C").arg(format!("link-arg={argument}"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("linker=");
        option.push(linker);
        rustc.arg("-C").arg(option);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    Some(succeeds(&mut rustc)? && succeeds(&mut Command::new(&program))?)
}

/// Runs a command, discards its output, and returns whether it succeeds. `None`: it could not be started.
fn succeeds(command: &mut Command) -> Option<bool> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Some(command.status().ok()?.success())
}
