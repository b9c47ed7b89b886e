//! First tests of Florin's rules, as `docs/TESTING-RULES.md` shows them.
//!
//! The crate depends on nothing but the domain: `cargo test -p florin-example-rules` takes seconds.

#[cfg(test)]
mod authorization;
#[cfg(test)]
mod confirmation;

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_shows_the_tests_that_run_here() {
        let page = include_str!("../../../docs/TESTING-RULES.md");
        assert!(page.contains(include_str!("authorization.rs")), "authorization.rs differs from the page");
        assert!(page.contains(include_str!("confirmation.rs")), "confirmation.rs differs from the page");
    }
}
