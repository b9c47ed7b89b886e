//! Support for all tests: the server under test, HTTP clients, the demo data, assertions.

pub(crate) mod assert;
pub(crate) mod batches;
pub(crate) mod busy;
pub(crate) mod cells;
pub(crate) mod client;
pub(crate) mod decisions;
pub(crate) mod demo;
pub(crate) mod described;
pub(crate) mod examples;
pub(crate) mod feed;
pub(crate) mod folder;
pub(crate) mod guards;
pub(crate) mod http;
pub(crate) mod kills;
pub(crate) mod load;
pub(crate) mod logo;
pub(crate) mod management;
pub(crate) mod money;
pub(crate) mod payer;
pub(crate) mod payments;
pub(crate) mod postgres;
pub(crate) mod protected;
pub(crate) mod receiver;
pub(crate) mod record;
pub(crate) mod seeds;
pub(crate) mod server;
pub(crate) mod setting;
pub(crate) mod shop;
pub(crate) mod store;
pub(crate) mod storefront;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod tls;
pub(crate) mod together;
pub(crate) mod wallet;
pub(crate) mod worlds;

pub(crate) use assert::{expect_error, expect_fault, expect_faults, expect_json};
pub(crate) use busy::while_requesting;
pub(crate) use client::{Answer, Client};
pub(crate) use demo::demo;
pub(crate) use server::{Server, Workspace, anonymous, shared};
pub(crate) use together::together;
pub(crate) use wallet::Wallet;

/// A UUID that no object of the demo data has.
pub(crate) const ABSENT: &str = "0190a1b2-0000-7000-8000-00000000dead";

pub(crate) const CHECKOUTS: &str = "/v2/merchant/checkouts";
pub(crate) const SETTLEMENT_ACCOUNTS: &str = "/v2/merchant/settlement-accounts";
pub(crate) const PAYEES: &str = "/v2/merchant/payees";
pub(crate) const BANKS: &str = "/v2/merchant/banks";
pub(crate) const LOOKUP: &str = "/v2/addresses/lookup";
pub(crate) const MFA_SESSIONS: &str = "/v2/mfa/sessions";
pub(crate) const CREDIT: &str = "/v2/budgets/generate-credit";
pub(crate) const AUTHORIZATION: &str = "/v2/cards/simulations/transaction/authorization";
pub(crate) const ADVICE: &str = "/v2/cards/simulations/transaction/authorization/advice";
pub(crate) const CLEARING: &str = "/v2/cards/simulations/transaction/authorization/clearing";
pub(crate) const REVERSAL: &str = "/v2/cards/simulations/transaction/authorization/reversal";
pub(crate) const REFUND: &str = "/v2/cards/simulations/refund/authorization";
pub(crate) const REFUND_CLEARING: &str = "/v2/cards/simulations/refund/authorization/clearing";
pub(crate) const ATM: &str = "/v2/cards/simulations/atm/withdrawal/authorization";
pub(crate) const ATM_CLEARING: &str = "/v2/cards/simulations/atm/withdrawal/authorization/clearing";

pub(crate) const INCREMENT: &str = "/v2/cards/simulations/transaction/authorization/incremental";
pub(crate) const REFUND_REVERSAL: &str = "/v2/cards/simulations/refund/authorization/reversal";
pub(crate) const CHAIN: &str = "/v2/cards/simulations/transactions/{token}";

/// Returns the path of a message's chain.
pub(crate) fn chain_path(token: &str) -> String {
    CHAIN.replace("{token}", token)
}

/// Returns the path that confirms a batch.
pub(crate) fn confirm_path(batch: &str) -> String {
    format!("/v2/payment-batches/{batch}/confirm")
}

/// The paths that simulate credits and card messages in the sandbox, except those with the id of a dispute.
pub(crate) const SIMULATIONS: [&str; 19] = [
    CREDIT,
    AUTHORIZATION,
    ADVICE,
    INCREMENT,
    CLEARING,
    REVERSAL,
    REFUND,
    REFUND_CLEARING,
    REFUND_REVERSAL,
    ATM,
    ATM_CLEARING,
    "/v2/cards/simulations/transaction/authorization/expiration",
    "/v2/cards/simulations/debit",
    "/v2/cards/simulations/debit/reversal",
    "/v2/cards/simulations/balance-inquiry",
    "/v2/cards/simulations/fee",
    "/v2/cards/simulations/refund",
    "/v2/cards/simulations/refund/reversal",
    "/v2/cards/simulations/disputes",
];
