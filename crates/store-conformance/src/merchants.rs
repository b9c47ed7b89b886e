//! Commands on merchants, with the domain's rules.

use crate::check::Failure;
use crate::seed_data::{Who, gbp, noon, pounds, uuid};
use chrono::{DateTime, Utc};
use florin_domain::ids::{CheckoutId, PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    Approval, CheckoutEdit, CheckoutKind, CheckoutRequest, CheckoutSituation, CreatePayeeSituation,
    EditCheckoutSituation, MAX_CHECKOUTS, MAX_PAYEES, MerchantProfile, OperatorEdit, Payee, PayeeRequest, ProfileEdit,
    SettlementAccountEdit, SettlementAccountRequest, SettlementChange, SettlementRefusal, SettlementSituation,
    ShippingOptions, WebUrl, decide_create_checkout, decide_create_payee, decide_create_settlement_account,
    decide_delete_settlement_account, decide_edit_checkout, decide_edit_profile, decide_edit_settlement_account,
    decide_payee_approval, decide_settlement_approval, edit_profile_by_operator,
};
use florin_domain::text::Text;
use florin_ports::{
    ApprovePayeeCommand, CreateCheckoutCommand, CreatePayeeCommand, Decide, EditCheckoutCommand, ProfileCommand,
    SettlementCommand,
};
use std::fmt::Debug;
use std::sync::Arc;

/// Returns the id of checkout `number` created by a check.
pub(crate) const fn checkout_id(number: u128) -> CheckoutId {
    CheckoutId(uuid(100, number))
}

/// Returns the id of settlement account `number` created by a check.
pub(crate) const fn settlement_account_id(number: u128) -> SettlementAccountId {
    SettlementAccountId(uuid(101, number))
}

/// Returns the id of payee `number` created by a check.
pub(crate) const fn payee_id(number: u128) -> PayeeId {
    PayeeId(uuid(102, number))
}

/// Builds a command by which a merchant changes its profile.
pub(crate) fn edit_profile(who: Who, edit: ProfileEdit) -> Result<ProfileCommand, Failure> {
    let decide = Arc::new(move |profile: &MerchantProfile| decide_edit_profile(profile, &edit));
    Ok(ProfileCommand { account: who.account()?, creates: false, decide, claim: None })
}

/// Builds a command by which the operator changes a profile.
pub(crate) fn administer(who: Who, edit: OperatorEdit) -> Result<ProfileCommand, Failure> {
    let decide = Arc::new(move |profile: &MerchantProfile| Ok(edit_profile_by_operator(profile, &edit)));
    Ok(ProfileCommand { account: who.account()?, creates: true, decide, claim: None })
}

/// Builds a command that creates checkout `number`, which names a settlement account.
pub(crate) fn create_checkout(
    who: Who,
    number: u128,
    settlement_account: Option<SettlementAccountId>,
) -> Result<CreateCheckoutCommand, Failure> {
    let shipping = Some(ShippingOptions { collect_address: true, dynamic_rates_url: None });
    let request = CheckoutRequest {
        id: checkout_id(number),
        account: who.account()?,
        kind: CheckoutKind::Shopping { settlement_account, shipping },
        name: Text::parse(format!("Sklep ✓ {number}"))?,
        currency: gbp()?,
        return_url: WebUrl::parse("https://shop.example/paid")?,
        locale: None,
        now: noon(),
        max_checkouts: MAX_CHECKOUTS,
    };
    let decide = Arc::new(move |situation: &CheckoutSituation| decide_create_checkout(situation, &request));
    Ok(CreateCheckoutCommand { account: who.account()?, decide, claim: None })
}

/// Builds a command that changes a checkout.
pub(crate) fn edit_checkout(
    who: Who,
    checkout: CheckoutId,
    edit: CheckoutEdit,
    now: DateTime<Utc>,
) -> Result<EditCheckoutCommand, Failure> {
    let decide = Arc::new(move |situation: &EditCheckoutSituation| decide_edit_checkout(situation, &edit, now));
    Ok(EditCheckoutCommand { account: who.account()?, checkout, decide, claim: None })
}

/// Builds a command with a rule for settlement accounts.
pub(crate) fn change_settlement_accounts(
    who: Who,
    decide: Decide<SettlementSituation, Result<SettlementChange, SettlementRefusal>>,
) -> Result<SettlementCommand, Failure> {
    Ok(SettlementCommand { account: who.account()?, bank: None, decide, claim: None })
}

/// Builds a command that creates settlement account `number`, for pounds.
pub(crate) fn open_settlement_account(who: Who, number: u128) -> Result<SettlementCommand, Failure> {
    let request = SettlementAccountRequest {
        id: settlement_account_id(number),
        account: who.account()?,
        name: Some(Text::parse(format!("Konto {number} ✓"))?),
        details: pounds(number + 1_000),
        now: noon() + chrono::TimeDelta::microseconds(i64::try_from(number).unwrap_or_default()),
    };
    change_settlement_accounts(who, Arc::new(move |situation| decide_create_settlement_account(situation, &request)))
}

/// Builds a command that changes a settlement account.
pub(crate) fn edit_settlement_account(
    who: Who,
    id: SettlementAccountId,
    edit: SettlementAccountEdit,
    now: DateTime<Utc>,
) -> Result<SettlementCommand, Failure> {
    let bank = edit.bank.clone().flatten();
    let decide = Arc::new(move |situation: &_| decide_edit_settlement_account(situation, id, &edit, now));
    Ok(SettlementCommand { bank, ..change_settlement_accounts(who, decide)? })
}

/// Builds a command that approves or rejects a settlement account.
pub(crate) fn approve_settlement_account(
    who: Who,
    id: SettlementAccountId,
    approval: Approval,
    now: DateTime<Utc>,
) -> Result<SettlementCommand, Failure> {
    change_settlement_accounts(who, Arc::new(move |situation| decide_settlement_approval(situation, id, approval, now)))
}

/// Builds a command that deletes a settlement account.
pub(crate) fn delete_settlement_account(who: Who, id: SettlementAccountId) -> Result<SettlementCommand, Failure> {
    change_settlement_accounts(who, Arc::new(move |situation| decide_delete_settlement_account(situation, id, noon())))
}

/// Builds a command that creates payee `number`, for pounds.
pub(crate) fn create_payee(who: Who, number: u128) -> Result<CreatePayeeCommand, Failure> {
    let request = PayeeRequest {
        id: payee_id(number),
        account: who.account()?,
        name: Text::parse(format!("Ægir {number}"))?,
        details: pounds(number),
        now: noon(),
        max_payees: MAX_PAYEES,
    };
    let details = request.details.clone();
    let decide = Arc::new(move |situation: &CreatePayeeSituation| decide_create_payee(situation, &request));
    Ok(CreatePayeeCommand { account: who.account()?, details, decide, claim: None })
}

/// Builds a command that approves or rejects a payee.
pub(crate) fn approve_payee(
    who: Who,
    payee: PayeeId,
    approval: Approval,
    now: DateTime<Utc>,
) -> Result<ApprovePayeeCommand, Failure> {
    let decide = Arc::new(move |payee: &Payee| decide_payee_approval(payee, approval, now));
    Ok(ApprovePayeeCommand { account: who.account()?, payee, decide, claim: None })
}

/// Returns every member of a payee. `Debug` of a payee hides the name and most of the bank details.
pub(crate) fn payee_members(payee: &Payee) -> impl Debug + PartialEq + use<> {
    (payee.clone(), payee.name.clone(), payee.details.to_stored())
}
