//! Florin: a money-handling HTTP API that anyone can run.
fn main() {}
