//! Test data: credits and transfers.

use super::ids::{BUDGET, noon};
use super::money::{currency, decimal};
use crate::budget::{CreditInstruction, CreditScheme, TransferInstruction};
use crate::ids::BudgetId;
use crate::stamp::Stamp;
use crate::text::Text;
use uuid::Uuid;

/// Returns a credit of an amount such as `200.00 GBP` to [`BUDGET`].
pub fn a_credit(amount: &str) -> CreditInstruction {
    let (sent, code) = amount.split_once(' ').unwrap();
    CreditInstruction {
        budget: BUDGET,
        amount: decimal(sent),
        currency: currency(code),
        remitters_name: Text::parse("Ann").unwrap(),
        remitters_address: Text::parse("1 High Street").unwrap(),
        beneficiary_name: Text::parse("Bob").unwrap(),
        scheme: CreditScheme::FasterPayment,
        reference: None,
        bank_identifier: None,
        account_identifier: None,
        order_id: None,
        third_party_reference: None,
        institution_name: None,
        institution_address: None,
    }
}

/// Returns a transfer of an amount such as `40.00 GBP` from [`BUDGET`] to another budget.
pub fn a_transfer(amount: &str, to: BudgetId) -> TransferInstruction {
    let (sent, code) = amount.split_once(' ').unwrap();
    TransferInstruction { from: BUDGET, to, amount: decimal(sent), currency: currency(code), reference: None }
}

/// Returns a stamp at noon. All its ids are equal.
pub fn a_stamp() -> Stamp<'static> {
    Stamp { now: noon(), ids: &|| Uuid::from_u128(0x11) }
}
