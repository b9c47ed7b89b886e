//! What tests of batches are made of.

use super::{
    BatchName, CheckBasis, CheckedRows, CreateDecision, CreateRequest, FundingBudgets, InputFormat, ModulusTable,
    PaymentInput, PaymentRow, PostalAddressInput, RecipientInput, Stamp, UploadRequest, check_rows, decide_create,
};
use crate::ids::{AccountId, BudgetId, ClientId, PaymentBatchId};
use crate::money::Currency;
use chrono::{DateTime, Utc};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use uuid::Uuid;

pub(super) const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
pub(super) const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
pub(super) const BATCH: PaymentBatchId = PaymentBatchId(Uuid::from_u128(2));
/// Holds pounds and euros.
pub(super) const MAIN: BudgetId = BudgetId(Uuid::from_u128(0xb1));
/// Holds pounds, dirhams and yen.
pub(super) const OTHER: BudgetId = BudgetId(Uuid::from_u128(0xb2));

pub(super) fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

pub(super) fn account() -> AccountId {
    AccountId::parse("F1").unwrap()
}

pub(super) fn funding() -> FundingBudgets {
    let held = |codes: &[&str]| codes.iter().map(|code| currency(code)).collect::<BTreeSet<_>>();
    [(MAIN, held(&["GBP", "EUR"])), (OTHER, held(&["AED", "GBP", "JPY"]))].into()
}

pub(super) fn basis() -> CheckBasis {
    let modulus = Arc::new(ModulusTable::built_in().unwrap());
    CheckBasis { default_budget: Some(MAIN), funding: funding(), modulus }
}

/// Ids that count from a number.
pub(super) fn ids_from(first: u128) -> impl Fn() -> Uuid {
    let next = Cell::new(first);
    move || Uuid::from_u128(next.replace(next.get() + 1))
}

/// Pounds to a UK account, by Faster Payments.
pub(super) fn pounds(amount: &str) -> PaymentInput {
    let some = |text: &str| Some(text.to_owned());
    PaymentInput {
        amount: some(amount),
        currency_code: some("GBP"),
        reference: some("Invoice 12"),
        recipient: RecipientInput {
            name: some("Ann Archer"),
            account_identifier: some("66374958"),
            bank_identifier: some("08-99-99"),
            ..RecipientInput::default()
        },
        ..PaymentInput::default()
    }
}

/// Euros to a German account, by SEPA.
pub(super) fn euros(amount: &str) -> PaymentInput {
    let mut input = pounds(amount);
    input.currency_code = Some("EUR".into());
    input.recipient.account_identifier = Some("DE89 3704 0044 0532 0130 00".into());
    input.recipient.bank_identifier = None;
    input
}

/// Pounds to a German account, by Swift, which costs a fee.
pub(super) fn abroad(amount: &str) -> PaymentInput {
    PaymentInput { currency_code: Some("GBP".into()), ..euros(amount) }
}

/// The recipient's country.
pub(super) fn living_in(mut input: PaymentInput, country: &str) -> PaymentInput {
    input.recipient.address =
        Some(PostalAddressInput { country_code: Some(country.into()), ..PostalAddressInput::default() });
    input
}

pub(super) fn checked(inputs: Vec<PaymentInput>) -> CheckedRows {
    let row = |input| PaymentRow { input, miscounted: None };
    check_rows(inputs.into_iter().map(row).collect(), basis(), NOW)
}

pub(super) fn upload(inputs: Vec<PaymentInput>) -> UploadRequest {
    UploadRequest { format: InputFormat::Json, checked: checked(inputs) }
}

/// A new batch, with payments or without.
pub(super) fn created(inputs: Option<Vec<PaymentInput>>) -> CreateDecision {
    let request = CreateRequest {
        id: BATCH,
        account: account(),
        client: CLIENT,
        name: BatchName::parse("Wages").ok(),
        visible: true,
        payments: inputs.map(upload),
    };
    decide_create(&funding(), &request, &Stamp { now: NOW, ids: &ids_from(1000) }).unwrap()
}
