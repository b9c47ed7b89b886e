//! Follow-ups: advices, increments, clearings and reversals (contract 5.4, 5.5).

use super::conversion::Terms;
use super::follow_up_effects::Step;
use super::{CardDecision, CardRefusal, ChainSituation};
use crate::card::{Chain, ChainEnd, ChainKind, MessageKind, Response, TransactionState};
use crate::ids::TransactionToken;
use crate::money::{DecimalAmount, Minor};
use crate::stamp::Stamp;

/// A follow-up as a caller sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// Replaces the held amount with a new total.
    Advice {
        /// The total.
        amount: DecimalAmount,
    },
    /// An increase of the hold: an extension (contract 5.7).
    Incremental {
        /// The amount to add.
        amount: DecimalAmount,
        /// A decline to force, whatever the rules decide.
        decline: Option<Response>,
    },
    /// Settlement of a purchase.
    Clearing {
        /// The amount.
        amount: DecimalAmount,
        /// Whether it releases the rest of the hold.
        is_final: bool,
    },
    /// Settlement of an ATM withdrawal, always final.
    AtmClearing {
        /// The amount.
        amount: DecimalAmount,
        /// The acquirer's fee in addition to the amount: an extension (contract 5.7).
        fee: Option<DecimalAmount>,
    },
    /// Release of the hold.
    Reversal {
        /// The amount; `None` for the whole hold.
        amount: Option<DecimalAmount>,
    },
    /// Settlement of a refund.
    RefundClearing {
        /// The amount.
        amount: DecimalAmount,
    },
    /// Withdrawal of an unsettled refund: an extension (contract 5.7).
    RefundReversal,
}

impl FollowUp {
    const fn amount(&self) -> Option<&DecimalAmount> {
        match self {
            Self::Advice { amount }
            | Self::Incremental { amount, .. }
            | Self::Clearing { amount, .. }
            | Self::AtmClearing { amount, .. }
            | Self::RefundClearing { amount } => Some(amount),
            Self::Reversal { amount } => amount.as_ref(),
            Self::RefundReversal => None,
        }
    }

    const fn kind(&self) -> MessageKind {
        match self {
            Self::Advice { .. } => MessageKind::Advice,
            Self::Incremental { .. } => MessageKind::Incremental,
            Self::Clearing { .. } => MessageKind::Clearing,
            Self::AtmClearing { .. } => MessageKind::AtmClearing,
            Self::Reversal { .. } => MessageKind::Reversal,
            Self::RefundClearing { .. } => MessageKind::RefundClearing,
            Self::RefundReversal => MessageKind::RefundReversal,
        }
    }

    const fn follows(&self, kind: ChainKind) -> bool {
        match self {
            Self::Advice { .. } | Self::Incremental { .. } | Self::Clearing { .. } => {
                matches!(kind, ChainKind::Purchase)
            }
            Self::AtmClearing { .. } => matches!(kind, ChainKind::Atm),
            Self::Reversal { .. } => matches!(kind, ChainKind::Purchase | ChainKind::Atm),
            Self::RefundClearing { .. } | Self::RefundReversal => matches!(kind, ChainKind::Refund),
        }
    }
}

/// Decides a follow-up to the message with this `token`. The state of the card matters only to increments. Amounts are
/// in the currency of the first message.
///
/// ```
/// use florin_domain::card::decide::{FollowUp, decide_follow_up};
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, minor};
///
/// let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let token = scenario.authorize("2.40").token;
/// let reversal = FollowUp::Reversal { amount: None };
/// let decision = decide_follow_up(&scenario.situation(token), token, &reversal, &scenario.stamp()).unwrap();
/// assert_eq!(decision.balances.available(), minor("10.00 GBP"));
/// ```
pub fn decide_follow_up(
    situation: &ChainSituation,
    token: TransactionToken,
    message: &FollowUp,
    stamp: &Stamp<'_>,
) -> Result<CardDecision, CardRefusal> {
    let terms = Terms::of(situation.card.currency, situation.first.conversion);
    let amount = message.amount().map(|amount| terms.minor(amount)).transpose().map_err(CardRefusal::Amount)?;
    let fee = match message {
        FollowUp::AtmClearing { fee: Some(fee), .. } => terms.minor(fee).map_err(CardRefusal::Fee)?,
        _ => Minor::ZERO,
    };
    let chain = open_chain(situation, message)?;
    let step = Step::new(situation, chain, terms, (message.kind(), token), stamp);
    let sent = amount.unwrap_or_default();
    match message {
        FollowUp::Advice { .. } => step.advice(sent),
        FollowUp::Incremental { decline, .. } => step.incremental(sent, *decline),
        FollowUp::Clearing { is_final, .. } => step.clearing(sent, Minor::ZERO, *is_final),
        FollowUp::AtmClearing { .. } => step.clearing(sent, fee, true),
        FollowUp::Reversal { .. } => step.reversal(amount),
        FollowUp::RefundClearing { .. } => step.refund_clearing(sent),
        FollowUp::RefundReversal => step.refund_reversal(),
    }
}

/// Returns the chain, if it is open and this message may follow the one named.
fn open_chain<'a>(situation: &'a ChainSituation, message: &FollowUp) -> Result<&'a Chain, CardRefusal> {
    let (found, state) = situation.named;
    let wrong_kind = CardRefusal::WrongKind { found, state };
    let names_a_chain = match found {
        MessageKind::Authorization
        | MessageKind::AtmAuthorization
        | MessageKind::RefundAuthorization
        | MessageKind::Advice
        | MessageKind::Incremental => state != TransactionState::Declined,
        // A partial reversal stays PENDING, a full one is CLEARED.
        MessageKind::Reversal => state == TransactionState::Pending,
        MessageKind::Clearing
        | MessageKind::AtmClearing
        | MessageKind::RefundClearing
        | MessageKind::RefundReversal
        | MessageKind::Expiry => false,
    };
    let Some(chain) = situation.chain.as_ref().filter(|chain| names_a_chain && message.follows(chain.kind)) else {
        return Err(wrong_kind);
    };
    match chain.end() {
        None => Ok(chain),
        Some(ChainEnd::Cleared) => Err(CardRefusal::AlreadyCleared),
        Some(ChainEnd::Reversed) => Err(CardRefusal::AlreadyReversed),
        Some(ChainEnd::Expired) => Err(CardRefusal::Expired),
    }
}

#[cfg(test)]
#[path = "follow_up_tests.rs"]
mod tests;
