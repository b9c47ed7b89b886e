//! Disputes of settled purchases and debits, and the messages that they cause (contract 5.7).
//!
//! The messages of a dispute are a separate chain. It begins with the provisional credit, or with the chargeback if the
//! dispute is won without a provisional credit.
//!
//! Sources:
//! - The types of the messages, and when each is sent, follow Marqeta.
//!   <https://www.marqeta.com/docs/developer-guides/dispute-webhook-events>

use super::booking::PoolChange;
use super::{CardDecision, CardRefusal, ChainSituation};
use crate::card::{
    CardTransaction, Chain, ChainEnd, ChainKind, ChainState, Dispute, DisputeAction, DisputeEvidence, DisputeLink,
    DisputeOutcome, DisputeReason, DisputeState, DisputeStatus, EvidenceText, MessageDetails, MessageKind, Response,
    TransactionState,
};
use crate::fault::Flaw;
use crate::ids::{DisputeId, TransactionToken};
use crate::ledger::AmountOutOfRange;
use crate::money::{DecimalAmount, Minor, Money};
use crate::stamp::Stamp;

/// A request to dispute a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeRequest {
    /// The amount, in the card's currency. `None` for the whole undisputed amount.
    pub amount: Option<DecimalAmount>,
    /// The reason for the dispute.
    pub reason: DisputeReason,
}

/// The situation for the opening of a dispute. An adapter loads it under the lock of the budget.
#[derive(Clone, Debug)]
pub struct OpenDisputeSituation {
    /// The chain of the transaction.
    pub disputed: ChainSituation,
    /// The transaction.
    pub transaction: CardTransaction,
    /// All disputes of transactions of the chain.
    pub disputes: Vec<Dispute>,
}

/// The situation for an action on a dispute. An adapter loads it under the lock of the budget.
#[derive(Clone, Debug)]
pub struct DisputeSituation {
    /// The dispute.
    pub dispute: Dispute,
    /// The chain of the disputed transaction.
    pub disputed: ChainSituation,
    /// The chain of the provisional credit, if it was paid.
    pub credit: Option<Chain>,
}

/// The result of an action on a dispute. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeDecision {
    /// The dispute afterwards.
    pub dispute: Dispute,
    /// The chain of the disputed transaction, if it changes.
    pub disputed: Option<Chain>,
    /// The message that the decision causes, if any.
    pub message: Option<CardDecision>,
}

/// The result of a decision on a dispute, as a caller receives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisputeDone {
    /// The dispute.
    pub dispute: Dispute,
    /// The record of the message that the decision caused, if any.
    pub transaction: Option<CardTransaction>,
}

impl From<&DisputeDecision> for DisputeDone {
    fn from(decision: &DisputeDecision) -> Self {
        let transaction = decision.message.as_ref().map(|message| message.transaction.clone());
        Self { dispute: decision.dispute.clone(), transaction }
    }
}

/// Reasons to refuse a dispute, or an action on a dispute. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisputeRefusal {
    /// The amount does not fit the card's currency.
    #[error("{}", .0.message)]
    Amount(Flaw),
    /// The transaction is not a settled purchase or debit.
    #[error("cannot dispute a message of type {} in state {}", found.as_str(), state.as_str())]
    WrongKind {
        /// The kind of the message.
        found: MessageKind,
        /// Its state.
        state: TransactionState,
    },
    /// The amount exceeds the undisputed amount.
    #[error("must be at most the undisputed amount, {rest} {}", rest.currency)]
    ExceedsUndisputed {
        /// The undisputed amount.
        rest: Money,
    },
    /// The dispute is already decided.
    #[error("must be OPEN (got {})", .0.as_str())]
    NotOpen(DisputeStatus),
    /// The dispute already has a provisional credit.
    #[error("already has a provisional credit")]
    AlreadyCredited,
    /// The dispute has the maximum number of texts of evidence.
    #[error("already has {} texts of evidence", Dispute::MAX_EVIDENCE)]
    TooMuchEvidence,
    /// The message can't be booked.
    #[error(transparent)]
    Message(#[from] CardRefusal),
}

impl From<AmountOutOfRange> for DisputeRefusal {
    fn from(out_of_range: AmountOutOfRange) -> Self {
        Self::Message(out_of_range.into())
    }
}

/// Decides whether a transaction can be disputed. No money moves yet.
///
/// An amount can be disputed only once, whatever the outcome. The merchant cannot also return the amount that an
/// open or won dispute claims.
///
/// ```
/// use florin_domain::card::DisputeReason;
/// use florin_domain::card::decide::{DisputeRefusal, DisputeRequest, OpenDisputeSituation, decide_new_dispute};
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, decimal, minor, money};
///
/// let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let purchase = scenario.authorize("2.40").token;
/// let transaction = scenario.clear(purchase, "2.40").unwrap().transaction;
/// let disputed = scenario.situation(transaction.token);
/// let situation = OpenDisputeSituation { disputed, transaction, disputes: Vec::new() };
/// let dispute = |amount: &str| {
///     let request = DisputeRequest { amount: Some(decimal(amount)), reason: DisputeReason::Duplicate };
///     decide_new_dispute(&situation, &request, &scenario.stamp())
/// };
/// assert_eq!(dispute("2.00").unwrap().dispute.amount, minor("2.00 GBP"));
/// assert_eq!(dispute("2.41"), Err(DisputeRefusal::ExceedsUndisputed { rest: money("2.40 GBP") }));
/// ```
pub fn decide_new_dispute(
    situation: &OpenDisputeSituation,
    request: &DisputeRequest,
    stamp: &Stamp<'_>,
) -> Result<DisputeDecision, DisputeRefusal> {
    let OpenDisputeSituation { disputed, transaction, .. } = situation;
    let currency = disputed.card.currency;
    let amount = request.amount.as_ref().map(|amount| amount.to_minor(currency));
    let amount = amount.transpose().map_err(DisputeRefusal::Amount)?;
    let (found, state) = (transaction.kind, transaction.state);
    let is_settled = |chain: &&Chain| {
        matches!(chain.kind, ChainKind::Purchase | ChainKind::Debit)
            && state == TransactionState::Completed
            && !chain.cleared.is_zero()
    };
    let chain = disputed.chain.as_ref().filter(is_settled).ok_or(DisputeRefusal::WrongKind { found, state })?;
    let rest = undisputed(situation, chain)?;
    let amount = amount.unwrap_or(rest);
    if amount > rest || amount.is_zero() {
        return Err(DisputeRefusal::ExceedsUndisputed { rest: rest.of(currency) });
    }
    let dispute = Dispute {
        id: DisputeId(stamp.id()),
        account: chain.account.clone(),
        card: chain.card,
        transaction: transaction.token,
        chain: chain.id,
        currency,
        amount,
        reason: request.reason,
        state: DisputeState::Open,
        credit: None,
        evidence: Vec::new(),
        created_at: stamp.now,
        updated_at: stamp.now,
    };
    let claimed = chain.disputed.plus(amount).ok_or(AmountOutOfRange::Overflow)?;
    Ok(DisputeDecision { dispute, disputed: Some(Chain { disputed: claimed, ..chain.clone() }), message: None })
}

/// Returns the amount of the transaction that can still be disputed: at most the undisputed cleared amount of its
/// chain.
fn undisputed(situation: &OpenDisputeSituation, chain: &Chain) -> Result<Minor, AmountOutOfRange> {
    let OpenDisputeSituation { transaction, disputes, .. } = situation;
    let sum = |concerns: &dyn Fn(&&Dispute) -> bool| {
        let mut amounts = disputes.iter().filter(concerns).map(|dispute| dispute.amount);
        amounts.try_fold(Minor::ZERO, Minor::plus).ok_or(AmountOutOfRange::Overflow)
    };
    let of_chain = chain.cleared.minus(sum(&|_| true)?).ok_or(AmountOutOfRange::Overflow)?;
    if transaction.token == chain.id {
        return Ok(of_chain.max(Minor::ZERO));
    }
    let cleared = transaction.impacted.negated().ok_or(AmountOutOfRange::Overflow)?;
    let of_message =
        cleared.minus(sum(&|dispute| dispute.transaction == transaction.token)?).ok_or(AmountOutOfRange::Overflow)?;
    Ok(of_chain.min(of_message).max(Minor::ZERO))
}

/// Decides an action on an open dispute.
///
/// A provisional credit pays the amount to the budget. If the dispute is won without one, the chargeback pays it. A
/// lost dispute takes the provisional credit back, which may overdraw the budget. Limits do not count these messages.
///
/// ```
/// use florin_domain::card::DisputeAction;
/// use florin_domain::card::decide::{DisputeRefusal, DisputeSituation, decide_dispute};
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, minor};
///
/// let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let purchase = scenario.authorize("2.40").token;
/// let cleared = scenario.clear(purchase, "2.40").unwrap().transaction.token;
/// let dispute = scenario.dispute(cleared, None).unwrap();
/// let situation = DisputeSituation { dispute, disputed: scenario.situation(cleared), credit: None };
/// let decision = decide_dispute(&situation, &DisputeAction::Credit, &scenario.stamp()).unwrap();
/// assert_eq!(decision.message.unwrap().balances.available(), minor("10.00 GBP"));
///
/// let credited = DisputeSituation { dispute: decision.dispute, ..situation };
/// let refused = decide_dispute(&credited, &DisputeAction::Credit, &scenario.stamp());
/// assert_eq!(refused, Err(DisputeRefusal::AlreadyCredited));
/// ```
pub fn decide_dispute(
    situation: &DisputeSituation,
    action: &DisputeAction,
    stamp: &Stamp<'_>,
) -> Result<DisputeDecision, DisputeRefusal> {
    let state = situation.dispute.state;
    if state != DisputeState::Open {
        return Err(DisputeRefusal::NotOpen(state.status()));
    }
    match action {
        DisputeAction::Evidence(text) => with_evidence(situation, text, stamp),
        DisputeAction::Credit => credited(situation, stamp),
        DisputeAction::Resolve(outcome) => resolved(situation, *outcome, stamp),
    }
}

fn with_evidence(
    situation: &DisputeSituation,
    text: &EvidenceText,
    stamp: &Stamp<'_>,
) -> Result<DisputeDecision, DisputeRefusal> {
    let mut dispute = Dispute { updated_at: stamp.now, ..situation.dispute.clone() };
    if dispute.evidence.len() >= Dispute::MAX_EVIDENCE {
        return Err(DisputeRefusal::TooMuchEvidence);
    }
    dispute.evidence.push(DisputeEvidence { text: text.as_str().to_owned(), created_at: stamp.now });
    Ok(DisputeDecision { dispute, disputed: None, message: None })
}

fn credited(situation: &DisputeSituation, stamp: &Stamp<'_>) -> Result<DisputeDecision, DisputeRefusal> {
    if situation.dispute.credit.is_some() {
        return Err(DisputeRefusal::AlreadyCredited);
    }
    let amount = situation.dispute.amount;
    let message = Message {
        kind: MessageKind::ProvisionalCredit,
        pool_change: PoolChange::refund(amount)?,
        impacted: amount,
        state: ChainState::Open { held: Minor::ZERO },
        cleared: amount,
    };
    let message = message.book(situation, stamp)?;
    let dispute =
        Dispute { credit: Some(message.transaction.token), updated_at: stamp.now, ..situation.dispute.clone() };
    Ok(DisputeDecision { dispute, disputed: None, message: Some(message) })
}

fn resolved(
    situation: &DisputeSituation,
    outcome: DisputeOutcome,
    stamp: &Stamp<'_>,
) -> Result<DisputeDecision, DisputeRefusal> {
    let DisputeSituation { dispute, disputed, credit } = situation;
    let (amount, at) = (dispute.amount, stamp.now);
    let (message, state) = match outcome {
        DisputeOutcome::Won => {
            let message = Message::of_win(amount, credit.is_some())?.book(situation, stamp)?;
            let settlement = message.transaction.token;
            (Some(message), DisputeState::Won { settlement, at })
        }
        DisputeOutcome::Lost if credit.is_some() => {
            let message = Message::of_loss(amount)?.book(situation, stamp)?;
            let settlement = Some(message.transaction.token);
            (Some(message), DisputeState::Lost { settlement, at })
        }
        DisputeOutcome::Lost => (None, DisputeState::Lost { settlement: None, at }),
    };
    let released = match (outcome, &disputed.chain) {
        (DisputeOutcome::Lost, Some(chain)) => {
            let left = chain.disputed.minus(amount).ok_or(AmountOutOfRange::Overflow)?;
            Some(Chain { disputed: left, ..chain.clone() })
        }
        _ => None,
    };
    let dispute = Dispute { state, updated_at: at, ..dispute.clone() };
    Ok(DisputeDecision { dispute, disputed: released, message })
}

/// A message of a dispute: the first message of its chain, or the message that ends the chain.
struct Message {
    kind: MessageKind,
    pool_change: PoolChange,
    impacted: Minor,
    /// The state of the dispute's chain afterwards.
    state: ChainState,
    /// The amount that remains credited to the budget afterwards.
    cleared: Minor,
}

impl Message {
    /// Returns the message of a dispute that is won. A provisional credit has already paid the amount.
    fn of_win(amount: Minor, has_credit: bool) -> Result<Self, AmountOutOfRange> {
        let (kind, pool_change, impacted) = if has_credit {
            (MessageKind::ChargebackCompleted, PoolChange::default(), Minor::ZERO)
        } else {
            (MessageKind::Chargeback, PoolChange::refund(amount)?, amount)
        };
        Ok(Self { kind, pool_change, impacted, state: ChainState::Ended(ChainEnd::Cleared), cleared: amount })
    }

    /// Returns the message of a dispute that is lost after a provisional credit: it takes the credit back.
    fn of_loss(amount: Minor) -> Result<Self, AmountOutOfRange> {
        Ok(Self {
            kind: MessageKind::ProvisionalDebit,
            pool_change: PoolChange::clear(Minor::ZERO, amount)?,
            impacted: amount.negated().ok_or(AmountOutOfRange::Overflow)?,
            state: ChainState::Ended(ChainEnd::Reversed),
            cleared: Minor::ZERO,
        })
    }

    fn book(self, situation: &DisputeSituation, stamp: &Stamp<'_>) -> Result<CardDecision, DisputeRefusal> {
        let DisputeSituation { dispute, disputed: ChainSituation { card, balances, .. }, credit } = situation;
        let token = TransactionToken(stamp.id());
        let (journal, balances) = self.pool_change.book(card, balances, token, stamp)?;
        let transaction = self.record(situation, token, stamp);
        let transaction = CardTransaction {
            ledger_balance: balances.ledger(),
            available_balance: balances.available(),
            ..transaction
        };
        let chain = match credit {
            Some(chain) => Chain { state: self.state, cleared: self.cleared, ..chain.clone() },
            None => Chain {
                id: token,
                account: card.account.clone(),
                card: card.id,
                budget: card.budget,
                currency: card.currency,
                kind: ChainKind::Dispute,
                authorised: dispute.amount,
                state: self.state,
                cleared: self.cleared,
                forced: Minor::ZERO,
                disputed: Minor::ZERO,
                created_at: stamp.now,
                expires_at: None,
                merchant: None,
                counted: Vec::new(),
            },
        };
        let first_state =
            if self.cleared.is_zero() { TransactionState::NothingCleared } else { TransactionState::Completed };
        Ok(CardDecision {
            transaction,
            chain: Some(chain),
            first_state: credit.as_ref().map(|_| first_state),
            journal,
            balances,
            limits: Vec::new(),
            declined: None,
        })
    }

    /// Returns the record of the message. The caller must set its balances.
    fn record(&self, situation: &DisputeSituation, token: TransactionToken, stamp: &Stamp<'_>) -> CardTransaction {
        let DisputeSituation { dispute, disputed, credit } = situation;
        let credit = credit.as_ref().map(|chain| chain.id);
        let link = DisputeLink { dispute: dispute.id, transaction: dispute.transaction };
        CardTransaction {
            token,
            chain: credit.unwrap_or(token),
            chain_kind: ChainKind::Dispute,
            kind: self.kind,
            state: TransactionState::Completed,
            amount: dispute.amount,
            requested: dispute.amount,
            acquirer_fee: Minor::ZERO,
            conversion: None,
            impacted: self.impacted,
            response: Response::Approved,
            preceding: credit,
            created_at: stamp.now,
            details: MessageDetails { dispute: Some(link), ..MessageDetails::default() },
            ..disputed.first.clone()
        }
    }
}

#[cfg(test)]
#[path = "dispute_tests.rs"]
mod tests;
