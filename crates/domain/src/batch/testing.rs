//! Helpers for the tests of batches.

use super::{
    BatchName, CheckBasis, CheckedRows, CreateDecision, CreateRequest, FundingBudgets, PaymentInput, UploadRequest,
    decide_create,
};
use crate::ids::{BudgetId, PaymentBatchId};
use crate::stamp::Stamp;
use crate::test_support::{a_payment, a_payment_abroad, check_basis, upload_of};
use chrono::{DateTime, Utc};
use std::cell::Cell;
use std::collections::BTreeSet;
use uuid::Uuid;

/// A budget that holds pounds and euros.
pub(super) use crate::test_support::BUDGET as MAIN;
pub(super) use crate::test_support::{CLIENT, account, currency, with_country};

pub(super) const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
pub(super) const BATCH: PaymentBatchId = PaymentBatchId(Uuid::from_u128(2));
/// A budget that holds pounds, dirhams and yen.
pub(super) const OTHER: BudgetId = BudgetId(Uuid::from_u128(0xb2));

pub(super) fn funding() -> FundingBudgets {
    let currencies = |codes: &[&str]| codes.iter().map(|code| currency(code)).collect::<BTreeSet<_>>();
    [(MAIN, currencies(&["GBP", "EUR"])), (OTHER, currencies(&["AED", "GBP", "JPY"]))].into()
}

pub(super) fn basis() -> CheckBasis {
    check_basis(funding())
}

/// Returns a source of ids that count up from a number.
pub(super) fn ids_from(first: u128) -> impl Fn() -> Uuid {
    let next = Cell::new(first);
    move || Uuid::from_u128(next.replace(next.get() + 1))
}

/// Returns a payment in pounds to a UK account by Faster Payments.
pub(super) fn pounds(amount: &str) -> PaymentInput {
    a_payment(&format!("{amount} GBP"))
}

/// Returns a payment in euros to a German account by SEPA.
pub(super) fn euros(amount: &str) -> PaymentInput {
    a_payment(&format!("{amount} EUR"))
}

/// Returns a payment in pounds to a German account by Swift, which charges a fee.
pub(super) fn abroad(amount: &str) -> PaymentInput {
    a_payment_abroad(&format!("{amount} GBP"))
}

pub(super) fn checked(inputs: Vec<PaymentInput>) -> CheckedRows {
    crate::test_support::checked(inputs, basis())
}

pub(super) fn upload(inputs: Vec<PaymentInput>) -> UploadRequest {
    upload_of(inputs, basis())
}

/// Returns a new batch, with or without payments.
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
