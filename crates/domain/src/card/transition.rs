//! Transitions of cards between states (contract 5.6).

use super::{CardRecord, CardState};
use crate::ids::{AccountId, CardId, ClientId};
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::fmt;

/// A request to change the state of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionRequest {
    /// The requested state.
    pub to: CardState,
    /// The reason, in the client's words.
    pub reason: Text<1, 140>,
    /// The client that sends the request.
    pub client: ClientId,
    /// The time of the transition.
    pub now: DateTime<Utc>,
}

/// The record of one transition. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTransition {
    /// The account.
    pub account: AccountId,
    /// The card.
    pub card: CardId,
    /// The state before.
    pub from: CardState,
    /// The state after.
    pub to: CardState,
    /// The reason, in the client's words.
    pub reason: String,
    /// The client that sent the request.
    pub client: ClientId,
    /// When it happened.
    pub created_at: DateTime<Utc>,
}

/// What an adapter stores atomically after a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionDecision {
    /// The card in its new state; nothing else changes.
    pub card: CardRecord,
    /// The record of the transition.
    pub transition: CardTransition,
}

/// A transition that the card's state does not allow. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct IllegalTransition {
    /// The state of the card.
    pub current: CardState,
    /// The requested state.
    pub requested: CardState,
}

impl fmt::Display for IllegalTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ways: Vec<_> = self.current.ways().iter().map(|state| state.as_str()).collect();
        let current = self.current.as_str();
        if ways.is_empty() {
            write!(f, "cannot change: {current} is final")
        } else {
            write!(f, "must be one of {} (the card is {current})", ways.join(", "))
        }
    }
}

/// Decides a transition. The adapter holds the lock of the card's budget, as for card messages.
///
/// ```
/// use florin_domain::card::{CardRecord, CardState, TransitionRequest, decide_transition};
/// use florin_domain::test_support::{CLIENT, a_card, noon};
/// use florin_domain::text::Text;
///
/// let card = CardRecord::seeded(a_card().in_state(CardState::Terminated).build());
/// let reason = Text::parse("found again").unwrap();
/// let request = TransitionRequest { to: CardState::Active, reason, client: CLIENT, now: noon() };
/// let refusal = decide_transition(&card, &request).unwrap_err();
/// assert_eq!(refusal.to_string(), "cannot change: TERMINATED is final");
/// ```
pub fn decide_transition(
    card: &CardRecord,
    request: &TransitionRequest,
) -> Result<TransitionDecision, IllegalTransition> {
    let (current, requested) = (card.card.state, request.to);
    if !current.ways().contains(&requested) {
        return Err(IllegalTransition { current, requested });
    }
    let transition = CardTransition {
        account: card.card.account.clone(),
        card: card.card.id,
        from: current,
        to: requested,
        reason: request.reason.as_str().to_owned(),
        client: request.client,
        created_at: request.now,
    };
    let mut card = card.clone();
    card.card.state = requested;
    Ok(TransitionDecision { card, transition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{CLIENT, a_card};

    fn decide(from: CardState, to: CardState) -> Result<TransitionDecision, IllegalTransition> {
        let request =
            TransitionRequest { to, reason: Text::parse("lost").unwrap(), client: CLIENT, now: DateTime::UNIX_EPOCH };
        decide_transition(&CardRecord::seeded(a_card().in_state(from).build()), &request)
    }

    #[test]
    fn every_transition_between_two_states() {
        use CardState::{Active, Replaced, Suspended, Terminated, Unactivated};
        let allowed = [
            (Unactivated, Active),
            (Unactivated, Terminated),
            (Active, Suspended),
            (Active, Replaced),
            (Active, Terminated),
            (Suspended, Active),
            (Suspended, Replaced),
            (Suspended, Terminated),
        ];
        for current in CardState::ALL {
            for requested in CardState::ALL {
                let decided = decide(current, requested);
                if allowed.contains(&(current, requested)) {
                    let TransitionDecision { card, transition } = decided.unwrap();
                    assert_eq!((card.card.state, transition.from, transition.to), (requested, current, requested));
                } else {
                    assert_eq!(decided, Err(IllegalTransition { current, requested }));
                }
            }
        }
    }
}
