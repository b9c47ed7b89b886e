//! The numbers of a payment.

use crate::ledger::JournalKind;

/// The numbers of a payment of a batch in its account's sequence. The payment takes one when it is paid, and its return
/// takes another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentNumbers {
    /// The number of the payment. `None` before it is paid, and if its number was not recorded.
    pub paid: Option<i64>,
    /// The number of its return. `None` unless it was returned, and if its number was not recorded.
    pub returned: Option<i64>,
}

impl PaymentNumbers {
    /// Adds the number that a journal transaction of the payment took.
    pub const fn add(&mut self, kind: JournalKind, number: i64) {
        match kind {
            JournalKind::Payment => self.paid = Some(number),
            JournalKind::PaymentReturn => self.returned = Some(number),
            _ => {}
        }
    }
}
