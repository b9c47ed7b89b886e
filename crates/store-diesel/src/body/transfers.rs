//! Transfers between budgets.

use super::backend::Changes;
use super::errors::Outcome;
use super::group::{Needs, Order, Sheet, ask};
use super::repeat::Records;
use super::schema::transfers;
use super::sets::{Stored, rows};
use super::store::Store;
use super::types::{Account, Currency, Id, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::budget::{Transfer, TransferDone, TransferRefusal, TransferSituation};
use florin_ports::{TransferOrder, Transfers, WriteError, Written};

rows! {
    #[derive(Insertable)]
    #[diesel(table_name = transfers, treat_none_as_default_value = false)]
    struct TransferRow in transfers {
        account_id: Account,
        id: Id,
        from_budget_id: Id,
        to_budget_id: Id,
        currency: Currency,
        amount_minor: i64,
        journal_id: Id,
        reference: Option<String>,
        created_at: Time,
    }
}

impl From<&Transfer> for TransferRow {
    fn from(transfer: &Transfer) -> Self {
        Self {
            account_id: Account(transfer.account.clone()),
            id: Id(transfer.id.0),
            from_budget_id: Id(transfer.from.0),
            to_budget_id: Id(transfer.to.0),
            currency: Currency(transfer.currency),
            amount_minor: transfer.amount.0,
            journal_id: Id(transfer.journal.0),
            reference: transfer.reference.clone(),
            created_at: Time(transfer.created_at),
        }
    }
}

#[async_trait]
impl Transfers for Store {
    async fn transfer(&self, order: TransferOrder) -> Result<Written<TransferDone>, WriteError<TransferRefusal>> {
        self.submit(order).await
    }
}

impl Order for TransferOrder {
    type Done = Written<TransferDone>;
    type Refused = TransferRefusal;

    fn needs(&self, needs: &mut Needs) {
        needs.budget(&self.account, self.from);
        needs.budget(&self.account, self.to);
        needs.answer(self.repeat.as_ref());
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<Self::Done, WriteError<TransferRefusal>> {
        if let Some(answer) = sheet.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let from = sheet.purses.record(&self.account, self.from)?.ok_or(WriteError::Absent)?;
        let situation = TransferSituation { from, to: sheet.purses.record(&self.account, self.to)? };
        let decision = ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)?;
        let record = Records::made(self.repeat.as_ref(), &decision.done)?;
        let TransferDone { transfer, from, to } = &decision.done;
        sheet.purses.change(&self.account, (self.from, transfer.currency), *from);
        sheet.purses.change(&self.account, (self.to, transfer.currency), *to);
        sheet.journal.add(&decision.journal);
        sheet.transfers.0.push(TransferRow::from(transfer));
        sheet.records.add(record);
        Ok(Written::Fresh(decision.done))
    }
}

/// The transfers of a group.
#[derive(Default)]
pub(crate) struct NewTransfers(Vec<TransferRow>);

impl NewTransfers {
    /// Stores what was noted.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        TransferRow::note(self.0, changes)
    }
}
