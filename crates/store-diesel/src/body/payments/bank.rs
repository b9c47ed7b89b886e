//! Payments that the sandbox's bank accepted. They are accepted in groups, like card messages, so that many share a
//! commit.

use super::body::footprint::Footprint;
use super::body::group::Command;
use super::body::store::Store;
use super::body::tables::batches::{AcceptedRow, sandbox_payments};
use super::body::types::{Account, Id};
use super::body::working_set::WorkingSet;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::ids::{AccountId, PaymentId};
use florin_ports::{AcceptedPayment, SandboxBankStorage, StoreError, WriteError};
use std::convert::Infallible;

#[async_trait]
impl SandboxBankStorage for Store {
    async fn accept(&self, account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        self.submit(Accept { account: account.clone(), payment }).await.map_err(|error| match error {
            WriteError::Store(error) => error,
            WriteError::Absent => StoreError::NotFound(format!("account {account}")),
            WriteError::Mismatch(_) => StoreError::Corrupt("a payment of a bank has no idempotency key".into()),
            WriteError::Refused(never) => match never {},
        })
    }

    async fn find(&self, _account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        self.read(move |conn| {
            let row = sandbox_payments::table.filter(sandbox_payments::id.eq(Id(payment.0)));
            let row = row.select(AcceptedRow::as_select()).get_result(conn).optional()?;
            Ok(row.map(AcceptedPayment::from))
        })
        .await
    }
}

/// The command that accepts a payment.
struct Accept {
    account: AccountId,
    payment: AcceptedPayment,
}

impl Command for Accept {
    type Done = AcceptedPayment;
    type Refused = Infallible;

    fn footprint(&self, footprint: &mut Footprint) {
        // No foreign key refers to the account. Its locked counter shows that it has not moved to another cell.
        footprint.counters.insert((Account(self.account.clone()),));
        footprint.accepted.insert((Id(self.payment.id.0),));
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<AcceptedPayment, WriteError<Infallible>> {
        if working_set.credits.has_account(&self.account) {
            Ok(working_set.bank.accept(&self.payment))
        } else {
            Err(WriteError::Absent)
        }
    }
}
