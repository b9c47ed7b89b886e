//! Bugs in deciding and storing.

use crate::bugs::Bug;
use crate::mutant::{Mutant, QUEUE_CAPACITY, Waiting};
use async_trait::async_trait;
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use florin_domain::batch::{BulkStatus, ConfirmRefusal, ConfirmSituation, PaymentBatch};
use florin_domain::budget::{Credit, CreditRefusal, CreditSituation};
use florin_domain::card::decide::{CardDecision, CardRefusal, ChainSituation, FirstSituation, FirstUseSituation};
use florin_domain::card::{
    CardLimit, CardSettings, CardTransaction, Controls, Guards, MessageDetails, TransactionState,
};
use florin_domain::ids::{AccountId, CardId, ClientId, JournalId, TransactionToken};
use florin_domain::ledger::{Balances, JournalTransaction};
use florin_domain::mfa::{MfaSession, OpenRefusal, TotpEnrolment};
use florin_domain::money::Minor;
use florin_ports::{
    CardLedger, ConfirmCommand, CreditCommand, Credits, Due, DueHold, ExpiryCommand, FirstMessageCommand,
    FirstUseCommand, FollowUpCommand, IdempotencyClaim, IdempotencyKey, MfaSessions, Mode, OpenMfaSessionCommand,
    PaymentBatches, Registry, StoreError, WriteError, Written,
};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use uuid::Uuid;

type MessageResult = Result<Written<CardTransaction>, WriteError<CardRefusal>>;

/// Changes a decision on a card message as the bug does.
fn with_bug(bug: Option<Bug>, mut decision: CardDecision) -> CardDecision {
    let message = &mut decision.transaction;
    match bug {
        Some(Bug::LimitsNotStored) => decision.limits.clear(),
        Some(Bug::CountedNotStored) => decision.chain.iter_mut().for_each(|chain| chain.counted.clear()),
        Some(Bug::FirstStateNotStored) => decision.first_state = None,
        Some(Bug::ChainNotStored) => decision.chain = None,
        Some(Bug::ForcedNotStored) => decision.chain.iter_mut().for_each(|chain| chain.forced = Minor::ZERO),
        Some(Bug::HoldsExpireEarly) => {
            if let Some(chain) = &mut decision.chain {
                chain.expires_at = chain.expires_at.map(|_| chain.created_at + TimeDelta::hours(3));
            }
        }
        Some(Bug::ReasonsNotStored) => decision.declined = None,
        Some(Bug::DetailsNotStored) => message.details = MessageDetails::default(),
        Some(Bug::DecisionsNotStored) => message.details.decision = None,
        Some(Bug::TextsTrimmed) => message.acceptor.city = message.acceptor.city.trim().to_owned(),
        Some(Bug::MillisecondsOnly) => {
            message.created_at = message.created_at.duration_trunc(TimeDelta::milliseconds(1)).unwrap();
        }
        Some(Bug::NegativeClipped) => {
            let now = decision.balances;
            decision.balances = Balances::new(now.available().max(Minor(0)), now.held(), now.reserved()).unwrap();
        }
        _ => {}
    }
    decision
}

/// Changes the guards of a card as the bug does.
fn weaken_guards(bug: Option<Bug>, guards: &mut Guards) {
    match bug {
        Some(Bug::CardControlsIgnored) => guards.card = Controls::default(),
        Some(Bug::BudgetControlsIgnored) => guards.budget = Controls::default(),
        Some(Bug::PinIgnored) => guards.pin = None,
        Some(Bug::OwnerIgnored) => guards.holder = None,
        Some(Bug::SettingsIgnored) => guards.settings = CardSettings::default(),
        _ => {}
    }
}

/// Returns the part of a decision that remains if nobody rolls back.
fn incomplete(mut decision: CardDecision) -> CardDecision {
    decision.journal = None;
    decision.limits.clear();
    decision.first_state = None;
    decision
}

impl Mutant {
    /// Returns an idempotency claim as the bug changes it.
    pub(crate) fn claim<T>(&self, claim: Option<IdempotencyClaim<T>>) -> Option<IdempotencyClaim<T>> {
        let mut claim = claim?;
        if self.no_records.load(Ordering::Relaxed) {
            if self.has(Bug::RecordsAfterTheCommit) {
                return None;
            }
            // A record of an unknown account can't be stored.
            claim.account = AccountId::parse("F404").unwrap();
        }
        match self.bug {
            Some(Bug::NoRecords) => return None,
            Some(Bug::RecordsOfAnyClient) => claim.client = ClientId(Uuid::nil()),
            Some(Bug::RecordsFoldCase) => {
                claim.key = IdempotencyKey::parse(claim.key.as_str().to_lowercase().as_bytes()).unwrap();
            }
            _ => {}
        }
        Some(claim)
    }

    async fn other_accounts(&self, account: &AccountId) -> Vec<AccountId> {
        let all = self.inner.accounts().await.unwrap();
        all.into_iter().map(|other| other.id).filter(|id| id != account).collect()
    }

    /// Loads without a lock, so the situation may be stale when the rule decides.
    async fn stale(&self, command: &FirstMessageCommand) -> Option<FirstSituation> {
        let seen = self.first_situation(command).await;
        // Long enough for every other command to read before the first of them writes.
        tokio::time::sleep(Duration::from_millis(100)).await;
        seen
    }

    /// Loads the situation of a message by means of a command that refuses it.
    async fn first_situation(&self, command: &FirstMessageCommand) -> Option<FirstSituation> {
        let seen = Arc::new(Mutex::new(None));
        let observer = Arc::clone(&seen);
        let decide = Arc::new(move |situation: &FirstSituation| {
            *observer.lock().unwrap() = Some(situation.clone());
            Err(CardRefusal::Expired)
        });
        let command = FirstMessageCommand {
            account: command.account.clone(),
            card: command.card,
            decide,
            mode: Mode::Commit,
            claim: None,
        };
        let _ = self.inner.first_message(command).await;
        seen.lock().unwrap().take()
    }

    /// Returns the limits that the first handle read earlier, for a second handle that does not read again. The first
    /// handle records them.
    async fn earlier_limits(&self, command: &FirstMessageCommand) -> Option<Vec<CardLimit>> {
        if !self.has(Bug::StaleLimits) {
            return None;
        }
        if self.is_second {
            return self.seen_before.lock().unwrap().limits.clone();
        }
        let seen = self.first_situation(command).await;
        self.seen_before.lock().unwrap().limits = seen.map(|seen| seen.limits);
        None
    }

    /// Returns the enrolment that the first handle read earlier, for a second handle that does not read again. The
    /// first handle records it.
    async fn earlier_enrolment(&self, account: &AccountId) -> Option<TotpEnrolment> {
        if !self.has(Bug::StaleEnrolments) {
            return None;
        }
        if self.is_second {
            return self.seen_before.lock().unwrap().enrolment.clone();
        }
        let seen = self.inner.enrolment(account).await.unwrap();
        self.seen_before.lock().unwrap().enrolment = seen;
        None
    }

    /// Returns the account of the group if the bug treats a message of another account as one of the group.
    fn mixed_group(&self, account: &AccountId, token: TransactionToken) -> Option<AccountId> {
        let mut behind = self.behind_slow_message.lock().unwrap();
        let belongs = |(slow, tokens): &mut Waiting| slow != account && tokens.contains(&token);
        let (slow, _) = if self.has(Bug::GroupsMixAccounts) { behind.take_if(belongs)? } else { return None };
        Some(slow)
    }

    /// Records the messages that follow a message with a slow rule: a store that groups commands decides them in one
    /// group.
    fn record_follower(&self, account: &AccountId, took: Duration, answer: &MessageResult) {
        let mut behind = self.behind_slow_message.lock().unwrap();
        if took > Duration::from_millis(50) {
            *behind = Some((account.clone(), Vec::new()));
        } else if let (Some((slow, tokens)), Ok(Written::New(done))) = (behind.as_mut(), answer)
            && slow == account
        {
            tokens.push(done.token);
        }
    }

    /// Returns whether the bug hides a message of the same group.
    fn hides_message(&self, account: &AccountId, token: TransactionToken) -> bool {
        let behind = self.behind_slow_message.lock().unwrap();
        let of_group = behind.as_ref().is_some_and(|(slow, tokens)| slow == account && tokens.contains(&token));
        of_group && self.has(Bug::GroupsForgetMessages)
    }

    fn record_panic<T, R>(&self, answer: &Result<T, WriteError<R>>) {
        if (self.has(Bug::DeadAfterPanic) || self.has(Bug::GroupsPanicTogether))
            && matches!(answer, Err(WriteError::Store(StoreError::Corrupt(text))) if text.contains("panicked"))
        {
            self.dead.store(true, Ordering::Relaxed);
        }
    }
}

#[async_trait]
impl CardLedger for Mutant {
    async fn first_message(&self, command: FirstMessageCommand) -> MessageResult {
        if command.mode == Mode::DryRun {
            return self.dry_first_message(command).await;
        }
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= QUEUE_CAPACITY {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(StoreError::Overloaded.into());
        }
        let max_wait = Duration::from_secs(if self.has(Bug::LongWaitsAreCorrupt) { 1 } else { 100 });
        let turn = tokio::time::timeout(max_wait, async {
            if self.has(Bug::NoLock) { None } else { Some(self.turn.lock().await) }
        });
        let turn = turn.await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        if turn.is_err() || (self.dead.load(Ordering::Relaxed) && self.has(Bug::GroupsPanicTogether)) {
            return Err(StoreError::Corrupt("the bug".into()).into());
        }
        let started = Instant::now();
        let (bug, rule) = (self.bug, Arc::clone(&command.decide));
        let second = command.claim.as_ref().map(|claim| claim.request.clone());
        let stale = if self.has(Bug::NoLock) { self.stale(&command).await } else { None };
        let limits = self.earlier_limits(&command).await;
        let decide = Arc::new(move |situation: &FirstSituation| {
            let mut situation = stale.as_ref().unwrap_or(situation).clone();
            situation.limits = limits.clone().unwrap_or(situation.limits);
            weaken_guards(bug, &mut situation.guards);
            if bug == Some(Bug::RecipientsNotCompared) {
                situation.recipient = None;
            }
            Ok(with_bug(bug, rule(&situation)?))
        });
        let make = |account: AccountId, claim| FirstMessageCommand {
            account,
            card: command.card,
            decide: Arc::clone(&decide) as _,
            mode: Mode::Commit,
            claim,
        };
        let claim = self.claim(command.claim.clone());
        let mut answer = self.inner.first_message(make(command.account.clone(), claim.clone())).await;
        if self.has(Bug::NoTenantFilterOnCards) && answer == Err(WriteError::Absent) {
            for other in self.other_accounts(&command.account).await {
                answer = self.inner.first_message(make(other, claim.clone())).await;
            }
        }
        if self.has(Bug::NoRollback) && matches!(answer, Err(WriteError::Store(_))) {
            let rule = Arc::clone(&command.decide);
            let decide = Arc::new(move |situation: &FirstSituation| Ok(incomplete(rule(situation)?)));
            let _ =
                self.inner.first_message(FirstMessageCommand { decide, ..make(command.account.clone(), None) }).await;
        }
        if self.has(Bug::RefusalsQueue) && matches!(answer, Err(WriteError::Refused(_))) {
            self.queue_anything().await?;
        }
        if let (true, Err(WriteError::Mismatch(first)), Some(second)) =
            (self.has(Bug::MismatchShowsTheSecond), &mut answer, second)
        {
            **first = (*second).clone();
        }
        self.record_panic(&answer);
        self.record_follower(&command.account, started.elapsed(), &answer);
        answer
    }

    async fn follow_up(&self, command: FollowUpCommand) -> MessageResult {
        let _turn = self.turn.lock().await;
        let (bug, rule) = (self.bug, Arc::clone(&command.decide));
        let hides = self.behind_slow_message.lock().unwrap().is_some() && self.has(Bug::GroupsHideFirstStates);
        let decide = Arc::new(move |situation: &ChainSituation| {
            let mut situation = situation.clone();
            if hides {
                situation.first.state = TransactionState::Pending;
            }
            match bug {
                Some(Bug::ControlsOfIncrementsIgnored) => situation.guards = Guards::default(),
                Some(Bug::MarginIgnored) => situation.guards.settings = CardSettings::default(),
                _ => {}
            }
            Ok(with_bug(bug, rule(&situation)?))
        });
        let make = |account: AccountId, claim| FollowUpCommand {
            account,
            token: command.token,
            decide: Arc::clone(&decide) as _,
            mode: command.mode,
            claim,
        };
        let claim = self.claim(command.claim.clone());
        if self.hides_message(&command.account, command.token) {
            return Err(WriteError::Absent);
        }
        let account = self.mixed_group(&command.account, command.token).unwrap_or_else(|| command.account.clone());
        let mut answer = self.inner.follow_up(make(account, claim.clone())).await;
        if self.has(Bug::NoTenantFilterOnMessages) && answer == Err(WriteError::Absent) {
            for other in self.other_accounts(&command.account).await {
                answer = self.inner.follow_up(make(other, claim.clone())).await;
            }
        }
        if self.has(Bug::NoRollbackOfFollowUps) && matches!(answer, Err(WriteError::Store(_))) {
            let rule = Arc::clone(&command.decide);
            let decide = Arc::new(move |situation: &ChainSituation| Ok(incomplete(rule(situation)?)));
            let _ = self.inner.follow_up(FollowUpCommand { decide, ..make(command.account.clone(), None) }).await;
        }
        answer
    }

    async fn awaits_first_use(&self, account: &AccountId, card: CardId) -> Result<bool, StoreError> {
        let mut awaits = self.inner.awaits_first_use(account, card).await?;
        if self.has(Bug::AwaitingOfAnyAccount) {
            for other in self.other_accounts(account).await {
                awaits |= self.inner.awaits_first_use(&other, card).await?;
            }
        }
        Ok(awaits)
    }

    async fn first_use(&self, mut command: FirstUseCommand) -> MessageResult {
        command.claim = self.claim(command.claim);
        if command.mode == Mode::DryRun && self.has(Bug::DryFirstUsesWrite) {
            let (account, card, decide) = (command.account.clone(), command.card, Arc::clone(&command.decide));
            let answer = self.inner.first_use(command).await;
            let committed = FirstUseCommand { account, card, decide, mode: Mode::Commit, claim: None };
            let _ = self.inner.first_use(committed).await;
            return answer;
        }
        if self.has(Bug::VirtualCardsStay) {
            let rule = Arc::clone(&command.decide);
            command.decide = Arc::new(move |situation: &FirstUseSituation| {
                let mut decision = rule(situation)?;
                decision.changes.truncate(1);
                Ok(decision)
            });
        }
        self.inner.first_use(command).await
    }

    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> {
        let _turn = self.turn.lock().await;
        self.inner.expire(command).await
    }

    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> {
        let now = if self.has(Bug::DueHoldsMissTheMicrosecond) { now - TimeDelta::microseconds(1) } else { now };
        let max = if self.has(Bug::DueHoldsUnbounded) { u32::MAX } else { max };
        let mut found = self.inner.due_holds(now, max).await?;
        if self.has(Bug::DueHoldsUnordered) {
            found.sort_by_key(|due| due.item.chain);
        }
        Ok(found)
    }
}

#[async_trait]
impl Credits for Mutant {
    async fn credit(&self, command: CreditCommand) -> Result<Written<Credit>, WriteError<CreditRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_credit(command).await;
        }
        let (account, budget, rule) = (command.account.clone(), command.budget, Arc::clone(&command.decide));
        let mut claim = self.claim(command.claim.clone());
        if let Some(claim) = claim.as_mut().filter(|_| self.is_second && self.has(Bug::KeysPerHandle)) {
            claim.key = IdempotencyKey::parse(format!("{}-2", claim.key.as_str()).as_bytes()).unwrap();
        }
        let answer = self.inner.credit(CreditCommand { claim, ..command }).await;
        if self.has(Bug::DoubleEffect) && matches!(answer, Ok(Written::New(_))) {
            let decide = Arc::new(move |situation: &CreditSituation| {
                let mut decision = rule(situation)?;
                let old = decision.journal;
                let id = JournalId(Uuid::from_u128(!old.id.0.as_u128()));
                let (legs, cause) = (old.legs().to_vec(), (old.kind, old.cause));
                decision.journal = JournalTransaction::new(id, old.account, cause, old.currency, old.at, legs).unwrap();
                Ok(decision)
            });
            let _ = self.inner.credit(CreditCommand { account, budget, decide, mode: Mode::Commit, claim: None }).await;
        }
        answer
    }
}

#[async_trait]
impl PaymentBatches for Mutant {
    async fn confirm(&self, command: ConfirmCommand) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_confirm(command).await;
        }
        let (bug, rule) = (self.bug, Arc::clone(&command.decide));
        let enrolment = self.earlier_enrolment(&command.account).await;
        let decide = Arc::new(move |situation: &ConfirmSituation| {
            let mut situation = situation.clone();
            situation.enrolment = enrolment.clone().or(situation.enrolment);
            let mut decision = rule(&situation);
            match bug {
                Some(Bug::AttemptsNotStored) if decision.result.is_err() => decision.session = None,
                Some(Bug::EnrolmentNotStored) if decision.result.is_err() => decision.enrolment = None,
                Some(Bug::ConfirmCancelsPayments) => {
                    if let Ok(confirmation) = &mut decision.result {
                        confirmation.payments = BulkStatus::Cancelled;
                    }
                }
                _ => {}
            }
            decision
        });
        let claim = self.claim(command.claim.clone());
        self.inner.confirm(ConfirmCommand { decide, claim, ..command }).await
    }
}

#[async_trait]
impl MfaSessions for Mutant {
    async fn open(&self, command: OpenMfaSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
        let claim = self.claim(command.claim.clone());
        self.inner.open(OpenMfaSessionCommand { claim, ..command }).await
    }

    async fn enrolment(&self, account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError> {
        let mut found = self.inner.enrolment(account).await?;
        if let Some(found) = found.as_mut().filter(|_| self.has(Bug::UsedStepsLost)) {
            found.used_steps.truncate(1);
        }
        Ok(found)
    }
}
