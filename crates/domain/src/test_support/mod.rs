//! Builders and test scenarios for the rules, with the feature `test-support`.
//!
//! A builder starts with a valid value and changes what the test needs: `a_budget().with("250.00 GBP")`. A scenario
//! passes card messages, or actions on batches and sessions, to the rules. It stores each decision like an adapter, so
//! that a test can read the balances.
//!
//! ```
//! use florin_domain::test_support::{CardScenario, a_budget, a_card};
//!
//! let mut scenario = CardScenario::of(a_card(), a_budget().with("250.00 GBP"));
//! let coffee = scenario.authorize("2.40");
//! assert_eq!((scenario.available(), scenario.ledger()), ("247.60 GBP".into(), "250.00 GBP".into()));
//! scenario.clear(coffee.token, "2.40").unwrap();
//! assert_eq!(scenario.ledger(), "247.60 GBP");
//! ```
#![expect(clippy::unwrap_used, clippy::panic, reason = "a builder stops the test that gave it a wrong value")]
#![expect(clippy::missing_panics_doc, reason = "every builder panics on a wrong value")]

mod account;
mod batch_scenario;
mod budget;
mod card;
mod card_scenario;
mod checkout;
mod ids;
mod key;
mod merchant;
mod money;
mod movement;
mod payment;
mod person;
mod session_scenario;
mod state;
mod webhook;

pub use account::an_account;
pub use batch_scenario::BatchScenario;
pub use budget::{BudgetBuilder, a_budget};
pub use card::{
    CardBuilder, a_card, a_card_request, a_limit, a_limit_change, a_physical_card_request, a_purchase, a_refund,
    a_withdrawal, first_message,
};
pub use card_scenario::CardScenario;
pub use checkout::{
    a_bank_choice, a_basket, a_checkout, a_completed_session, a_merchant_payment_state, a_payee, a_payment_of_session,
    a_payment_reference, a_refund_of, a_refund_request, a_session, a_session_request, a_shipping, a_shipping_rate,
    a_top_up, a_top_up_request, collecting_shipping,
};
pub use ids::{BUDGET, CLIENT, CountingIds, PARENT, account, noon};
pub use key::an_api_key;
pub use merchant::{
    a_checkout_request, a_merchant, a_payee_request, a_settlement_account, a_settlement_request,
    a_settlement_situation, pounds_details,
};
pub use money::{balances, currency, decimal, minor, money, quotes};
pub use movement::{a_credit, a_stamp, a_transfer};
pub use payment::{a_payment, a_payment_abroad, check_basis, checked, upload_of, with_country};
pub use person::{a_person, a_person_request};
pub use session_scenario::SessionScenario;
pub use state::{a_batch_state, a_payment_state};
pub use webhook::{a_webhook, disabled_by_client};
