//! Effects of follow-ups on their chains (contract 5.5).
//!
//! Amounts named `sent`, and [`MerchantAmounts`](crate::card::MerchantAmounts), are in the currency of the first
//! message. All others are in the card's currency, which may be the same.

use super::booking::PoolChange;
use super::conversion::ConversionTerms;
use super::first::rounds_to_zero;
use super::rules::{EndpointInput, FundsEffect, Presented, RuleInput};
use super::{CardDecision, CardRefusal, ChainSituation};
use crate::card::controls::CardUse;
use crate::card::limit_counts::LimitCounts;
use crate::card::{
    CardLimit, CardTransaction, Chain, ChainEnd, ChainState, CountedAmount, CountedKind, DecisionCheck,
    DecisionQuestion, DeclineExplanation, EndpointDecision, MessageDetails, MessageKind, Response, Rule,
    TransactionState,
};
use crate::ids::TransactionToken;
use crate::ledger::{AmountOutOfRange, Balances};
use crate::money::Minor;
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// A follow-up to a chain, with the inputs of its decision.
pub(super) struct FollowUpInput<'a> {
    situation: &'a ChainSituation,
    chain: &'a Chain,
    terms: ConversionTerms,
    kind: MessageKind,
    preceding: TransactionToken,
    token: TransactionToken,
    stamp: &'a Stamp<'a>,
}

/// The amounts of the record of a follow-up.
#[derive(Clone, Copy, Default)]
struct Amounts {
    /// The message's own amount, as sent.
    sent: Minor,
    /// The message's own amount in the card's currency.
    own: Minor,
    requested: Minor,
    fee: Minor,
    impacted: Minor,
}

/// The effect of a follow-up, before it is booked.
struct Effect {
    amounts: Amounts,
    state: TransactionState,
    pool_change: PoolChange,
    chain: Chain,
    counting: Counting,
}

/// The change of the amounts that limits counted for a chain, caused by a follow-up.
enum Counting {
    /// This amount is spent, or given back if it is negative.
    Change(Minor),
    /// An amount is spent permanently, and the hold grows or shrinks by `change`.
    Permanent { amount: Minor, change: Minor },
    /// A refund is paid.
    Lower(Minor),
    /// A refund is taken back.
    Raise(Minor),
}

/// Adds the verdict of the account's endpoint to the record.
fn with_endpoint_check(mut decision: CardDecision, seen: Option<DecisionCheck>) -> CardDecision {
    decision.transaction.details.decision = seen;
    decision
}

/// A return, and the chain after it.
struct Returned {
    sent: Minor,
    own: Minor,
    chain: Chain,
}

impl<'a> FollowUpInput<'a> {
    /// Creates a follow-up of this kind to the message with the token `preceding`. It gets a new token.
    pub(super) fn new(
        situation: &'a ChainSituation,
        chain: &'a Chain,
        terms: ConversionTerms,
        (kind, preceding): (MessageKind, TransactionToken),
        stamp: &'a Stamp<'a>,
    ) -> Self {
        Self { situation, chain, terms, kind, preceding, token: TransactionToken(stamp.id()), stamp }
    }

    pub(super) fn advice(&self, sent: Minor) -> Result<CardDecision, CardRefusal> {
        let chain = self.with_hold(sent)?;
        let (total, change) = (chain.held(), subtract(chain.held(), self.chain.held())?);
        let amounts = Amounts {
            sent,
            own: total,
            requested: total,
            impacted: subtract(Minor::ZERO, total)?,
            ..Amounts::default()
        };
        let funds = Rule::AvailableBalance { available: self.situation.balances.available(), requested: change };
        if change > Minor::ZERO && !funds.passes() {
            return Ok(self.declined(amounts, DeclineExplanation { passed: Vec::new(), failed: funds }));
        }
        let (state, pool_change) = (TransactionState::Pending, PoolChange::hold(change));
        self.apply(Effect { amounts, state, pool_change, chain, counting: Counting::Change(change) })
    }

    /// Increases the hold. An increment must pass all rules of a first message, but does not count as another use of
    /// the card. The endpoint of the account can only approve it in full or decline it.
    pub(super) fn incremental(
        &self,
        sent: Minor,
        forced: Option<Response>,
        endpoint_decision: EndpointDecision,
    ) -> Result<CardDecision, CardRefusal> {
        let (held, _) = self.held_and_cleared();
        let chain = self.with_hold(add(held, sent)?)?;
        let change = subtract(chain.held(), self.chain.held())?;
        if change.is_zero() {
            return Err(rounds_to_zero(&self.situation.card));
        }
        let amounts = Amounts {
            sent,
            own: change,
            requested: change,
            impacted: subtract(Minor::ZERO, change)?,
            ..Amounts::default()
        };
        let ChainSituation { card, limits, guards, balances, first, .. } = self.situation;
        let (effect, now) = (FundsEffect::DebitMore { change, total: chain.held() }, self.stamp.now);
        let entry_mode = first.details.pos.and_then(|pos| pos.entry_mode);
        let presented = Presented::only(CardUse { acceptor: &first.acceptor, entry_mode });
        let decision = EndpointInput { endpoint_decision, allows_partial: false, partial_amount: None };
        let seen = decision.seen();
        let input = RuleInput { card, limits, guards, balances, presented, effect, forced, decision, now };
        if let Some(declined) = input.declined(|| self.question(amounts))? {
            return Ok(with_endpoint_check(self.declined(amounts, declined), seen));
        }
        let (state, pool_change) = (TransactionState::Pending, PoolChange::hold(change));
        let effect = Effect { amounts, state, pool_change, chain, counting: Counting::Change(change) };
        Ok(with_endpoint_check(self.apply(effect)?, seen))
    }

    /// Returns the question to the endpoint of the account.
    fn question(&self, amounts: Amounts) -> DecisionQuestion {
        let state = (TransactionState::Pending, Response::Approved);
        let amounts_before = Amounts { impacted: Minor::ZERO, ..amounts };
        let message = self.record(amounts_before, state, &self.situation.balances);
        DecisionQuestion { message, amount: amounts.sent.of(self.terms.currency()), allows_partial: false }
    }

    pub(super) fn clearing(&self, sent: Minor, fee: Minor, is_final: bool) -> Result<CardDecision, CardRefusal> {
        let (held, cleared) = self.held_and_cleared();
        let (without_fee, with_fee) = (add(cleared, sent)?, add(cleared, add(sent, fee)?)?);
        self.must_be_within_margin(with_fee, fee)?;
        let left = if is_final { Minor::ZERO } else { subtract(held, add(sent, fee)?)?.max(Minor::ZERO) };
        let mut chain = self.still_open(left, with_fee)?;
        let ends = is_final || chain.held().is_zero();
        if ends {
            chain = self.ended(chain, ChainEnd::Cleared, with_fee);
        }
        // Each amount is the increase of the converted sum, so partial amounts add up to the conversion of the total.
        let before = self.terms.to_card(cleared)?;
        let own = subtract(self.terms.to_card(without_fee)?, before)?;
        let posted = subtract(self.terms.to_card(with_fee)?, before)?;
        let taken = subtract(self.chain.held(), chain.held())?;
        chain.cleared = add(self.chain.cleared, posted)?;
        self.apply(Effect {
            amounts: Amounts {
                sent,
                own,
                requested: own,
                fee: subtract(posted, own)?,
                impacted: subtract(Minor::ZERO, posted)?,
            },
            state: TransactionState::Completed,
            pool_change: PoolChange::clear(taken, posted)?,
            chain,
            // If more is cleared than the hold loses, limits count the difference. If less, they give it back.
            counting: Counting::Change(subtract(posted, taken)?),
        })
    }

    /// Refuses a clearing above the margin that the account's settings allow. `cleared_after` is the cleared amount
    /// after the clearing.
    fn must_be_within_margin(&self, cleared_after: Minor, fee: Minor) -> Result<(), CardRefusal> {
        let ChainSituation { guards, first, .. } = self.situation;
        let (held, cleared) = self.held_and_cleared();
        let before = subtract(cleared, self.chain.forced)?;
        let (authorised, after) = (add(held, before)?, subtract(cleared_after, self.chain.forced)?);
        let currency = self.terms.currency();
        match guards.settings.over_clearing.max_cleared(authorised, &first.acceptor.mcc, currency) {
            Some(max) if after > max => {
                let max = subtract(max, add(before, fee)?)?.max(Minor::ZERO);
                Err(CardRefusal::ExceedsMargin { max: max.of(currency) })
            }
            _ => Ok(()),
        }
    }

    /// Releases an amount of the hold, or the whole hold for `None`.
    pub(super) fn reversal(&self, sent: Option<Minor>) -> Result<CardDecision, CardRefusal> {
        let (held, _) = self.held_and_cleared();
        let sent = sent.unwrap_or(held);
        if sent > held {
            return Err(CardRefusal::ExceedsHold { held: held.of(self.terms.currency()) });
        }
        self.release(sent, ChainEnd::Reversed)
    }

    /// Releases the whole hold.
    pub(super) fn release_all(&self, end: ChainEnd) -> Result<CardDecision, CardRefusal> {
        self.release(self.held_and_cleared().0, end)
    }

    /// Releases a part of the hold. Releasing all of it ends the chain.
    fn release(&self, sent: Minor, end: ChainEnd) -> Result<CardDecision, CardRefusal> {
        let (held, cleared) = self.held_and_cleared();
        let mut chain = self.still_open(subtract(held, sent)?, cleared)?;
        let ends = chain.held().is_zero();
        if ends {
            chain = self.ended(chain, end, cleared);
        }
        let released = subtract(self.chain.held(), chain.held())?;
        let change = subtract(Minor::ZERO, released)?;
        let requested = self.chain.authorised;
        self.apply(Effect {
            amounts: Amounts { sent, own: released, requested, impacted: released, fee: Minor::ZERO },
            state: if ends { TransactionState::NothingCleared } else { TransactionState::Pending },
            pool_change: PoolChange::hold(change),
            chain,
            counting: Counting::Change(change),
        })
    }

    pub(super) fn refund_clearing(&self, sent: Minor) -> Result<CardDecision, CardRefusal> {
        let first = self.situation.first.conversion;
        let authorised = first.map_or(self.chain.authorised, |first| first.amount);
        if sent > authorised {
            return Err(CardRefusal::ExceedsAuthorization { authorised: authorised.of(self.terms.currency()) });
        }
        let own = self.terms.to_card(sent)?;
        let chain = Chain { cleared: own, ..self.ended(self.chain.clone(), ChainEnd::Cleared, sent) };
        self.apply(Effect {
            amounts: Amounts { sent, own, requested: own, impacted: own, fee: Minor::ZERO },
            state: TransactionState::Completed,
            pool_change: PoolChange::refund(own)?,
            chain,
            counting: Counting::Lower(own),
        })
    }

    /// Ends a refund chain. A refund holds no money, so none moves.
    pub(super) fn refund_reversal(&self) -> Result<CardDecision, CardRefusal> {
        let own = self.chain.authorised;
        let sent = self.situation.first.conversion.map_or(own, |first| first.amount);
        self.apply(Effect {
            amounts: Amounts { sent, own, requested: own, impacted: subtract(Minor::ZERO, own)?, fee: Minor::ZERO },
            state: TransactionState::NothingCleared,
            pool_change: PoolChange::default(),
            chain: Chain { state: ChainState::Ended(ChainEnd::Reversed), ..self.chain.clone() },
            counting: Counting::Change(Minor::ZERO),
        })
    }

    /// Clears an amount, whether the chain is open or has ended. The hold of an open chain stays.
    pub(super) fn forced_clearing(&self, sent: Minor) -> Result<CardDecision, CardRefusal> {
        let (held, cleared) = self.held_and_cleared();
        let cleared_after = add(cleared, sent)?;
        let forced = add(self.chain.forced, sent)?;
        let mut chain = match self.chain.state {
            ChainState::Open { .. } => self.still_open(held, cleared_after)?,
            ChainState::Ended(end) => self.ended(self.chain.clone(), end, cleared_after),
        };
        // A hold that rounds to zero in the card's currency ends.
        if chain.end().is_none() && chain.held().is_zero() {
            chain = self.ended(chain, ChainEnd::Cleared, cleared_after);
        }
        let posted = subtract(self.terms.to_card(cleared_after)?, self.terms.to_card(cleared)?)?;
        // In another currency, the conversion of the hold may change by a minor unit.
        let taken = subtract(self.chain.held(), chain.held())?;
        (chain.cleared, chain.forced) = (add(self.chain.cleared, posted)?, forced);
        self.apply(Effect {
            amounts: Amounts {
                sent,
                own: posted,
                requested: posted,
                impacted: subtract(Minor::ZERO, posted)?,
                ..Amounts::default()
            },
            state: TransactionState::Completed,
            pool_change: PoolChange::clear(taken, posted)?,
            chain,
            counting: Counting::Permanent { amount: posted, change: subtract(Minor::ZERO, taken)? },
        })
    }

    /// Returns an amount of a debit to the budget. Its record has the state of a reversal: CLEARED.
    pub(super) fn debit_reversal(&self, sent: Option<Minor>) -> Result<CardDecision, CardRefusal> {
        let Returned { sent, own, chain } = self.returned(sent)?;
        let requested = self.chain.authorised;
        self.apply(Effect {
            amounts: Amounts { sent, own, requested, impacted: own, ..Amounts::default() },
            state: TransactionState::NothingCleared,
            pool_change: PoolChange::refund(own)?,
            chain,
            counting: Counting::Change(subtract(Minor::ZERO, own)?),
        })
    }

    /// Takes back an amount of a settled refund.
    pub(super) fn refund_return(&self, sent: Option<Minor>) -> Result<CardDecision, CardRefusal> {
        let Returned { sent, own, chain } = self.returned(sent)?;
        let requested = self.chain.authorised;
        self.apply(Effect {
            amounts: Amounts { sent, own, requested, impacted: subtract(Minor::ZERO, own)?, ..Amounts::default() },
            state: TransactionState::Completed,
            pool_change: PoolChange::clear(Minor::ZERO, own)?,
            chain,
            counting: Counting::Raise(own),
        })
    }

    /// Computes the return of a cleared amount; `None` returns all that is left. The amount that disputes claim can't
    /// be returned.
    fn returned(&self, sent: Option<Minor>) -> Result<Returned, CardRefusal> {
        let (_, cleared) = self.held_and_cleared();
        let rest = subtract(cleared, self.terms.covering(self.chain.disputed, cleared)?)?;
        let sent = sent.unwrap_or(rest);
        if sent > rest || rest.is_zero() {
            return Err(CardRefusal::ExceedsRemainder { rest: rest.of(self.terms.currency()) });
        }
        let left = subtract(cleared, sent)?;
        // Each amount is the decrease of the converted sum, so partial amounts add up to the conversion of the total.
        let own = subtract(self.terms.to_card(cleared)?, self.terms.to_card(left)?)?;
        let cleared = subtract(self.chain.cleared, own)?;
        let end = if cleared.is_zero() { ChainEnd::Reversed } else { ChainEnd::Cleared };
        let chain = self.ended(self.chain.clone(), end, left);
        Ok(Returned { sent, own, chain: Chain { cleared, ..chain } })
    }

    /// The held and the cleared amount, in the currency of the first message.
    fn held_and_cleared(&self) -> (Minor, Minor) {
        self.chain.merchant.map_or((self.chain.held(), self.chain.cleared), |side| (side.held, side.cleared))
    }

    /// Returns the open chain with these amounts, which are in the currency of the first message. The hold in the
    /// card's currency is the conversion of their sum minus the conversion of the cleared amount, so it is zero when
    /// nothing is held.
    fn still_open(&self, held: Minor, cleared: Minor) -> Result<Chain, CardRefusal> {
        let sum = self.terms.to_card(add(held, cleared)?)?;
        let state = ChainState::Open { held: subtract(sum, self.terms.to_card(cleared)?)? };
        Ok(Chain { state, merchant: self.terms.merchant_amounts(held, cleared), ..self.chain.clone() })
    }

    /// Returns the chain after its end. The cleared amount is in the currency of the first message.
    fn ended(&self, chain: Chain, end: ChainEnd, cleared: Minor) -> Chain {
        let state = ChainState::Ended(end);
        Chain { state, merchant: self.terms.merchant_amounts(Minor::ZERO, cleared), expires_at: None, ..chain }
    }

    /// Returns the chain with a new hold. Refuses after a clearing.
    fn with_hold(&self, held: Minor) -> Result<Chain, CardRefusal> {
        let (_, cleared) = self.held_and_cleared();
        if !cleared.is_zero() {
            return Err(CardRefusal::AlreadyCleared);
        }
        let chain = self.still_open(held, cleared)?;
        if chain.held().is_zero() && !held.is_zero() {
            return Err(rounds_to_zero(&self.situation.card));
        }
        Ok(chain)
    }

    fn apply(&self, effect: Effect) -> Result<CardDecision, CardRefusal> {
        let ChainSituation { card, balances, .. } = self.situation;
        let (journal, balances) = effect.pool_change.book(card, balances, self.token, self.stamp)?;
        let first_state = effect.chain.end().map(|_| {
            if effect.chain.cleared.is_zero() { TransactionState::NothingCleared } else { TransactionState::Completed }
        });
        let LimitCounts { changed, counted } = self.counted(&effect.counting)?;
        let chain = Chain { counted, ..effect.chain };
        Ok(CardDecision {
            transaction: self.record(effect.amounts, (effect.state, Response::Approved), &balances),
            chain: Some(chain),
            first_state,
            journal,
            balances,
            limits: changed,
            declined: None,
        })
    }

    fn declined(&self, amounts: Amounts, declined: DeclineExplanation) -> CardDecision {
        let state = (TransactionState::Declined, declined.failed.response());
        let balances = self.situation.balances;
        CardDecision {
            transaction: self.record(Amounts { impacted: Minor::ZERO, ..amounts }, state, &balances),
            chain: None,
            first_state: None,
            journal: None,
            balances,
            limits: Vec::new(),
            declined: Some(declined),
        }
    }

    /// Returns the limits after this follow-up, and the amounts that they counted for the chain.
    fn counted(&self, counting: &Counting) -> Result<LimitCounts, AmountOutOfRange> {
        let (limits, counted, now) = (&self.situation.limits, self.chain.counted.clone(), self.stamp.now);
        match *counting {
            Counting::Change(change) => changed(limits, counted, change, now),
            Counting::Lower(amount) => Ok(LimitCounts::lower(limits, counted, amount, now)),
            Counting::Raise(amount) => Ok(LimitCounts::raise(limits, counted, amount, now)),
            Counting::Permanent { amount, change } => {
                let permanent = LimitCounts::spend(limits, counted, (amount, CountedKind::Permanent, false), now);
                let mut limits = limits.clone();
                for new in &permanent.changed {
                    limits.iter_mut().filter(|old| old.id == new.id).for_each(|old| old.clone_from(new));
                }
                let LimitCounts { changed: later, counted } = changed(&limits, permanent.counted, change, now)?;
                let mut all = permanent.changed;
                all.retain(|limit| later.iter().all(|new| new.id != limit.id));
                all.extend(later);
                Ok(LimitCounts { changed: all, counted })
            }
        }
    }

    fn record(
        &self,
        amounts: Amounts,
        (state, response): (TransactionState, Response),
        balances: &Balances,
    ) -> CardTransaction {
        CardTransaction {
            token: self.token,
            kind: self.kind,
            state,
            amount: amounts.own,
            requested: amounts.requested,
            acquirer_fee: amounts.fee,
            conversion: self.terms.shown(amounts.sent),
            impacted: amounts.impacted,
            response,
            ledger_balance: balances.ledger(),
            available_balance: balances.available(),
            preceding: Some(self.preceding),
            created_at: self.stamp.now,
            details: MessageDetails::default(),
            ..self.situation.first.clone()
        }
    }
}

fn add(one: Minor, other: Minor) -> Result<Minor, AmountOutOfRange> {
    one.plus(other).ok_or(AmountOutOfRange::Overflow)
}

fn subtract(one: Minor, other: Minor) -> Result<Minor, AmountOutOfRange> {
    one.minus(other).ok_or(AmountOutOfRange::Overflow)
}

/// Returns the limits after an amount is spent, or given back if it is negative.
fn changed(
    limits: &[CardLimit],
    counted: Vec<CountedAmount>,
    change: Minor,
    now: DateTime<Utc>,
) -> Result<LimitCounts, AmountOutOfRange> {
    Ok(match change {
        Minor::ZERO => LimitCounts { changed: Vec::new(), counted },
        more if more > Minor::ZERO => LimitCounts::spend(limits, counted, (more, CountedKind::Spent, false), now),
        back => LimitCounts::give_back(limits, counted, subtract(Minor::ZERO, back)?, now),
    })
}
