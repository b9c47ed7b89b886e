//! Payments that the sandbox's bank accepted. They are accepted in groups, like card messages, so that many share a
//! commit.

use super::body::backend::{Changes, Conn};
use super::body::errors::Outcome;
use super::body::group::{Command, Footprint, WorkingSet};
use super::body::statements::load;
use super::body::store::Store;
use super::body::tables::batches::{AcceptedPayments, AcceptedRow, sandbox_payments};
use super::body::types::{Currency, Id, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::ids::PaymentId;
use florin_domain::money::Minor;
use florin_ports::{AcceptedPayment, SandboxBankMemory, StoreError, WriteError};
use std::collections::BTreeMap;
use std::convert::Infallible;

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

#[async_trait]
impl SandboxBankMemory for Store {
    async fn accept(&self, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        self.submit(Accept(payment)).await.map_err(|error| match error {
            WriteError::Store(error) => error,
            WriteError::Absent | WriteError::Mismatch(_) => StoreError::Corrupt("a bank takes every payment".into()),
            WriteError::Refused(never) => match never {},
        })
    }

    async fn find(&self, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        self.read(move |conn| {
            let row = sandbox_payments::table.filter(sandbox_payments::id.eq(Id(payment.0)));
            let row = row.select(AcceptedRow::as_select()).get_result(conn).optional()?;
            Ok(row.map(AcceptedPayment::from))
        })
        .await
    }
}

struct Accept(AcceptedPayment);

impl Command for Accept {
    type Done = AcceptedPayment;
    type Refused = Infallible;

    fn footprint(&self, footprint: &mut Footprint) {
        footprint.accepted.insert((Id(self.0.id.0),));
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<AcceptedPayment, WriteError<Infallible>> {
        Ok(working_set.bank.accept(&self.0))
    }
}

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

    fn accept(&mut self, payment: &AcceptedPayment) -> AcceptedPayment {
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
