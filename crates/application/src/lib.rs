//! Use cases, one per file. Each calls rules and ports in order, and contains no business rules.

mod access;
mod account_clocks;
mod audit_log;
mod batch_services;
mod cancel_batch;
mod card_settings;
mod cards;
mod chain_history;
mod change_card;
mod check_invariants;
mod checkout_services;
mod checkout_sessions;
mod checkouts;
mod clocks;
mod confirm_batch;
mod consult;
#[cfg(test)]
mod consult_tests;
mod create_batch;
mod create_budget;
mod create_card;
mod create_person;
mod decision_endpoints;
mod decision_services;
mod delete_idempotency_records;
mod deliver;
#[cfg(test)]
mod deliver_tests;
pub mod demo;
mod disputes;
mod edit_batch;
mod edit_budget;
mod edit_person;
mod erase_person;
mod events;
mod expire_holds;
mod explain_balance;
mod generate_credit;
mod key_uses;
mod limit_card;
mod lookup_addresses;
mod management_services;
mod merchant_profiles;
mod merchant_refunds;
mod merchant_services;
mod networks;
mod open_mfa_session;
mod page_tokens;
mod payees;
mod process_batches;
#[cfg(test)]
mod process_batches_tests;
mod protect_card;
mod refusals;
mod secret_digests;
mod secrets;
mod services;
mod settlement_accounts;
mod snapshot_files;
mod sweep;
mod transfer;
mod upload_payments;
mod validate_batch;
mod webhook_services;
mod webhooks;
mod worlds;

pub use access::{
    AccessError, ReachError, Requirement, identify, key_hash, permit, permit_all_accounts, reach_account,
};
pub use account_clocks::{AccountClock, AccountClocks};
pub use audit_log::{AuditVerification, BrokenReason, BrokenRecord, append_audit, verify_audit};
pub use batch_services::{BatchServices, ProcessingLimits, ProcessingServices};
pub use cancel_batch::cancel_batch;
pub use card_settings::{set_hold_life, set_over_clearing};
pub use cards::{FirstMessageError, NewMessage, send_first_message, send_follow_up};
pub use chain_history::chain_history;
pub use change_card::change_card;
pub use check_invariants::check_invariants;
pub use checkout_services::{CheckoutServices, NoPayerBanks, NoSimulatedBank};
pub use checkout_sessions::{
    NewSession, NewTopUp, act_at_stage, act_on_session, create_session, create_top_up, find_merchant_refund,
    find_session, settle_checkouts, settle_session, start_payment, start_refund,
};
pub use checkouts::{NewCheckout, create_checkout, edit_checkout};
pub use clocks::{read_clock, set_clock};
pub use confirm_batch::{ConfirmBatchError, ConfirmRequest, MfaToken, confirm_batch};
pub use consult::{MessageSender, ReleasableGuard};
pub use create_batch::{NewBatch, create_batch};
pub use create_budget::{NewBudget, create_budget};
pub use create_card::{NewCard, create_card, order_physical_card, replace_card};
pub use create_person::{NewPerson, create_person};
pub use decision_endpoints::{delete_endpoint, find_endpoint, rotate_endpoint_secret, set_endpoint};
pub use decision_services::{DecisionServices, QuestionToRender, RenderQuestion};
pub use delete_idempotency_records::delete_idempotency_records;
pub use deliver::{DeliveryMode, deliver};
pub use disputes::{act_on_dispute, open_dispute};
pub use edit_batch::edit_batch;
pub use edit_budget::edit_budget;
pub use edit_person::edit_person;
pub use erase_person::erase_person;
pub use events::{delete_events, event_reach};
pub use expire_holds::expire_holds;
pub use explain_balance::{ExplainBalanceError, explain_balance};
pub use generate_credit::generate_credit;
pub use key_uses::{KeyUses, record_key_uses};
pub use limit_card::{NewLimit, remove_limit, set_limit};
pub use lookup_addresses::lookup_addresses;
pub use management_services::ManagementServices;
pub use merchant_profiles::{administer_merchant, edit_merchant, set_logo};
pub use merchant_refunds::{authorise_refund, create_merchant_refund, find_merchant_payment};
pub use merchant_services::{MerchantAccessError, MerchantServices};
pub use networks::{
    NetworkChange, NewNetworkRequest, add_network, caller_network, covers, list_networks, parse_network, remove_network,
};
pub use open_mfa_session::{OpenMfaSessionRequest, open_mfa_session};
pub use page_tokens::PageTokenMaker;
pub use payees::{approve_payee, create_payee};
pub use process_batches::process_batches;
pub use protect_card::{set_budget_controls, set_card_controls, set_card_pin};
pub use refusals::{RecordRefusals, RefusedAuthentications, record_refusals};
pub use secret_digests::SecretDigests;
pub use secrets::{SecretsError, other_key, prepare_secrets, rotate_secrets};
pub use services::Services;
pub use settlement_accounts::{
    SettlementClaim, SettlementResult, approve_settlement_account, create_settlement_account,
    delete_settlement_account, edit_settlement_account,
};
pub use snapshot_files::{export_snapshot, import_snapshot, sweep_imported_snapshots};
pub use transfer::transfer;
pub use upload_payments::{Upload, check_basis, check_upload, upload_payments};
pub use validate_batch::validate_batch;
pub use webhook_services::{DeliveryServices, Sleep, SpawnSending, WebhookServices};
pub use webhooks::{
    NewWebhook, RotatedSecret, TestEvent, WebhookEdit, edit_webhook, list_webhooks, recover, redeliver,
    rotate_webhook_secret, set_webhook_enabled, subscribe, test_webhook, unsubscribe, webhook_reach, webhook_time,
};
pub use worlds::{
    CreatedWorld, NewWorld, NewWorldTemplate, WORLD_LIFETIME, create_world, delete_world, find_world, list_worlds,
    renew_world, replaced_account, restore_world, sweep_worlds, take_snapshot,
};
