//! What answers look like.

mod checkout;
mod list;
mod scalars;
mod transaction;

pub(crate) use checkout::CheckoutView;
pub(crate) use list::List;
pub(crate) use scalars::{Amount, Time};
pub(crate) use transaction::{TransactionAnswer, transaction_answer};
