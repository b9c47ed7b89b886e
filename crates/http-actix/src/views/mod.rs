//! What answers look like.

mod batch_check;
mod chain;
mod checkout;
mod explanation;
mod list;
mod payment;
mod payment_alert;
mod payment_batch;
mod scalars;
mod transaction;

pub(crate) use batch_check::{BatchCheckView, shortage_message};
pub(crate) use chain::ChainView;
pub(crate) use checkout::CheckoutView;
pub(crate) use list::List;
pub(crate) use payment::PaymentView;
pub(crate) use payment_alert::AlertView;
pub(crate) use payment_batch::{BatchView, InputView};
pub(crate) use scalars::{Amount, Time};
pub(crate) use transaction::{TransactionAnswer, transaction_answer};
