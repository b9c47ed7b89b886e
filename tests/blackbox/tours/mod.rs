//! The tours of the documentation, run by bash without changes: every shell block of a page, in order, in one shell.
//! If a page shows an output, the block must print it.
//!
//! `FLORIN_UPDATE_TOURS=1` writes the printed outputs into the pages.

mod run;
mod text;

use run::{Outputs, Tour};

/// Whether the tours can run here: the shell needs `jq` besides curl.
fn can_run() -> bool {
    let has_jq =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join("jq").exists()));
    assert!(has_jq || std::env::var_os("CI").is_none(), "jq is not installed");
    // The tours choose their store themselves, so they run with one store under test only.
    has_jq && std::env::var("FLORIN_TEST_STORE").as_deref() != Ok("postgres")
}

macro_rules! tours {
    ($($name:ident: $page:literal, $outputs:expr;)*) => {$(
        #[test]
        fn $name() {
            if can_run() {
                Tour::of($page, $outputs).run();
            }
        }
    )*};
}

tours! {
    the_sandbox_tour_works: "docs/SANDBOX-TOUR.md", Outputs::Exact;
    the_page_about_worlds_and_time_works: "docs/WORLDS-AND-TIME.md", Outputs::Exact;
    the_tour_of_payment_batches_works: "docs/PAYMENT-BATCHES-TOUR.md", Outputs::ButIdsAndTimes;
    the_page_about_budgets_and_cards_works: "docs/BUDGETS-AND-CARDS.md", Outputs::ButIdsAndTimes;
    the_page_about_merchants_works: "docs/MERCHANT.md", Outputs::ButIdsAndTimes;
    the_page_about_looking_inside_works: "docs/LOOKING-INSIDE.md", Outputs::ButIdsAndTimes;
    the_page_about_scenarios_works: "docs/SCENARIOS.md", Outputs::Exact;
    the_page_about_card_extensions_works: "docs/CARD-EXTENSIONS.md", Outputs::ButIdsAndTimes;
    the_page_about_card_decisions_works: "docs/CARD-DECISIONS.md", Outputs::ButIdsAndTimes;
    the_page_about_hardening_works: "docs/HARDENING.md", Outputs::Exact;
    the_page_about_webhooks_works: "docs/WEBHOOKS.md", Outputs::ButIdsAndTimes;
}

#[test]
fn the_quick_start_works() {
    if can_run() {
        Tour::of("README.md", Outputs::ButIdsAndTimes).beside_a_server().run();
    }
}
