//! What answers look like.

mod batch_check;
mod checkout;
mod list;
mod payment;
mod payment_alert;
mod payment_batch;
mod scalars;
mod transaction;
mod world;

pub(crate) use batch_check::{BatchCheckView, shortage_message};
pub(crate) use checkout::CheckoutView;
pub(crate) use list::List;
pub(crate) use payment::PaymentView;
pub(crate) use payment_alert::AlertView;
pub(crate) use payment_batch::{BatchView, InputView};
pub(crate) use scalars::{Amount, Time};
pub(crate) use transaction::{TransactionAnswer, transaction_answer};
pub(crate) use world::{ClockView, MadeWorldView, SnapshotView, WorldView};
