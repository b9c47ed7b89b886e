//! Payments of batches: uploaded, listed, processed, and accepted by the sandbox's bank.

mod bank;
mod manage;
mod process;
mod read;
mod rows;
mod work;

pub(crate) use rows::by_ids;

use super::backend::Conn;
use super::body;
use super::errors::Outcome;
use florin_domain::batch::Payment;
use std::collections::BTreeSet;

/// Stores payments of batches that exist.
pub(crate) fn seed(conn: &mut Conn, payments: &[Payment]) -> Outcome<()> {
    rows::insert_payments(conn, payments)?;
    let batches: BTreeSet<_> = payments.iter().map(|payment| (&payment.account, payment.batch)).collect();
    batches.into_iter().try_for_each(|(account, batch)| work::update_work_at(conn, account, batch))
}
