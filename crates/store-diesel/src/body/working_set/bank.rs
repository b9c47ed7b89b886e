//! Payments that the sandbox's bank accepted.

use super::body::backend::{Changes, Conn};
use super::body::errors::Outcome;
use super::body::footprint::Footprint;
use super::body::statements::load;
use super::body::tables::batches::{AcceptedPayments, AcceptedRow};
use super::body::types::{Currency, Id, Time};
use florin_domain::ids::PaymentId;
use florin_domain::money::Minor;
use florin_ports::AcceptedPayment;
use std::collections::BTreeMap;

/// The accepted payments of a group.
#[derive(Default)]
pub(crate) struct Bank {
    known: BTreeMap<PaymentId, AcceptedPayment>,
    /// Sorted by id, so that two instances that store the same payments cannot deadlock.
    new: BTreeMap<PaymentId, AcceptedPayment>,
}

impl Bank {
    /// Loads the accepted payments of a footprint.
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<Self> {
        let rows = load::<AcceptedPayments>(footprint.accepted.iter().copied(), conn)?;
        let known = rows.into_iter().map(AcceptedPayment::from).map(|payment| (payment.id, payment)).collect();
        Ok(Self { known, new: BTreeMap::new() })
    }

    /// Stages a payment, unless the bank has accepted it already, and returns it as it was accepted first.
    pub(crate) fn accept(&mut self, payment: &AcceptedPayment) -> AcceptedPayment {
        if let Some(known) = self.known.get(&payment.id) {
            return known.clone();
        }
        self.new.entry(payment.id).or_insert_with(|| payment.clone()).clone()
    }

    /// Stores the newly accepted payments.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.new.into_values().map(AcceptedRow::from).collect())
    }
}

impl From<AcceptedRow> for AcceptedPayment {
    fn from(row: AcceptedRow) -> Self {
        Self {
            id: PaymentId(row.id.0),
            amount: Minor(row.amount_minor).of(row.currency.0),
            reference: row.reference,
            accepted_at: row.accepted_at.0,
        }
    }
}

impl From<AcceptedPayment> for AcceptedRow {
    fn from(payment: AcceptedPayment) -> Self {
        Self {
            id: Id(payment.id.0),
            currency: Currency(payment.amount.currency),
            amount_minor: payment.amount.minor.0,
            reference: payment.reference,
            accepted_at: Time(payment.accepted_at),
        }
    }
}
