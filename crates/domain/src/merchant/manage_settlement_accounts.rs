//! Decisions about settlement accounts: creating, changing, approving and deleting them.
//!
//! Invariant: if a currency has an APPROVED settlement account, exactly one settlement account of this currency is the
//! default.

use super::{
    Approval, ApprovalStatus, Bank, BankDetails, BankId, CheckoutTarget, MerchantPermission, MerchantProfile,
    SettlementAccount,
};
use crate::ids::{AccountId, SettlementAccountId};
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Maximum number of settlement accounts of an account.
pub const MAX_SETTLEMENT_ACCOUNTS: usize = 100;

/// The situation for a change of settlement accounts. An adapter loads it under the lock that serializes changes of a
/// merchant.
#[derive(Clone, Debug)]
pub struct SettlementSituation {
    /// The merchant's profile.
    pub profile: MerchantProfile,
    /// All settlement accounts of the merchant, oldest first.
    pub accounts: Vec<SettlementAccount>,
    /// The targets of the merchant's SHOPPING checkouts.
    pub targets: Vec<CheckoutTarget>,
    /// The settlement accounts that are still needed: OPEN or PROCESSING sessions pay into them, or refunds that are
    /// not final are paid from them.
    pub in_use: BTreeSet<SettlementAccountId>,
    /// The bank that the command names. `None`: it names none, or the bank is unknown.
    pub bank: Option<Bank>,
}

/// The result of a change of settlement accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementChange {
    /// All settlement accounts after the change.
    pub accounts: Vec<SettlementAccount>,
    /// The created or changed settlement account. `None`: it was deleted.
    pub changed: Option<SettlementAccountId>,
}

/// A request to create a settlement account, with the new id and the time.
#[derive(Clone, Debug)]
pub struct SettlementAccountRequest {
    /// The id of the new settlement account.
    pub id: SettlementAccountId,
    /// The merchant's account.
    pub account: AccountId,
    /// The merchant's name for the settlement account.
    pub name: Option<Text<1, 18>>,
    /// The bank account that is paid.
    pub details: BankDetails,
    /// The time of creation.
    pub now: DateTime<Utc>,
}

/// A change of a settlement account. `None` fields do not change.
#[derive(Clone, Debug, Default)]
pub struct SettlementAccountEdit {
    /// The merchant's name for the settlement account; `Some(None)` removes the name.
    pub name: Option<Option<Text<1, 18>>>,
    /// The bank that pays refunds, which must be the bank of the situation; `Some(None)` removes the bank.
    pub bank: Option<Option<BankId>>,
    /// Whether the settlement account becomes the default of its currency.
    pub make_default: bool,
}

/// Reasons to refuse a change of settlement accounts. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettlementRefusal {
    /// The account has no such settlement account.
    #[error("no such settlement account")]
    Absent,
    /// Another settlement account has the same bank details.
    #[error("a settlement account has these bank details")]
    DetailsTaken,
    /// The account has the maximum number of settlement accounts.
    #[error("an account has at most {MAX_SETTLEMENT_ACCOUNTS} settlement accounts")]
    TooMany,
    /// The bank is not on the bank list.
    #[error("unknown bank")]
    UnknownBank,
    /// The settlement account is not APPROVED, so it can't be the default.
    #[error("the settlement account is not APPROVED")]
    NotApproved,
    /// The operator has already decided.
    #[error("the operator has decided about the settlement account already")]
    Decided(ApprovalStatus),
    /// Sessions that have not ended pay into the settlement account, or refunds that are not final are paid from it.
    #[error(
        "sessions that are not over pay into the settlement account, or refunds that are not final are paid from it"
    )]
    AwaitsPayments,
    /// Checkouts pay into the settlement account, and no other one can replace it.
    #[error("checkouts pay into the settlement account")]
    InUse,
}

/// Decides the creation of a settlement account. It is immediately APPROVED if the merchant may create `TOP_UP`
/// checkouts.
///
/// ```
/// use florin_domain::merchant::{SettlementRefusal, decide_create_settlement_account};
/// use florin_domain::test_support::{a_settlement_request, a_settlement_situation};
///
/// let request = a_settlement_request(2);
/// let change = decide_create_settlement_account(&a_settlement_situation([1]), &request).unwrap();
/// assert_eq!((change.changed, change.accounts.len()), (Some(request.id), 2));
///
/// let refused = decide_create_settlement_account(&a_settlement_situation([1, 2]), &request);
/// assert_eq!(refused, Err(SettlementRefusal::DetailsTaken));
/// ```
pub fn decide_create_settlement_account(
    situation: &SettlementSituation,
    request: &SettlementAccountRequest,
) -> Result<SettlementChange, SettlementRefusal> {
    if situation.accounts.iter().any(|account| account.details == request.details) {
        return Err(SettlementRefusal::DetailsTaken);
    }
    if situation.accounts.len() >= MAX_SETTLEMENT_ACCOUNTS {
        return Err(SettlementRefusal::TooMany);
    }
    let mut accounts = situation.accounts.clone();
    accounts.push(SettlementAccount {
        id: request.id,
        account: request.account.clone(),
        name: request.name.as_ref().map(|name| name.as_str().to_owned()),
        details: request.details.clone(),
        bank: None,
        approval: initial_approval(&situation.profile),
        is_default: false,
        created_at: request.now,
        updated_at: request.now,
    });
    choose_defaults(&mut accounts);
    Ok(SettlementChange { accounts, changed: Some(request.id) })
}

/// Returns the approval status of new bank details.
pub(super) fn initial_approval(profile: &MerchantProfile) -> ApprovalStatus {
    if profile.may(MerchantPermission::CreateTopUpCheckouts) {
        ApprovalStatus::Approved
    } else {
        ApprovalStatus::Pending
    }
}

/// Decides a change by the merchant. A change without effect does not change `updated_at`.
///
/// ```
/// use florin_domain::merchant::{BankId, SettlementAccountEdit, SettlementRefusal, decide_edit_settlement_account};
/// use florin_domain::test_support::{a_settlement_account, a_settlement_situation, noon};
///
/// let (situation, id) = (a_settlement_situation([1, 2]), a_settlement_account(2).id);
/// let edit = SettlementAccountEdit { make_default: true, ..SettlementAccountEdit::default() };
/// let change = decide_edit_settlement_account(&situation, id, &edit, noon()).unwrap();
/// let defaults: Vec<_> = change.accounts.iter().map(|account| account.is_default).collect();
/// assert_eq!(defaults, [false, true]);
///
/// let edit = SettlementAccountEdit { bank: Some(BankId::parse(&"a".repeat(32)).ok()), ..edit };
/// let refused = decide_edit_settlement_account(&situation, id, &edit, noon());
/// assert_eq!(refused, Err(SettlementRefusal::UnknownBank));
/// ```
pub fn decide_edit_settlement_account(
    situation: &SettlementSituation,
    id: SettlementAccountId,
    edit: &SettlementAccountEdit,
    now: DateTime<Utc>,
) -> Result<SettlementChange, SettlementRefusal> {
    let mut accounts = situation.accounts.clone();
    let edited = find(&mut accounts, id)?;
    if let Some(name) = &edit.name {
        edited.name = name.as_ref().map(|name| name.as_str().to_owned());
    }
    if let Some(bank) = &edit.bank {
        let listed = situation.bank.as_ref().map(|bank| &bank.id);
        if bank.is_some() && bank.as_ref() != listed {
            return Err(SettlementRefusal::UnknownBank);
        }
        edited.bank.clone_from(bank);
    }
    if edit.make_default {
        if !edited.is_approved() {
            return Err(SettlementRefusal::NotApproved);
        }
        edited.is_default = true;
    }
    if edit.make_default {
        let currency = edited.details.currency();
        let others = accounts.iter_mut().filter(|other| other.id != id && other.details.currency() == currency);
        others.for_each(|other| other.is_default = false);
    }
    mark_changed(&situation.accounts, &mut accounts, now);
    Ok(SettlementChange { accounts, changed: Some(id) })
}

/// Decides the approval or rejection by the operator, who can decide only once.
///
/// ```
/// use florin_domain::merchant::{Approval, ApprovalStatus, SettlementRefusal, decide_settlement_approval};
/// use florin_domain::test_support::{a_settlement_situation, noon};
///
/// let mut situation = a_settlement_situation([1, 2]);
/// situation.accounts[1].approval = ApprovalStatus::Pending;
/// let id = situation.accounts[1].id;
/// let change = decide_settlement_approval(&situation, id, Approval::Reject, noon()).unwrap();
/// assert_eq!(change.accounts[1].approval, ApprovalStatus::Rejected);
///
/// situation.accounts = change.accounts;
/// let refused = decide_settlement_approval(&situation, id, Approval::Approve, noon());
/// assert_eq!(refused, Err(SettlementRefusal::Decided(ApprovalStatus::Rejected)));
/// ```
pub fn decide_settlement_approval(
    situation: &SettlementSituation,
    id: SettlementAccountId,
    approval: Approval,
    now: DateTime<Utc>,
) -> Result<SettlementChange, SettlementRefusal> {
    let mut accounts = situation.accounts.clone();
    let decided = find(&mut accounts, id)?;
    if decided.approval != ApprovalStatus::Pending {
        return Err(SettlementRefusal::Decided(decided.approval));
    }
    decided.approval = approval.status();
    choose_defaults(&mut accounts);
    mark_changed(&situation.accounts, &mut accounts, now);
    Ok(SettlementChange { accounts, changed: Some(id) })
}

/// Decides the deletion of a settlement account. If it is the default, the oldest other APPROVED settlement account of
/// its currency becomes the default.
///
/// ```
/// use florin_domain::merchant::{SettlementRefusal, decide_delete_settlement_account};
/// use florin_domain::test_support::{a_settlement_account, a_settlement_situation, noon};
///
/// let (mut situation, id) = (a_settlement_situation([1, 2]), a_settlement_account(1).id);
/// let change = decide_delete_settlement_account(&situation, id, noon()).unwrap();
/// assert_eq!(change.accounts.len(), 1);
/// assert!(change.accounts[0].is_default);
///
/// situation.in_use.insert(id);
/// let refused = decide_delete_settlement_account(&situation, id, noon());
/// assert_eq!(refused, Err(SettlementRefusal::AwaitsPayments));
/// ```
pub fn decide_delete_settlement_account(
    situation: &SettlementSituation,
    id: SettlementAccountId,
    now: DateTime<Utc>,
) -> Result<SettlementChange, SettlementRefusal> {
    let mut accounts = situation.accounts.clone();
    let place = accounts.iter().position(|account| account.id == id).ok_or(SettlementRefusal::Absent)?;
    let deleted = accounts.remove(place);
    choose_defaults(&mut accounts);
    let loses = |target: &CheckoutTarget| {
        target.pays_into(&deleted) && !accounts.iter().any(|account| target.pays_into(account))
    };
    if situation.targets.iter().any(loses) {
        return Err(SettlementRefusal::InUse);
    }
    if situation.in_use.contains(&id) {
        return Err(SettlementRefusal::AwaitsPayments);
    }
    mark_changed(&situation.accounts, &mut accounts, now);
    Ok(SettlementChange { accounts, changed: None })
}

fn find(
    accounts: &mut [SettlementAccount],
    id: SettlementAccountId,
) -> Result<&mut SettlementAccount, SettlementRefusal> {
    accounts.iter_mut().find(|account| account.id == id).ok_or(SettlementRefusal::Absent)
}

/// For each currency without a default, makes the oldest APPROVED settlement account the default.
fn choose_defaults(accounts: &mut [SettlementAccount]) {
    for currency in super::MerchantCurrency::ALL {
        let mut own: Vec<_> = accounts.iter_mut().filter(|account| account.details.currency() == currency).collect();
        if own.iter().any(|account| account.is_default) {
            continue;
        }
        let approved = own.iter_mut().filter(|account| account.is_approved());
        if let Some(oldest) = approved.min_by_key(|account| (account.created_at, account.id)) {
            oldest.is_default = true;
        }
    }
}

/// Updates the time of the last change of the settlement accounts that were changed.
fn mark_changed(before: &[SettlementAccount], accounts: &mut [SettlementAccount], now: DateTime<Utc>) {
    for account in accounts {
        let is_changed = before.iter().any(|old| old.id == account.id && old != account);
        if is_changed {
            // The clock of a world may be ahead of the operator's clock.
            account.updated_at = now.max(account.updated_at);
        }
    }
}

#[cfg(test)]
#[path = "manage_settlement_accounts_tests.rs"]
mod tests;
