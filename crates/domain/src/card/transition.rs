//! Bringing cards from one state into another (contract 5.6).

use super::{CardRecord, CardState};
use crate::ids::{AccountId, CardId, ClientId};
use crate::text::Text;
use chrono::{DateTime, Utc};

/// What a client asks for, with the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionRequest {
    /// The state that the card is to be in.
    pub to: CardState,
    /// Why, in the client's words.
    pub reason: Text<1, 140>,
    /// The client that asks.
    pub client: ClientId,
    /// Now.
    pub now: DateTime<Utc>,
}

/// One step in the life of a card. Never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTransition {
    /// The account.
    pub account: AccountId,
    /// The card.
    pub card: CardId,
    /// The state it was in.
    pub from: CardState,
    /// The state it came into.
    pub to: CardState,
    /// Why, in the client's words.
    pub reason: String,
    /// The client that asked.
    pub client: ClientId,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// What is to be stored, whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionDecision {
    /// The card as it is now: nothing but its state has changed.
    pub card: CardRecord,
    /// How it came to that.
    pub transition: CardTransition,
}

/// The card can't be brought there from where it is. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a card that is {} can't become {}", current.as_str(), wanted.as_str())]
pub struct IllegalTransition {
    /// Where it is.
    pub current: CardState,
    /// Where it was to be.
    pub wanted: CardState,
}

/// Decides a transition on the card as it is under the lock of its budget, which card messages are decided under, too.
pub fn decide_transition(
    card: &CardRecord,
    request: &TransitionRequest,
) -> Result<TransitionDecision, IllegalTransition> {
    let (current, wanted) = (card.card.state, request.to);
    if !current.ways().contains(&wanted) {
        return Err(IllegalTransition { current, wanted });
    }
    let transition = CardTransition {
        account: card.card.account.clone(),
        card: card.card.id,
        from: current,
        to: wanted,
        reason: request.reason.as_str().to_owned(),
        client: request.client,
        created_at: request.now,
    };
    let mut card = card.clone();
    card.card.state = wanted;
    Ok(TransitionDecision { card, transition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Card;
    use crate::ids::{BudgetId, UserToken};
    use crate::money::Currency;
    use chrono::NaiveDate;
    use uuid::Uuid;

    fn card(state: CardState) -> CardRecord {
        CardRecord::seeded(Card {
            id: CardId(Uuid::from_u128(1)),
            account: AccountId::parse("F1").unwrap(),
            budget: BudgetId(Uuid::from_u128(2)),
            currency: Currency::parse("GBP").unwrap(),
            state,
            user_token: UserToken(Uuid::from_u128(3)),
            expires_on: NaiveDate::default(),
        })
    }

    fn decide(from: CardState, to: CardState) -> Result<TransitionDecision, IllegalTransition> {
        let request = TransitionRequest {
            to,
            reason: Text::parse("lost").unwrap(),
            client: ClientId(Uuid::from_u128(4)),
            now: DateTime::UNIX_EPOCH,
        };
        decide_transition(&card(from), &request)
    }

    #[test]
    fn every_pair_of_states_moves_or_does_not() {
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
            for wanted in CardState::ALL {
                let decided = decide(current, wanted);
                if allowed.contains(&(current, wanted)) {
                    let TransitionDecision { card, transition } = decided.unwrap();
                    assert_eq!((card.card.state, transition.from, transition.to), (wanted, current, wanted));
                } else {
                    assert_eq!(decided, Err(IllegalTransition { current, wanted }));
                }
            }
        }
    }
}
