//! What the pages show: plain values that a web adapter fills in.
//!
//! Texts are as merchants and payers wrote them. Rendering escapes and isolates them.

mod address;
mod bank;
mod end;
mod order;
mod problem;
mod shop;

pub use address::{AddressField, AddressForm, AddressValues, FieldError, Lookup};
pub use bank::{Approval, BankChoice, BankLink, ChooseBank, SignInError, SimulatedBank};
pub use end::{Ended, Failed, FailureReason, Receipt, RefundResult, Waiting};
pub use order::{Item, MoreItems, Order, Purpose, RateChoice, Shipping, ShippingRate, Step, Summary};
pub use problem::{Problem, ProblemKind};
pub use shop::{Form, Frame, Shop};

/// A page of the payment journey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// What is paid, and what is still to be asked before the payer chooses a bank.
    Summary(Summary),
    /// The list of banks.
    ChooseBank(ChooseBank),
    /// The way to a bank that approves on its own page.
    BankLink(BankLink),
    /// The sandbox's bank, where a payment or a refund is approved.
    SimulatedBank(SimulatedBank),
    /// The payer approved, and the bank has not confirmed yet.
    Waiting(Waiting),
    /// The payment is complete.
    Receipt(Receipt),
    /// A payment failed, and the payer can choose a bank again.
    Failed(Failed),
    /// The session ended without a payment.
    Ended(Ended),
    /// The merchant finished at its bank, as the refund's only page after the bank.
    RefundResult(RefundResult),
    /// The request has no page: the status of the response is 400 or above.
    Problem(Problem),
}
