//! Compiles the simulated disk, which is written in C, as SQLite is.
//!
//! Nothing in Rust refers to it: it registers itself before `main`, so the linker must keep all of it.

fn main() {
    let sources = ["disk/disk.c", "disk/vfs.c", "disk/control.c"];
    for source in sources.iter().chain(&["disk/disk.h"]) {
        println!("cargo::rerun-if-changed={source}");
    }
    let mut build = cc::Build::new();
    if let Some(headers) = std::env::var_os("DEP_SQLITE3_INCLUDE") {
        build.include(headers);
    }
    build.files(sources).extra_warnings(true).warnings_into_errors(true).link_lib_modifier("+whole-archive");
    build.compile("florin-disk");
}
