//! Card messages as commands of the writer.

use super::body::dry_runs::Decidable;
use super::body::group::{Command, Footprint, WorkingSet, ask};
use super::body::repeat::Records;
use super::body::store::Store;
use super::chains;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardDecision, CardRefusal};
use florin_ports::{
    CardLedger, DueHold, ExpiryCommand, FirstMessageCommand, FollowUpCommand, RepeatClaim, StoreError, WriteError,
    Written,
};

#[async_trait]
impl CardLedger for Store {
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError> {
        self.read(move |conn| chains::due(conn, now, max)).await
    }
}

impl Decidable for FirstMessageCommand {
    type Told = CardTransaction;
    type Decision = CardDecision;
    type Refused = CardRefusal;

    fn situation(&self, footprint: &mut Footprint) {
        footprint.card(&self.account, self.card);
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = working_set.first_situation(&self.account, self.card).ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl Command for FirstMessageCommand {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn footprint(&self, footprint: &mut Footprint) {
        self.situation(footprint);
        footprint.answer(self.repeat.as_ref());
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<CardRefusal>> {
        if let Some(answer) = working_set.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let decision = self.decision(working_set)?;
        record(working_set, self.repeat.as_ref(), decision)
    }
}

impl Decidable for FollowUpCommand {
    type Told = CardTransaction;
    type Decision = CardDecision;
    type Refused = CardRefusal;

    fn situation(&self, footprint: &mut Footprint) {
        footprint.message(&self.account, self.token);
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = working_set.chain_situation(&self.account, self.token)?.ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl Command for FollowUpCommand {
    type Done = Written<CardTransaction>;
    type Refused = CardRefusal;

    fn footprint(&self, footprint: &mut Footprint) {
        self.situation(footprint);
        footprint.answer(self.repeat.as_ref());
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<Self::Done, WriteError<CardRefusal>> {
        if let Some(answer) = working_set.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let decision = self.decision(working_set)?;
        record(working_set, self.repeat.as_ref(), decision)
    }
}

impl Command for ExpiryCommand {
    type Done = bool;
    type Refused = CardRefusal;

    fn footprint(&self, footprint: &mut Footprint) {
        footprint.message(&self.hold.account, self.hold.chain);
    }

    fn execute(&self, working_set: &mut WorkingSet) -> Result<bool, WriteError<CardRefusal>> {
        let DueHold { account, chain } = &self.hold;
        let situation = working_set.chain_situation(account, *chain)?.ok_or(WriteError::Absent)?;
        let decision = ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)?;
        Ok(decision.inspect(|decision| working_set.stage(decision)).is_some())
    }
}

/// Stages a decision with its idempotency record.
fn record(
    working_set: &mut WorkingSet,
    claim: Option<&RepeatClaim<CardTransaction>>,
    decision: CardDecision,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let record = Records::made(claim, &decision.transaction)?;
    working_set.stage(&decision);
    working_set.records.add(record);
    Ok(Written::New(decision.transaction))
}
