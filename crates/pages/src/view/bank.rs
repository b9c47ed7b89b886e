//! The banks.

use super::order::Order;
use super::shop::Form;
use florin_domain::money::Money;

/// The list of banks. Field `bankId`, action `choose`; the search is a `GET` of the same path with the parameter `q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChooseBank {
    /// Where the forms are sent.
    pub form: Form,
    /// What is paid.
    pub order: Order,
    /// What was searched for; empty: nothing.
    pub query: String,
    /// The banks to show.
    pub banks: Vec<BankChoice>,
    /// Number of banks that match the search; more than are shown if the list is cut.
    pub matches: usize,
    /// Whether the form was sent without a bank.
    pub is_missing: bool,
    /// The address of the page for a phone, shown as a QR code. `None`: no code.
    pub phone_url: Option<String>,
}

/// A bank to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankChoice {
    /// The value of the field `bankId`.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// The simulated bank. Fields `name`, `outcome` and `afterMinutes`; actions `approve`, `reject` and `leave`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedBank {
    /// Where the form is sent.
    pub form: Form,
    /// The name of the bank.
    pub bank_name: String,
    /// What is approved.
    pub approval: Approval,
    /// The name that was entered.
    pub name: String,
    /// The value of `outcome` that is selected, one of [`Self::OUTCOMES`]. Another value selects the first.
    pub outcome: String,
    /// The value of `afterMinutes` that was entered.
    pub after_minutes: String,
    /// What is wrong with the form.
    pub errors: Vec<SignInError>,
}

impl SimulatedBank {
    /// The values of the field `outcome`: what the bank does after it was approved. The first confirms immediately; the
    /// others wait for `afterMinutes`.
    pub const OUTCOMES: [&str; 5] = ["approve", "pending", "fail_later", "time_out", "technical_error"];
    /// Maximum length of a name, in characters.
    pub const MAX_NAME: usize = 140;
}

/// The way to a bank, on whose own page a payment or a refund is approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankLink {
    /// Where the form to cancel is sent; its path with `?show=banks` has the other banks. `None`: neither is possible.
    pub form: Option<Form>,
    /// The name of the bank.
    pub bank_name: String,
    /// What is approved.
    pub approval: Approval,
    /// The address of the bank's page.
    pub url: String,
}

/// What is approved at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Approval {
    /// A payer pays.
    Payment {
        /// The amount.
        amount: Money,
        /// The reference of the payment: `RQ…`.
        payment_reference: String,
    },
    /// The merchant refunds.
    Refund {
        /// The amount.
        amount: Money,
        /// The reference of the payment that is refunded.
        payment_reference: String,
        /// The merchant's reason.
        reason: Option<String>,
    },
}

/// What is wrong with the form of the simulated bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInError {
    /// The name is empty.
    NameMissing,
    /// The name has more than 140 characters.
    NameTooLong,
    /// The minutes are not a whole number from 1 to 10,080.
    Minutes,
}
