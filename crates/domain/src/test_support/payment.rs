//! Test data: payments as a client uploads them.

use super::ids::{BUDGET, noon};
use crate::batch::{
    CheckBasis, CheckedRows, FundingBudgets, InputFormat, ModulusTable, PaymentInput, PaymentRow, PostalAddressInput,
    RecipientInput, UploadRequest, check_rows,
};
use std::sync::Arc;

/// Returns a payment of an amount such as `10.00 GBP`.
///
/// Pounds are paid to a UK account by Faster Payments, euros to a German account by SEPA, and other currencies to a
/// German account by Swift, with a fee.
pub fn a_payment(money: &str) -> PaymentInput {
    let (amount, code) = money.split_once(' ').unwrap();
    if code != "GBP" {
        return a_payment_abroad(money);
    }
    payment(amount, code, ("66374958", Some("08-99-99")))
}

/// Returns a payment to a German account, by SEPA if it is in euros, otherwise by Swift.
pub fn a_payment_abroad(money: &str) -> PaymentInput {
    let (amount, code) = money.split_once(' ').unwrap();
    payment(amount, code, ("DE89 3704 0044 0532 0130 00", None))
}

fn payment(amount: &str, code: &str, (account, bank): (&str, Option<&str>)) -> PaymentInput {
    let some = |text: &str| Some(text.to_owned());
    PaymentInput {
        amount: some(amount),
        currency_code: some(code),
        reference: some("Invoice 12"),
        recipient: RecipientInput {
            name: some("Ann Archer"),
            account_identifier: some(account),
            bank_identifier: bank.map(str::to_owned),
            ..RecipientInput::default()
        },
        ..PaymentInput::default()
    }
}

/// Sets the country of the recipient's address.
pub fn with_country(mut input: PaymentInput, country: &str) -> PaymentInput {
    let country_code = Some(country.to_owned());
    input.recipient.address = Some(PostalAddressInput { country_code, ..PostalAddressInput::default() });
    input
}

/// Returns the basis for checks against these budgets. [`BUDGET`] pays for rows that name no budget.
pub fn check_basis(funding: FundingBudgets) -> CheckBasis {
    CheckBasis { default_budget: Some(BUDGET), funding, modulus: Arc::new(ModulusTable::built_in().unwrap()) }
}

/// Checks payments as the rows of an upload.
pub fn checked(inputs: impl IntoIterator<Item = PaymentInput>, basis: CheckBasis) -> CheckedRows {
    let row = |input| PaymentRow { input, miscounted: None };
    check_rows(inputs.into_iter().map(row).collect(), basis, noon())
}

/// Returns a checked upload of these payments as JSON.
pub fn upload_of(inputs: impl IntoIterator<Item = PaymentInput>, basis: CheckBasis) -> UploadRequest {
    UploadRequest { format: InputFormat::Json, checked: checked(inputs, basis) }
}
