//! Follow-ups: advices, increments, clearings and reversals (contract 5.4, 5.5).
//!
//! Sources:
//! - The messages that follow an authorization are those that Marqeta simulates.
//!   <https://www.marqeta.com/docs/core-api/simulations-card-transactions/authorizations.md>
//! - A reversal before the clearing cancels the hold.
//!   <https://docs.galileo-ft.com/pro/docs/authorization-reversal-simulation>

use super::conversion::ConversionTerms;
use super::follow_up_effects::FollowUpInput;
use super::{CardDecision, CardRefusal, ChainSituation};
use crate::card::{Chain, ChainEnd, ChainKind, EndpointDecision, MessageKind, Response, TransactionState};
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
    /// Increase of the hold: an extension (contract 5.7).
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
    /// Release of all or part of the hold.
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
    /// Settlement of a purchase that leaves the hold unchanged, or comes after the end of the chain: an extension.
    ForcedClearing {
        /// The amount.
        amount: DecimalAmount,
    },
    /// Return of all or part of a debit: an extension.
    DebitReversal {
        /// The amount; `None` for the full remainder.
        amount: Option<DecimalAmount>,
    },
    /// Withdrawal of a settled refund: an extension. It may overdraw the budget.
    RefundReturn {
        /// The amount; `None` for the full remainder.
        amount: Option<DecimalAmount>,
    },
    /// Expiry of the hold before it is due: an extension.
    Expiration,
}

impl FollowUp {
    const fn amount(&self) -> Option<&DecimalAmount> {
        match self {
            Self::Advice { amount }
            | Self::Incremental { amount, .. }
            | Self::Clearing { amount, .. }
            | Self::AtmClearing { amount, .. }
            | Self::ForcedClearing { amount }
            | Self::RefundClearing { amount } => Some(amount),
            Self::Reversal { amount } | Self::DebitReversal { amount } | Self::RefundReturn { amount } => {
                amount.as_ref()
            }
            Self::RefundReversal | Self::Expiration => None,
        }
    }

    /// Returns the kind of its record, given the kind of the chain's first message.
    const fn kind(&self, first: MessageKind) -> MessageKind {
        match self {
            Self::Clearing { .. } | Self::ForcedClearing { .. }
                if matches!(first, MessageKind::CashbackAuthorization) =>
            {
                MessageKind::CashbackClearing
            }
            Self::Advice { .. } => MessageKind::Advice,
            Self::Incremental { .. } => MessageKind::Incremental,
            Self::Clearing { .. } | Self::ForcedClearing { .. } => MessageKind::Clearing,
            Self::AtmClearing { .. } => MessageKind::AtmClearing,
            Self::Reversal { .. } => MessageKind::Reversal,
            Self::RefundClearing { .. } => MessageKind::RefundClearing,
            Self::RefundReversal => MessageKind::RefundReversal,
            Self::DebitReversal { .. } => MessageKind::PinDebitReversal,
            Self::RefundReturn { .. } => MessageKind::RefundReturn,
            Self::Expiration => MessageKind::Expiry,
        }
    }

    /// Whether the follow-up is possible in a chain of this kind.
    const fn follows(&self, kind: ChainKind) -> bool {
        match self {
            Self::Advice { .. } | Self::Incremental { .. } | Self::Clearing { .. } | Self::ForcedClearing { .. } => {
                matches!(kind, ChainKind::Purchase)
            }
            Self::AtmClearing { .. } => matches!(kind, ChainKind::Atm),
            Self::Reversal { .. } | Self::Expiration => matches!(kind, ChainKind::Purchase | ChainKind::Atm),
            Self::RefundClearing { .. } | Self::RefundReversal | Self::RefundReturn { .. } => {
                matches!(kind, ChainKind::Refund)
            }
            Self::DebitReversal { .. } => matches!(kind, ChainKind::Debit),
        }
    }

    /// Whether the follow-up may name a message of this kind and state.
    const fn may_name(&self, found: MessageKind, state: TransactionState) -> bool {
        match found {
            MessageKind::Authorization
            | MessageKind::CashbackAuthorization
            | MessageKind::AtmAuthorization
            | MessageKind::RefundAuthorization
            | MessageKind::Advice
            | MessageKind::Incremental
            | MessageKind::PinDebit
            | MessageKind::PinDebitCashback
            | MessageKind::Refund => !matches!(state, TransactionState::Declined),
            // A partial reversal stays PENDING, a full one is CLEARED.
            MessageKind::Reversal => matches!(state, TransactionState::Pending),
            MessageKind::RefundClearing => matches!(self, Self::RefundReturn { .. }),
            MessageKind::Clearing
            | MessageKind::CashbackClearing
            | MessageKind::AtmClearing
            | MessageKind::RefundReversal
            | MessageKind::Expiry
            | MessageKind::PinDebitReversal
            | MessageKind::BalanceInquiry
            | MessageKind::RefundReturn
            | MessageKind::FeeCharge
            | MessageKind::FeeChargeReversal
            | MessageKind::ProvisionalCredit
            | MessageKind::Chargeback
            | MessageKind::ChargebackCompleted
            | MessageKind::ProvisionalDebit => false,
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
    decide_follow_up_with_endpoint(situation, token, message, EndpointDecision::Off, stamp)
}

/// Decides a follow-up like [`decide_follow_up`]. `endpoint_decision` is the state of the decision of the
/// account's endpoint, which only increments need.
///
/// ```
/// use florin_domain::card::decide::{CardRefusal, FollowUp, decide_follow_up_with_endpoint};
/// use florin_domain::card::{DecisionCode, DecisionReply, EndpointDecision, Response, Verdict};
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, decimal};
///
/// let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let token = scenario.authorize("2.40").token;
/// let increment = FollowUp::Incremental { amount: decimal("1.00"), decline: None };
/// let decide = |endpoint_decision| {
///     let situation = scenario.situation(token);
///     decide_follow_up_with_endpoint(&situation, token, &increment, endpoint_decision, &scenario.stamp())
/// };
/// assert!(matches!(decide(EndpointDecision::Due), Err(CardRefusal::EndpointNotAsked(_))));
/// let fraud = Verdict::Reply(DecisionReply::Decline(DecisionCode::SuspectedFraud));
/// let declined = decide(EndpointDecision::Decided(fraud)).unwrap();
/// assert_eq!(declined.transaction.response, Response::SuspectedFraud);
/// ```
pub fn decide_follow_up_with_endpoint(
    situation: &ChainSituation,
    token: TransactionToken,
    message: &FollowUp,
    endpoint_decision: EndpointDecision,
    stamp: &Stamp<'_>,
) -> Result<CardDecision, CardRefusal> {
    let terms = ConversionTerms::of(situation.card.currency, situation.first.conversion);
    let amount = message.amount().map(|amount| terms.minor(amount)).transpose().map_err(CardRefusal::Amount)?;
    let fee = match message {
        FollowUp::AtmClearing { fee: Some(fee), .. } => terms.minor(fee).map_err(CardRefusal::Fee)?,
        _ => Minor::ZERO,
    };
    let chain = named_chain(situation, message)?;
    let step = FollowUpInput::new(situation, chain, terms, (message.kind(situation.first.kind), token), stamp);
    let sent = amount.unwrap_or_default();
    match message {
        FollowUp::Advice { .. } => step.advice(sent),
        FollowUp::Incremental { decline, .. } => step.incremental(sent, *decline, endpoint_decision),
        FollowUp::Clearing { is_final, .. } => step.clearing(sent, Minor::ZERO, *is_final),
        FollowUp::AtmClearing { .. } => step.clearing(sent, fee, true),
        FollowUp::Reversal { .. } => step.reversal(amount),
        FollowUp::RefundClearing { .. } => step.refund_clearing(sent),
        FollowUp::RefundReversal => step.refund_reversal(),
        FollowUp::ForcedClearing { .. } => step.forced_clearing(sent),
        FollowUp::DebitReversal { .. } => step.debit_reversal(amount),
        FollowUp::RefundReturn { .. } => step.refund_return(amount),
        FollowUp::Expiration => step.release_all(ChainEnd::Expired),
    }
}

/// Returns the chain, if it is in a state that this message may follow.
fn named_chain<'a>(situation: &'a ChainSituation, message: &FollowUp) -> Result<&'a Chain, CardRefusal> {
    let (found, state) = situation.named_message;
    let wrong_kind = CardRefusal::WrongKind { found, state };
    let follows = |chain: &&Chain| message.may_name(found, state) && message.follows(chain.kind);
    let Some(chain) = situation.chain.as_ref().filter(follows) else { return Err(wrong_kind) };
    let is_forced = matches!(message, FollowUp::ForcedClearing { .. });
    let is_return = matches!(message, FollowUp::DebitReversal { .. } | FollowUp::RefundReturn { .. });
    match chain.end() {
        // An account check has nothing that could be cleared.
        _ if is_forced && chain.authorised.is_zero() => Err(wrong_kind),
        _ if is_forced => Ok(chain),
        // Nothing that could be returned is settled yet.
        None if is_return => Err(wrong_kind),
        Some(ChainEnd::Cleared) if !is_return => Err(CardRefusal::AlreadyCleared),
        None | Some(ChainEnd::Cleared) => Ok(chain),
        Some(ChainEnd::Reversed) => Err(CardRefusal::AlreadyReversed),
        Some(ChainEnd::Expired) => Err(CardRefusal::Expired),
    }
}

#[cfg(test)]
#[path = "follow_up_tests.rs"]
mod tests;
