//! Card messages as commands of the writer.

use super::body::ask::ask;
use super::body::footprint::Footprint;
use super::body::group::{Command, RecordedCommand, decide_in_mode};
use super::body::store::Store;
use super::body::working_set::WorkingSet;
use super::{chains, physical_commands};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardDecision, CardRefusal};
use florin_domain::ids::{AccountId, CardId};
use florin_ports::{
    CardLedger, DryRun, Due, DueHold, ExpiryCommand, FirstMessageCommand, FirstUseCommand, FollowUpCommand,
    IdempotencyClaim, Mode, StoreError, WriteError, Written,
};

#[async_trait]
impl CardLedger for Store {
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn awaits_first_use(&self, account: &AccountId, card: CardId) -> Result<bool, StoreError> {
        let account = account.clone();
        self.read(move |conn| physical_commands::awaits_first_use(conn, &account, card)).await
    }

    async fn first_use(&self, command: FirstUseCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.card(&command.account, command.card);
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, working_set| physical_commands::decide_first_use(conn, working_set, &command),
                |conn, working_set, situation, decision| {
                    working_set.events.record_with(recording.clone());
                    physical_commands::store_first_use(conn, working_set, &situation, decision)
                },
            )
        })
        .await
    }

    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> {
        self.submit(command).await
    }

    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> {
        self.read(move |conn| chains::due(conn, now, max)).await
    }
}

/// A command that decides a card message: the first one of a chain, or a later one.
trait MessageCommand: Send + 'static {
    /// Adds the keys of the rows that the rule reads and the decision changes.
    fn add_rows(&self, footprint: &mut Footprint);

    /// Returns the mode, and the idempotency claim, if the caller made one.
    fn request(&self) -> (Mode, Option<&IdempotencyClaim<CardTransaction>>);

    /// Calls the rule on the working set.
    fn decide(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>>;
}

impl MessageCommand for FirstMessageCommand {
    fn add_rows(&self, footprint: &mut Footprint) {
        footprint.card(&self.account, self.card);
    }

    fn request(&self) -> (Mode, Option<&IdempotencyClaim<CardTransaction>>) {
        (self.mode, self.claim.as_ref())
    }

    fn decide(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = working_set
            .first_situation(&self.account, self.card)
            .map_err(StoreError::from)?
            .ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl MessageCommand for FollowUpCommand {
    fn add_rows(&self, footprint: &mut Footprint) {
        footprint.message(&self.account, self.token);
    }

    fn request(&self) -> (Mode, Option<&IdempotencyClaim<CardTransaction>>) {
        (self.mode, self.claim.as_ref())
    }

    fn decide(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>> {
        let situation = working_set.chain_situation(&self.account, self.token)?.ok_or(WriteError::Absent)?;
        ask(|| (self.decide)(&situation))?.map_err(WriteError::Refused)
    }
}

impl<C: MessageCommand> RecordedCommand for C {
    type Done = CardTransaction;
    type Decision = CardDecision;
    type Refused = CardRefusal;

    fn add_to_footprint(&self, footprint: &mut Footprint) {
        self.add_rows(footprint);
    }

    fn mode(&self) -> Mode {
        self.request().0
    }

    fn claim(&self) -> Option<&IdempotencyClaim<CardTransaction>> {
        self.request().1
    }

    fn decision(&self, working_set: &WorkingSet) -> Result<CardDecision, WriteError<CardRefusal>> {
        self.decide(working_set)
    }

    fn done(decision: &CardDecision) -> Option<&CardTransaction> {
        Some(&decision.transaction)
    }

    fn stage(
        &self,
        working_set: &mut WorkingSet,
        decision: CardDecision,
    ) -> Result<CardTransaction, WriteError<CardRefusal>> {
        working_set.stage(&decision);
        Ok(decision.transaction)
    }

    fn dry_run(decision: CardDecision) -> Result<DryRun<CardTransaction>, WriteError<CardRefusal>> {
        Ok(decision.into())
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
