//! Applies operations to a store and returns the answers as comparable text.

use super::operation::{FollowUpKind, Operation, UsedExtension};
use super::setting::{batch_of, budget_of, card_of};
use crate::check::Failure;
use crate::commands::{
    MessageIds, amount, claim, dollars, ids_from, instruction, journal_id, message, session_id, stamp_at, token,
    with_changed_decision,
};
use crate::factory::Handle;
use crate::seed_data::{Who, key, noon};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::{ConfirmSituation, MfaProof, decide_confirm};
use florin_domain::budget::{CreditInstruction, CreditSituation, decide_credit};
use florin_domain::card::Response;
use florin_domain::card::decide::{
    ChainSituation, Extras, FirstKind, FirstMessage, FirstSituation, FollowUp, decide_expiry, decide_first,
    decide_follow_up,
};
use florin_domain::mfa::{MfaCheck, MfaProviderName, MfaVerdict, OpenRequest, OpenSituation, decide_open};
use florin_domain::money::Currency;
use florin_domain::stamp::Stamp;
use florin_ports::{
    ConfirmCommand, CreditCommand, DueHold, ExpiryCommand, FirstMessageCommand, FollowUpCommand, IdempotencyClaim,
    Mode, OpenMfaSessionCommand, StoreError, WriteError,
};
use std::fmt::Debug;
use std::sync::Arc;

/// Applies an operation. Ids are derived from the number of the operation, so that every store receives the same ids.
pub(super) async fn apply(
    handle: &Handle,
    operation: &Operation,
    number: u128,
    now: DateTime<Utc>,
) -> Result<String, Failure> {
    let context = Context { handle, number, now };
    match *operation {
        Operation::First { who, card, kind, amount, extra, key } => {
            let message = FirstMessage { extras: extras(extra)?, ..message(kind, amount)? };
            let command = context.first(who, card, message, key)?;
            Ok(text(handle.cards.first_message(command).await))
        }
        Operation::Fail { who, message: taken, key } => {
            let command = context.first(who, 0, message(FirstKind::Purchase, "0.01")?, key)?;
            let command = with_changed_decision(command, move |_, decision| {
                if let Some(journal) = &mut decision.journal {
                    journal.id = journal_id(u128::from(taken));
                }
            });
            Ok(text(handle.cards.first_message(command).await))
        }
        Operation::FollowUp { who, message, kind, amount, key } => {
            context.follow_up(who, token(message.into()), follow_up(kind, amount)?, key).await
        }
        Operation::Expire { who, message } => context.expire(who, message).await,
        Operation::Credit { who, budget, currency, amount, key } => {
            let mut instruction = instruction(who, amount, Currency::parse(currency)?)?;
            instruction.budget = budget_of(who, budget);
            context.credit(who, instruction, key).await
        }
        Operation::Open { who, batch, provider, key } => context.open(who, batch, provider, key).await,
        Operation::Confirm { who, batch, session, provider, verdict, key } => {
            context.confirm(who, (batch, session), verdict.map(|verdict| (provider, verdict)), key).await
        }
        Operation::Wait { .. } => Ok(String::new()),
        Operation::DueHolds { max } => Ok(format!("{:?}", handle.cards.due_holds(now, max).await?)),
        Operation::DeleteRecords { hours, max } => {
            let before = noon() + TimeDelta::hours(hours);
            Ok(format!("{:?}", handle.upkeep.delete_idempotency_records(before, max).await?))
        }
        Operation::Revoke { who } => {
            handle.registry.revoke_key(key(who)?.id, now).await?;
            Ok(format!("{:?}", handle.callers.find(&who.key_hash()).await?))
        }
        Operation::Read { who } => {
            let account = who.account()?;
            let (budgets, batches) = (handle.seeding.budgets(&account).await?, handle.seeding.batches(&account).await?);
            Ok(format!("{budgets:?} {batches:?} {:?}", handle.books_check.check_all().await?))
        }
    }
}

/// The context of one operation: store, number and time.
struct Context<'a> {
    handle: &'a Handle,
    number: u128,
    now: DateTime<Utc>,
}

impl Context<'_> {
    fn ids(&self) -> MessageIds {
        MessageIds { journal: journal_id(self.number * 2), ..stamp_at(self.number, self.now) }
    }

    /// Creates an idempotency claim under one of a few keys. All requests of one kind are equal, so some operations are
    /// repeats.
    fn claim<T: Debug + 'static>(
        &self,
        who: Who,
        key: Option<u8>,
        kind: &str,
    ) -> Result<Option<IdempotencyClaim<T>>, Failure> {
        let Some(key) = key else { return Ok(None) };
        Ok(Some(IdempotencyClaim { at: self.now, ..claim(who, &format!("k{key}"), kind)? }))
    }

    fn first(
        &self,
        who: Who,
        card: u8,
        message: FirstMessage,
        key: Option<u8>,
    ) -> Result<FirstMessageCommand, Failure> {
        let ids = self.ids();
        let claim = self.claim(who, key, "first")?;
        let decide =
            Arc::new(move |situation: &FirstSituation| ids.rule(|stamp| decide_first(situation, &message, stamp)));
        Ok(FirstMessageCommand { account: who.account()?, card: card_of(who, card), decide, mode: Mode::Commit, claim })
    }

    async fn follow_up(
        &self,
        who: Who,
        token: florin_domain::ids::TransactionToken,
        message: FollowUp,
        key: Option<u8>,
    ) -> Result<String, Failure> {
        let ids = self.ids();
        let claim = self.claim(who, key, "follow-up")?;
        let decide = Arc::new(move |situation: &ChainSituation| {
            ids.rule(|stamp| decide_follow_up(situation, token, &message, stamp))
        });
        let command = FollowUpCommand { account: who.account()?, token, decide, mode: Mode::Commit, claim };
        Ok(text(self.handle.cards.follow_up(command).await))
    }

    async fn expire(&self, who: Who, message: u8) -> Result<String, Failure> {
        let ids = self.ids();
        let hold = DueHold { account: who.account()?, chain: token(message.into()) };
        let decide = Arc::new(move |situation: &ChainSituation| ids.rule(|stamp| decide_expiry(situation, stamp)));
        Ok(text(self.handle.cards.expire(ExpiryCommand { hold, decide }).await))
    }

    async fn credit(&self, who: Who, instruction: CreditInstruction, key: Option<u8>) -> Result<String, Failure> {
        let ids = self.ids();
        let (budget, claim) = (instruction.budget, self.claim(who, key, "credit")?);
        let rule = move |CreditSituation { budget, number }: &CreditSituation| {
            // The HTTP layer refuses zero, so no store receives such a credit.
            let positive = instruction.amount.clone().positive();
            positive.map_err(|flaw| florin_domain::budget::CreditRefusal::Faults(vec![flaw.at("amount")]))?;
            decide_credit(budget, *number, &instruction, &Stamp { now: ids.now, ids: &|| ids.journal.0 })
        };
        let command =
            CreditCommand { account: who.account()?, budget, decide: Arc::new(rule), mode: Mode::Commit, claim };
        Ok(text(self.handle.credits.credit(command).await))
    }

    async fn open(&self, who: Who, batch: u8, provider: MfaProviderName, key: Option<u8>) -> Result<String, Failure> {
        let request = OpenRequest { id: session_id(self.number), client: who.client(), provider, now: self.now };
        let claim = self.claim(who, key, "open")?;
        let decide = Arc::new(move |situation: &OpenSituation| decide_open(situation, &request));
        let command = OpenMfaSessionCommand { account: who.account()?, batch: batch_of(who, batch), decide, claim };
        Ok(text(self.handle.mfa.open(command).await))
    }

    async fn confirm(
        &self,
        who: Who,
        (batch, session): (u8, u8),
        proof: Option<(MfaProviderName, MfaVerdict)>,
        key: Option<u8>,
    ) -> Result<String, Failure> {
        let (account, batch) = (who.account()?, batch_of(who, batch));
        let proof = proof.map(|(provider, verdict)| {
            let check = MfaCheck { client: who.client(), account: account.clone(), batch, provider };
            MfaProof { check, verdict }
        });
        let (number, now) = (self.number, self.now);
        let claim = self.claim(who, key, "confirm")?;
        let decide = Arc::new(move |situation: &ConfirmSituation| {
            let ids = ids_from(number * 2);
            decide_confirm(situation, proof.as_ref(), who.client(), &Stamp { now, ids: &ids })
        });
        let session = Some(session_id(session.into()));
        let command = ConfirmCommand { account, batch, session, decide, mode: Mode::Commit, claim };
        Ok(text(self.handle.batches.confirm(command).await))
    }
}

fn follow_up(kind: FollowUpKind, text: &str) -> Result<FollowUp, Failure> {
    let amount = amount(text)?;
    Ok(match kind {
        FollowUpKind::Advice => FollowUp::Advice { amount },
        FollowUpKind::Incremental => FollowUp::Incremental { amount, decline: None },
        FollowUpKind::Clearing => FollowUp::Clearing { amount, is_final: false },
        FollowUpKind::FinalClearing => FollowUp::Clearing { amount, is_final: true },
        FollowUpKind::AtmClearing => FollowUp::AtmClearing { amount, fee: None },
        FollowUpKind::Reversal => FollowUp::Reversal { amount: Some(amount) },
        FollowUpKind::FullReversal => FollowUp::Reversal { amount: None },
        FollowUpKind::RefundClearing => FollowUp::RefundClearing { amount },
        FollowUpKind::RefundReversal => FollowUp::RefundReversal,
        FollowUpKind::ForcedClearing => FollowUp::ForcedClearing { amount },
        FollowUpKind::DebitReversal => FollowUp::DebitReversal { amount: Some(amount) },
        FollowUpKind::RefundReturn => FollowUp::RefundReturn { amount: None },
        FollowUpKind::Expiration => FollowUp::Expiration,
    })
}

fn extras(extra: UsedExtension) -> Result<Extras, Failure> {
    Ok(match extra {
        UsedExtension::Nothing => Extras::default(),
        UsedExtension::Dollars => Extras { quotes: Some(dollars()?), ..Extras::default() },
        UsedExtension::Partial => Extras { partial_approval: true, ..Extras::default() },
        UsedExtension::Fee => Extras { acquirer_fee: Some(amount("1.50")?), ..Extras::default() },
        UsedExtension::CashBack => Extras { cash_back: Some(amount("1")?), ..Extras::default() },
        UsedExtension::Forced => Extras { decline: Some(Response::CardLost), ..Extras::default() },
    })
}

/// Formats an answer as text. A store failure is reduced to its kind, because its wording differs between stores.
fn text<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> String {
    match answer {
        Err(WriteError::Store(error)) => match error {
            StoreError::Unavailable(why) => format!("unavailable: {why}"),
            StoreError::OutcomeUnknown(why) => format!("outcome unknown: {why}"),
            StoreError::Overloaded => "overloaded".into(),
            StoreError::Moving(to) => format!("moving to {to}"),
            StoreError::Duplicate(_) => "duplicate".into(),
            StoreError::NotFound(_) => "not found".into(),
            StoreError::Corrupt(_) => "corrupt".into(),
        },
        other => format!("{other:?}"),
    }
}
