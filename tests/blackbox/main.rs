//! The black-box suite: it starts the real binary with a fresh database and talks to it over HTTP and the command line.
//! It runs on either store: `FLORIN_TEST_STORE` is `sqlite`, the default, or `postgres`, with the server of
//! `DATABASE_URL`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test fails by panicking, and tests may use the machine's clock and random ids"
)]

mod accounts;
mod activity;
mod activity_feed;
mod activity_numbers;
mod addresses;
mod administration;
mod advice;
mod atm;
mod audit;
mod authentication;
mod authorization;
mod balance_table;
mod budgets_manage;
mod budgets_transfer;
mod card_decisions;
mod card_decisions_manage;
mod card_decisions_slow;
mod card_extensions_amounts;
mod card_extensions_currency;
mod card_extensions_messages;
mod card_extensions_table;
mod card_model;
mod card_settings;
mod cards_controls;
mod cards_limits;
mod cards_manage;
mod cards_verification;
mod cells;
mod cells_commands;
mod cells_move;
mod cells_move_pages;
mod chain_view;
mod checkout_model;
mod checkout_session_rules;
mod checkout_sessions;
mod clearing;
mod cli;
mod cli_behaviour;
mod cli_mfa;
mod clock;
mod concurrency;
mod confirm_batch;
mod cors;
mod crash;
mod damage;
mod demo_batches;
mod demo_card_limits;
mod disputes;
mod documented_messages;
mod dry_run;
mod environment;
mod events;
mod events_stream;
mod explain_balance;
mod export_import;
mod floods;
mod full_disk;
mod generate_credit;
mod home_and_docs_pages;
mod http_limits;
mod idempotency;
mod invalid_input;
mod invariants;
mod ip_addresses;
mod json_amounts;
mod json_edges;
mod listen;
mod locked_database;
mod merchant_access;
mod merchant_banks;
mod merchant_checkout_changes;
mod merchant_checkouts;
mod merchant_dry_run;
mod merchant_euros;
mod merchant_import;
mod merchant_kills;
mod merchant_logo;
mod merchant_logo_bombs;
mod merchant_logo_files;
mod merchant_payments;
mod merchant_profile;
mod merchant_refunds;
mod mfa_sessions;
mod openapi;
mod openapi_examples;
mod openapi_generators;
mod openapi_requests;
mod order_of_checks;
mod original_client_accounts;
mod original_client_activity;
mod original_client_budgets;
mod original_client_cards;
mod original_client_messages;
mod original_client_operations;
mod original_client_people;
mod overload;
mod payment_batches_access;
mod payment_batches_confirm;
mod payment_batches_csv;
mod payment_batches_json;
mod payment_batches_list;
mod payment_batches_manage;
mod payment_batches_openapi;
mod payment_batches_processing;
mod payment_pages;
mod payment_pages_forms;
mod payment_pages_hostile;
mod payment_pages_refund;
mod payment_pages_shipping;
mod people;
mod people_cards;
mod physical_cards;
mod production;
mod refund;
mod reversal;
mod routes;
mod scenarios;
mod secrets;
mod settlement_accounts;
mod shutdown;
mod snapshot_files;
mod snapshot_files_rows;
mod strangers;
mod support;
mod testing_payments;
mod tours;
mod upload_memory;
mod webhooks_deliver;
mod webhooks_fan_out;
mod webhooks_killed;
mod webhooks_manage;
mod webhooks_operate;
mod webhooks_production;
mod webhooks_recover;
mod webhooks_retries;
mod webhooks_shutdown;
mod worlds;
mod worlds_determinism;

/// Whether the tests of this program run on PostgreSQL and nowhere else.
const ONLY_POSTGRES: bool = false;
