//! Follow-ups: advice, clearing, reversal and their kin (contract 5.4, 5.5).

use super::booking::Movement;
use super::{CardDecision, CardRefusal, MessageStamp};
use crate::card::{
    Card, CardTransaction, Chain, ChainEnd, ChainKind, MessageKind, Response, SpendingLimit, TransactionState,
};
use crate::ids::TransactionToken;
use crate::ledger::{BalanceLimit, Balances};
use crate::money::{DecimalAmount, Minor};

/// What an adapter loads, under the lock of the budget.
#[derive(Clone, Debug)]
pub struct ChainSituation {
    /// The card.
    pub card: Card,
    /// Its spending limits.
    pub limits: Vec<SpendingLimit>,
    /// Its budget's balances in the card's currency.
    pub balances: Balances,
    /// The first message of the chain.
    pub first: CardTransaction,
    /// The message whose token was sent: its kind and state.
    pub named: (MessageKind, TransactionState),
    /// The chain; `None` where the first message was declined.
    pub chain: Option<Chain>,
}

/// What a caller sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// A new total for what is held.
    Advice {
        /// The total.
        amount: DecimalAmount,
    },
    /// Settlement of a purchase.
    Clearing {
        /// How much.
        amount: DecimalAmount,
        /// Whether it releases what it leaves.
        is_final: bool,
    },
    /// Settlement of an ATM withdrawal, always final.
    AtmClearing {
        /// How much.
        amount: DecimalAmount,
    },
    /// Release of the hold.
    Reversal {
        /// How much; `None`: all that is held.
        amount: Option<DecimalAmount>,
    },
    /// Settlement of a refund.
    RefundClearing {
        /// How much.
        amount: DecimalAmount,
    },
}

impl FollowUp {
    const fn amount(&self) -> Option<&DecimalAmount> {
        match self {
            Self::Advice { amount }
            | Self::Clearing { amount, .. }
            | Self::AtmClearing { amount }
            | Self::RefundClearing { amount } => Some(amount),
            Self::Reversal { amount } => amount.as_ref(),
        }
    }

    const fn kind(&self) -> MessageKind {
        match self {
            Self::Advice { .. } => MessageKind::Advice,
            Self::Clearing { .. } => MessageKind::Clearing,
            Self::AtmClearing { .. } => MessageKind::AtmClearing,
            Self::Reversal { .. } => MessageKind::Reversal,
            Self::RefundClearing { .. } => MessageKind::RefundClearing,
        }
    }

    const fn follows(&self, kind: ChainKind) -> bool {
        match self {
            Self::Advice { .. } | Self::Clearing { .. } => matches!(kind, ChainKind::Purchase),
            Self::AtmClearing { .. } => matches!(kind, ChainKind::Atm),
            Self::Reversal { .. } => matches!(kind, ChainKind::Purchase | ChainKind::Atm),
            Self::RefundClearing { .. } => matches!(kind, ChainKind::Refund),
        }
    }
}

/// Decides a follow-up that named its chain by `token`. It is taken whatever state the card is in by now.
pub fn decide_follow_up(
    situation: &ChainSituation,
    token: TransactionToken,
    message: &FollowUp,
    stamp: &MessageStamp,
) -> Result<CardDecision, CardRefusal> {
    let amount = message.amount().map(|amount| amount.to_minor(situation.card.currency)).transpose();
    let amount = amount.map_err(CardRefusal::Amount)?;
    let chain = open_chain(situation, message)?;
    let step = Step { situation, chain, stamp, kind: message.kind(), preceding: token };
    match message {
        FollowUp::Advice { .. } => step.advice(amount.unwrap_or_default()),
        FollowUp::Clearing { is_final, .. } => step.clearing(amount.unwrap_or_default(), *is_final),
        FollowUp::AtmClearing { .. } => step.clearing(amount.unwrap_or_default(), true),
        FollowUp::Reversal { .. } => step.reversal(amount.unwrap_or(chain.held)),
        FollowUp::RefundClearing { .. } => step.refund_clearing(amount.unwrap_or_default()),
    }
}

/// The chain, if this message may follow the one that was named and the chain goes on.
fn open_chain<'a>(situation: &'a ChainSituation, message: &FollowUp) -> Result<&'a Chain, CardRefusal> {
    let (found, state) = situation.named;
    let wrong_kind = CardRefusal::WrongKind { found, state };
    let names_a_chain = match found {
        MessageKind::Authorization
        | MessageKind::AtmAuthorization
        | MessageKind::RefundAuthorization
        | MessageKind::Advice => state != TransactionState::Declined,
        // A partial reversal stays PENDING, a full one is CLEARED.
        MessageKind::Reversal => state == TransactionState::Pending,
        MessageKind::Clearing | MessageKind::AtmClearing | MessageKind::RefundClearing | MessageKind::Expiry => false,
    };
    let Some(chain) = situation.chain.as_ref().filter(|chain| names_a_chain && message.follows(chain.kind)) else {
        return Err(wrong_kind);
    };
    match chain.end {
        None => Ok(chain),
        Some(ChainEnd::Cleared) => Err(CardRefusal::AlreadyCleared),
        Some(ChainEnd::Reversed) => Err(CardRefusal::AlreadyReversed),
        Some(ChainEnd::Expired) => Err(CardRefusal::Expired),
    }
}

/// One follow-up on an open chain.
pub(super) struct Step<'a> {
    pub(super) situation: &'a ChainSituation,
    pub(super) chain: &'a Chain,
    pub(super) stamp: &'a MessageStamp,
    pub(super) kind: MessageKind,
    pub(super) preceding: TransactionToken,
}

/// What a follow-up comes to.
struct Effect {
    amount: Minor,
    requested: Minor,
    impacted: Minor,
    state: TransactionState,
    movement: Movement,
    chain: Chain,
    /// How what counts against the spending limits changes.
    counted: Minor,
}

impl Step<'_> {
    fn advice(&self, total: Minor) -> Result<CardDecision, CardRefusal> {
        if !self.chain.cleared.is_zero() {
            return Err(CardRefusal::AlreadyCleared);
        }
        let change = total.minus(self.chain.held).ok_or(BalanceLimit)?;
        let available = self.situation.balances.available();
        if change > Minor::ZERO && available < change {
            return Ok(self.declined(total));
        }
        self.apply(Effect {
            amount: total,
            requested: total,
            impacted: total.negated().ok_or(BalanceLimit)?,
            state: TransactionState::Pending,
            movement: Movement::hold(change)?,
            chain: Chain { held: total, ..self.chain.clone() },
            counted: change,
        })
    }

    fn clearing(&self, amount: Minor, is_final: bool) -> Result<CardDecision, CardRefusal> {
        let held = self.chain.held;
        let ends = is_final || amount >= held;
        let taken = if ends { held } else { amount };
        let released = if ends { held.minus(amount).ok_or(BalanceLimit)?.max(Minor::ZERO) } else { Minor::ZERO };
        self.apply(Effect {
            amount,
            requested: amount,
            impacted: amount.negated().ok_or(BalanceLimit)?,
            state: TransactionState::Completion,
            movement: Movement::clear(taken, amount)?,
            chain: Chain {
                held: held.minus(taken).ok_or(BalanceLimit)?,
                cleared: self.chain.cleared.plus(amount).ok_or(BalanceLimit)?,
                end: ends.then_some(ChainEnd::Cleared),
                ..self.chain.clone()
            },
            counted: released.negated().ok_or(BalanceLimit)?,
        })
    }

    fn reversal(&self, amount: Minor) -> Result<CardDecision, CardRefusal> {
        let held = self.chain.held;
        if amount > held {
            return Err(CardRefusal::ExceedsHold { held: held.of(self.chain.currency) });
        }
        self.release(amount, ChainEnd::Reversed)
    }

    /// Releases a part of the hold; releasing all of it ends the chain.
    pub(super) fn release(&self, amount: Minor, end: ChainEnd) -> Result<CardDecision, CardRefusal> {
        let left = self.chain.held.minus(amount).ok_or(BalanceLimit)?;
        let ends = left.is_zero();
        let back = amount.negated().ok_or(BalanceLimit)?;
        self.apply(Effect {
            amount,
            requested: self.chain.authorised,
            impacted: amount,
            state: if ends { TransactionState::Cleared } else { TransactionState::Pending },
            movement: Movement::hold(back)?,
            chain: Chain { held: left, end: ends.then_some(end), ..self.chain.clone() },
            counted: back,
        })
    }

    fn refund_clearing(&self, amount: Minor) -> Result<CardDecision, CardRefusal> {
        if amount > self.chain.authorised {
            let authorised = self.chain.authorised.of(self.chain.currency);
            return Err(CardRefusal::ExceedsAuthorization { authorised });
        }
        let mut decision = self.apply(Effect {
            amount,
            requested: amount,
            impacted: amount,
            state: TransactionState::Completion,
            movement: Movement::refund(amount)?,
            chain: Chain { cleared: amount, end: Some(ChainEnd::Cleared), ..self.chain.clone() },
            counted: Minor::ZERO,
        })?;
        // A refund names no purchase: it gives back in the windows of today.
        let back = amount.negated().ok_or(BalanceLimit)?;
        decision.limits = self.changed_limits(back, self.stamp.now);
        Ok(decision)
    }

    fn apply(&self, effect: Effect) -> Result<CardDecision, CardRefusal> {
        let (journal, balances) = effect.movement.book(&self.situation.card, &self.situation.balances, self.stamp)?;
        let first_state = effect.chain.end.map(|_| {
            if effect.chain.cleared.is_zero() { TransactionState::Cleared } else { TransactionState::Completion }
        });
        let (counted, amounts) = (effect.counted, (effect.amount, effect.requested, effect.impacted));
        Ok(CardDecision {
            transaction: self.record(amounts, (effect.state, Response::Approved), &balances),
            chain: Some(effect.chain),
            first_state,
            journal: (!journal.postings().is_empty()).then_some(journal),
            balances,
            limits: self.changed_limits(counted, self.chain.created_at),
        })
    }

    fn declined(&self, amount: Minor) -> CardDecision {
        let state = (TransactionState::Declined, Response::NotSufficientFunds);
        let balances = self.situation.balances;
        CardDecision {
            transaction: self.record((amount, amount, Minor::ZERO), state, &balances),
            chain: None,
            first_state: None,
            journal: None,
            balances,
            limits: Vec::new(),
        }
    }

    fn changed_limits(&self, change: Minor, counted_at: chrono::DateTime<chrono::Utc>) -> Vec<SpendingLimit> {
        if change.is_zero() {
            return Vec::new();
        }
        let limits = self.situation.limits.iter();
        limits.map(|limit| limit.after_change(change, counted_at, self.stamp.now)).collect()
    }

    fn record(
        &self,
        (amount, requested, impacted): (Minor, Minor, Minor),
        (state, response): (TransactionState, Response),
        balances: &Balances,
    ) -> CardTransaction {
        CardTransaction {
            token: self.stamp.token,
            kind: self.kind,
            state,
            amount,
            requested,
            impacted,
            response,
            ledger_balance: balances.ledger(),
            available_balance: balances.available(),
            preceding: Some(self.preceding),
            created_at: self.stamp.now,
            ..self.situation.first.clone()
        }
    }
}

#[cfg(test)]
#[path = "follow_up_tests.rs"]
mod tests;
