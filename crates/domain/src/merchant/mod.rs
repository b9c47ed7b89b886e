//! Merchants: their checkouts, and the banks that can pay them.

mod bank;
mod checkout;

pub use bank::{Bank, BankId};
pub use checkout::{Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType, ShippingOptions};
