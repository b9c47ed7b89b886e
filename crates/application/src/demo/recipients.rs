//! The recipients of the demo batches. Their bank accounts are published examples that pass every check.

use super::budgets::BudgetBuilder;
use florin_domain::batch::{PaymentInput, PaymentRow, RecipientInput};
use florin_domain::money::Minor;

/// A recipient of demo payments.
#[derive(Clone, Copy)]
pub(super) enum Recipient {
    Ada,
    Charles,
    Mary,
    Grete,
    Jeanne,
}

impl Recipient {
    /// Returns the name, account identifier and bank identifier. A recipient with an IBAN has no bank identifier.
    const fn account(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::Ada => ("Ada Lovelace", "66374958", Some("089999")),
            Self::Charles => ("Charles Babbage", "88837491", Some("107999")),
            Self::Mary => ("Mary Somerville", "GB29NWBK60161331926819", None),
            Self::Grete => ("Grete Hermann", "DE89370400440532013000", None),
            Self::Jeanne => ("Jeanne Villepreux", "FR1420041010050500013M02606", None),
        }
    }
}

/// Returns a row that pays a recipient from a budget.
pub(super) fn row(recipient: Recipient, builder: &BudgetBuilder, amount: Minor, reference: &str) -> PaymentRow {
    let (name, account, bank) = recipient.account();
    let recipient = RecipientInput {
        name: Some(name.to_owned()),
        account_identifier: Some(account.to_owned()),
        bank_identifier: bank.map(str::to_owned),
        ..RecipientInput::default()
    };
    let input = PaymentInput {
        amount: Some(amount.of(builder.currency()).to_string()),
        currency_code: Some(builder.currency().code().to_owned()),
        funding_budget_id: Some(builder.id().to_string()),
        reference: Some(reference.to_owned()),
        recipient,
        ..PaymentInput::default()
    };
    PaymentRow { input, miscounted: None }
}
