//! Dry runs: decided under the lock, and nothing is stored.

use crate::{MemoryStore, batches, cards, credits, transfers};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    ConfirmOrder, CreditOrder, DryRuns, FirstMessageOrder, FollowUpOrder, TransferOrder, Tried, WriteError,
};

#[async_trait]
impl DryRuns for MemoryStore {
    async fn try_first_message(
        &self,
        order: FirstMessageOrder,
    ) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        self.look(|data| cards::decide_first(data, &order).map(Tried::from))
    }

    async fn try_follow_up(&self, order: FollowUpOrder) -> Result<Tried<CardTransaction>, WriteError<CardRefusal>> {
        self.look(|data| cards::decide_follow_up(data, &order).map(Tried::from))
    }

    async fn try_credit(&self, order: CreditOrder) -> Result<Tried<Credit>, WriteError<CreditRefusal>> {
        self.look(|data| credits::decide(data, &order).map(Tried::from))
    }

    async fn try_transfer(&self, order: TransferOrder) -> Result<Tried<TransferDone>, WriteError<TransferRefusal>> {
        self.look(|data| transfers::decide(data, &order).map(Tried::from))
    }

    async fn try_confirm(&self, order: ConfirmOrder) -> Result<Tried<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.look(|data| batches::decide(data, &order)?.answer.map(Tried::from).map_err(WriteError::Refused))
    }
}
