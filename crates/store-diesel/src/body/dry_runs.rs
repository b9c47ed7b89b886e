//! Dry runs: commands that are decided on the working set like any other, and stage nothing.

use super::group::{Command, Footprint, WorkingSet};
use super::store::Store;
use async_trait::async_trait;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, TransferDone, TransferRefusal};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{
    ConfirmCommand, CreditCommand, DryRun, DryRuns, FirstMessageCommand, FollowUpCommand, TransferCommand, WriteError,
};

/// A command that can be decided without being executed.
pub(crate) trait Decidable: Send + 'static {
    /// The answer of a dry run.
    type Told: Send + 'static;
    /// The decision of the rule.
    type Decision: Into<DryRun<Self::Told>>;
    /// The refusal of the rule.
    type Refused: Send + 'static;

    /// Adds what its rule reads.
    fn situation(&self, footprint: &mut Footprint);

    /// Calls its rule on the working set, as the earlier commands of the group have left it.
    fn decision(&self, working_set: &WorkingSet) -> Result<Self::Decision, WriteError<Self::Refused>>;
}

/// A command that is decided and not executed.
struct Preview<C>(C);

impl<C: Decidable> Command for Preview<C> {
    type Done = DryRun<C::Told>;
    type Refused = C::Refused;

    fn footprint(&self, footprint: &mut Footprint) {
        self.0.situation(footprint);
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<C::Refused>> {
        self.0.decision(working_set).map(Into::into)
    }
}

#[async_trait]
impl DryRuns for Store {
    async fn preview_first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(Preview(command)).await
    }

    async fn preview_follow_up(
        &self,
        command: FollowUpCommand,
    ) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(Preview(command)).await
    }

    async fn preview_credit(&self, command: CreditCommand) -> Result<DryRun<Credit>, WriteError<CreditRefusal>> {
        self.submit(Preview(command)).await
    }

    async fn preview_transfer(
        &self,
        command: TransferCommand,
    ) -> Result<DryRun<TransferDone>, WriteError<TransferRefusal>> {
        self.submit(Preview(command)).await
    }

    async fn preview_confirm(
        &self,
        command: ConfirmCommand,
    ) -> Result<DryRun<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.submit(Preview(command)).await
    }
}
