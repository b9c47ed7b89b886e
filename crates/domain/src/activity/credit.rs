//! Details of a credit.

use crate::budget::{Credit, CreditScheme};
use crate::ledger::Balances;
use crate::text::Text;

/// A credit as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditDetail {
    /// Its number in the account's sequence, from 1.
    pub box_transaction_id: i64,
    /// The scheme through which it arrived.
    pub scheme: CreditScheme,
    /// The sender's name.
    pub remitters_name: String,
    /// The sender's address.
    pub remitters_address: String,
    /// The beneficiary's name.
    pub beneficiary_name: String,
    /// The sender's reference.
    pub reference: Option<String>,
    /// The identifier of the sending bank.
    pub bank_identifier: Option<String>,
    /// The identifier of the sending bank account.
    pub account_identifier: Option<String>,
    /// The order it belongs to, in the caller's words.
    pub order_id: Option<String>,
    /// A third party's reference.
    pub third_party_reference: Option<String>,
    /// The name of the sending bank.
    pub institution_name: Option<String>,
    /// The address of the sending bank.
    pub institution_address: Option<String>,
    /// The budget's balances in that currency after the credit.
    pub balances: Balances,
}

impl From<&Credit> for CreditDetail {
    fn from(credit: &Credit) -> Self {
        let sent = credit.instruction.clone();
        let text = |text: Option<Text<0, 140>>| text.map(Text::into_string);
        Self {
            box_transaction_id: credit.box_transaction_id,
            scheme: sent.scheme,
            remitters_name: sent.remitters_name.into_string(),
            remitters_address: sent.remitters_address.into_string(),
            beneficiary_name: sent.beneficiary_name.into_string(),
            reference: text(sent.reference),
            bank_identifier: text(sent.bank_identifier),
            account_identifier: text(sent.account_identifier),
            order_id: text(sent.order_id),
            third_party_reference: text(sent.third_party_reference),
            institution_name: text(sent.institution_name),
            institution_address: text(sent.institution_address),
            balances: credit.balances,
        }
    }
}
