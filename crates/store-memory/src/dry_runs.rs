//! Dry runs: commands are decided under the lock, and nothing is stored.

use crate::{MemoryStore, batches, cards, credits, transfers};
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    ConfirmCommand, CreditCommand, DryRun, DryRuns, FirstMessageCommand, FollowUpCommand, TransferCommand, WriteError,
};

#[async_trait]
impl DryRuns for MemoryStore {
    async fn preview_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        self.look(|data| cards::decide_first(data, &command).map(DryRun::from))
    }

    async fn preview_follow_up(
        &self,
        command: FollowUpCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        self.look(|data| cards::decide_follow_up(data, &command).map(DryRun::from))
    }

    async fn preview_credit(&self, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
        self.look(|data| credits::decide(data, &command).map(DryRun::from))
    }

    async fn preview_transfer(
        &self,
        command: TransferCommand,
    ) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
        self.look(|data| transfers::decide(data, &command).map(DryRun::from))
    }

    async fn preview_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.look(|data| batches::decide(data, &command)?.answer.map(DryRun::from).map_err(WriteError::Refused))
    }
}
