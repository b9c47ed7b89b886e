//! The pages for choosing a bank and for approving at it.

use super::order::Order;
use super::shop::Form;
use florin_domain::money::Money;

/// The list of banks. Its form sends the field `bankId` and the action `choose`. The search is a `GET` of the same path
/// with the parameter `q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChooseBank {
    /// The path of the forms, and their token.
    pub form: Form,
    /// The order to pay.
    pub order: Order,
    /// The text that was searched for. Empty: no search.
    pub query: String,
    /// The banks that match the search, in the order of the list. The page lists as many as fit, from the first on.
    pub banks: Vec<BankChoice>,
    /// Number of banks that match the search. It is larger than the number of `banks` if the adapter cut the list.
    pub matches: usize,
    /// Whether the form was sent without a chosen bank.
    pub is_missing: bool,
    /// The URL of this page, shown as a QR code for a phone. `None`: no code is shown.
    pub phone_url: Option<String>,
}

/// A bank that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankChoice {
    /// The value of the field `bankId`.
    pub id: String,
    /// The name of the bank.
    pub name: String,
}

/// The page of the simulated bank. Its form sends the fields `name`, `outcome` and `afterMinutes`, and one of the
/// actions `approve`, `reject` and `leave`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedBankPage {
    /// The path of the form, and its token.
    pub form: Form,
    /// The name of the bank.
    pub bank_name: String,
    /// The payment or refund that awaits approval.
    pub approval: Approval,
    /// The name that was entered.
    pub name: String,
    /// The selected value of `outcome`, one of [`Self::OUTCOMES`]. Any other value selects the first.
    pub outcome: String,
    /// The value of `afterMinutes` that was entered.
    pub after_minutes: String,
    /// The errors of the form.
    pub errors: Vec<BankFormError>,
}

impl SimulatedBankPage {
    /// The values of the field `outcome`: what the bank does after an approval. The first confirms immediately; the
    /// others act after `afterMinutes`.
    pub const OUTCOMES: [&str; 5] = ["approve", "pending", "fail_later", "time_out", "technical_error"];
    /// Maximum length of the entered name, in characters.
    pub const MAX_NAME: usize = 140;
}

/// The page with the link to a bank that approves payments and refunds on its own pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankLink {
    /// The form that cancels the session. Its path with `?show=banks` lists the other banks. `None`: the page has
    /// neither a cancel button nor a link to the other banks.
    pub form: Option<Form>,
    /// The name of the bank.
    pub bank_name: String,
    /// The payment or refund that awaits approval.
    pub approval: Approval,
    /// The URL of the bank's page.
    pub url: String,
}

/// The payment or refund that awaits approval at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// A payment by the payer.
    Payment {
        /// The amount.
        amount: Money,
        /// The reference of the payment: `RQ…`.
        payment_reference: String,
    },
    /// A refund by the merchant.
    Refund {
        /// The amount.
        amount: Money,
        /// The reference of the payment that is refunded.
        payment_reference: String,
        /// The merchant's reason for the refund.
        reason: Option<String>,
    },
}

/// An error in the form of the simulated bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BankFormError {
    /// The name is empty.
    NameMissing,
    /// The name has more than 140 characters.
    NameTooLong,
    /// The minutes are not a whole number from 1 to 10,080.
    Minutes,
}
