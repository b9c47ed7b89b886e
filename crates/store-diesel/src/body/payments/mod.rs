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
use florin_domain::batch::{Payment, PaymentBatch};
use std::collections::BTreeSet;

/// Stores `payments`, whose `batches` exist already. Payments of confirmed batches receive `position`.
pub(crate) fn seed(conn: &mut Conn, batches: &[PaymentBatch], payments: &[Payment], position: i64) -> Outcome<()> {
    let confirmed = |batch: &PaymentBatch| Some((batch.id, batch.state.confirmation()?.at));
    rows::insert_confirmed(conn, payments, &batches.iter().filter_map(confirmed).collect(), position)?;
    let batches: BTreeSet<_> = payments.iter().map(|payment| (&payment.account, payment.batch)).collect();
    batches.into_iter().try_for_each(|(account, batch)| work::update_work_at(conn, account, batch))
}
