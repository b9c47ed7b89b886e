//! Creates, changes, approves and deletes settlement accounts.

use crate::MerchantServices;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, SettlementAccountId};
use florin_domain::merchant::{
    Approval, BankDetails, SettlementAccountEdit, SettlementAccountOverview, SettlementAccountRequest,
    SettlementRefusal, SettlementSituation, decide_create_settlement_account, decide_delete_settlement_account,
    decide_edit_settlement_account, decide_settlement_approval,
};
use florin_domain::text::Text;
use florin_ports::{IdempotencyClaim, SettlementAccounts, SettlementCommand, WriteError, Written};
use std::sync::Arc;

/// The idempotency claim of a change of settlement accounts.
pub type SettlementClaim = Option<IdempotencyClaim<Option<SettlementAccountOverview>>>;
/// The result of a change of settlement accounts: the created or changed account. `None`: it was deleted.
pub type SettlementResult = Result<Written<Option<SettlementAccountOverview>>, WriteError<SettlementRefusal>>;

/// Creates a settlement account.
pub async fn create_settlement_account(
    services: &MerchantServices,
    account: &Account,
    name: Option<Text<1, 18>>,
    details: BankDetails,
    claim: SettlementClaim,
) -> SettlementResult {
    let clock = services.clock_of(account).await?;
    let id = SettlementAccountId(clock.next_id());
    let request = SettlementAccountRequest { id, account: account.id.clone(), name, details, now: clock.now() };
    let decide = Arc::new(move |situation: &SettlementSituation| decide_create_settlement_account(situation, &request));
    let command = SettlementCommand { account: account.id.clone(), bank: None, decide, claim };
    services.settlement_accounts.change(command).await
}

/// Changes a settlement account.
pub async fn edit_settlement_account(
    services: &MerchantServices,
    account: &Account,
    id: SettlementAccountId,
    edit: SettlementAccountEdit,
    claim: SettlementClaim,
) -> SettlementResult {
    let (bank, now) = (edit.bank.clone().flatten(), services.time.now_of(account));
    let decide =
        Arc::new(move |situation: &SettlementSituation| decide_edit_settlement_account(situation, id, &edit, now));
    let command = SettlementCommand { account: account.id.clone(), bank, decide, claim };
    services.settlement_accounts.change(command).await
}

/// Deletes a settlement account.
pub async fn delete_settlement_account(
    services: &MerchantServices,
    account: &Account,
    id: SettlementAccountId,
    claim: SettlementClaim,
) -> SettlementResult {
    let now = services.time.now_of(account);
    let decide = Arc::new(move |situation: &SettlementSituation| decide_delete_settlement_account(situation, id, now));
    let command = SettlementCommand { account: account.id.clone(), bank: None, decide, claim };
    services.settlement_accounts.change(command).await
}

/// Approves or rejects a settlement account, on behalf of the operator.
pub async fn approve_settlement_account(
    settlement_accounts: &(impl SettlementAccounts + ?Sized),
    account: AccountId,
    id: SettlementAccountId,
    (approval, now): (Approval, DateTime<Utc>),
    claim: SettlementClaim,
) -> SettlementResult {
    let decide =
        Arc::new(move |situation: &SettlementSituation| decide_settlement_approval(situation, id, approval, now));
    settlement_accounts.change(SettlementCommand { account, bank: None, decide, claim }).await
}
