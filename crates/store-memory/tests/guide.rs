//! Checks that the code in the guide for adapters is quoted from compiled sources.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

/// The sources that the guide quotes.
const SOURCES: [&str; 3] = [
    "crates/store-memory/src/credits.rs",
    "crates/store-memory/tests/conformance.rs",
    "crates/store-diesel/src/adapters.rs",
];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

#[test]
fn the_guide_quotes_the_sources() {
    let guide = read("docs/ADAPTERS.md");
    let sources = SOURCES.map(read);
    let blocks: Vec<_> =
        guide.split("```rust\n").skip(1).filter_map(|rest| Some(rest.split_once("\n```")?.0)).collect();
    assert!(blocks.len() >= 4, "{} blocks of Rust were found", blocks.len());
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "this is not in {SOURCES:?}:\n{block}");
    }
}
