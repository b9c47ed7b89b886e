//! The contents of the pages, as plain values. A web adapter fills them in.
//!
//! Texts are stored as merchants and payers wrote them. Rendering escapes and isolates them.

mod address;
mod bank;
mod end;
mod order;
mod problem;
mod shop;

pub use address::{AddressField, AddressForm, AddressValues, FieldError, Lookup};
pub use bank::{Approval, BankChoice, BankFormError, BankLink, ChooseBank, SimulatedBankPage};
pub use end::{Ended, Failed, FailureReason, Receipt, RefundResult, Waiting};
pub use order::{Item, MoreItems, Order, Purpose, RateChoice, Shipping, ShippingRate, Step, Summary};
pub use problem::{Problem, ProblemKind};
pub use shop::{Form, Frame, Shop};

/// A page that a payer or merchant sees on the way to a payment or refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// What is paid, and what the payer must enter before choosing a bank.
    Summary(Summary),
    /// The list of banks.
    ChooseBank(ChooseBank),
    /// The link to a bank that approves on its own pages.
    BankLink(BankLink),
    /// The simulated bank of the sandbox, where a payment or refund is approved.
    SimulatedBank(SimulatedBankPage),
    /// The payer approved the payment, but the bank has not confirmed it yet.
    Waiting(Waiting),
    /// The payment is complete.
    Receipt(Receipt),
    /// A payment failed, and the payer can choose a bank again.
    Failed(Failed),
    /// The session ended without a payment.
    Ended(Ended),
    /// The result of the merchant's decision at the bank. A refund has no other page after the bank.
    RefundResult(RefundResult),
    /// An error page, for a response with a status of 400 or above.
    Problem(Problem),
}
