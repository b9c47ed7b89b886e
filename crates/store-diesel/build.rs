//! Migrations are embedded: a new one must rebuild the crate.

#[allow(clippy::print_stdout, reason = "this is how build scripts talk to cargo")]
fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
