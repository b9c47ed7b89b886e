//! Dry runs: orders of the writer that are decided on the sheet like any other, and note nothing on it.

use super::group::{Needs, Order, Sheet};
use super::store::Store;
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    ConfirmOrder, CreditOrder, DryRuns, FirstMessageOrder, FollowUpOrder, TransferOrder, Tried, WriteError,
};

/// An order that can be decided without being carried out.
pub(crate) trait Decidable: Send + 'static {
    /// What the caller is told.
    type Told: Send + 'static;
    /// What is to be stored.
    type Decision: Into<Tried<Self::Told>>;
    /// How its rule may refuse.
    type Refused: Send + 'static;

    /// Says what its rule must see.
    fn situation(&self, needs: &mut Needs);

    /// Calls its rule on what is on the sheet, as the orders so far have left it.
    fn decision(&self, sheet: &Sheet) -> Result<Self::Decision, WriteError<Self::Refused>>;
}

/// An order of which is only asked what it would come to.
struct Dry<O>(O);

impl<O: Decidable> Order for Dry<O> {
    type Done = Tried<O::Told>;
    type Refused = O::Refused;

    fn needs(&self, needs: &mut Needs) {
        self.0.situation(needs);
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<Self::Done, WriteError<O::Refused>> {
        self.0.decision(sheet).map(Into::into)
    }
}

#[async_trait]
impl DryRuns for Store {
    async fn try_first_message(
        &self,
        order: FirstMessageOrder,
    ) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(Dry(order)).await
    }

    async fn try_follow_up(&self, order: FollowUpOrder) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(Dry(order)).await
    }

    async fn try_credit(&self, order: CreditOrder) -> Result<Tried<Credit>, WriteError<CreditRefusal>> {
        self.submit(Dry(order)).await
    }

    async fn try_transfer(&self, order: TransferOrder) -> Result<Tried<TransferDone>, WriteError<TransferRefusal>> {
        self.submit(Dry(order)).await
    }

    async fn try_confirm(&self, order: ConfirmOrder) -> Result<Tried<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.submit(Dry(order)).await
    }
}
