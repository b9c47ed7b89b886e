//! Replacing a card with a new one (contract 5.6).

use super::change::changed;
use super::create::successor;
use super::{
    CardChangeRequest, CardLimit, CardLimits, CardRecord, CardState, CardTransition, FulfillmentStatus,
    IllegalTransition,
};
use crate::ids::ClientId;
use crate::stamp::Stamp;
use crate::text::Text;

/// A request to replace a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceCardRequest {
    /// The reason, in the client's words.
    pub reason: Option<Text<1, 140>>,
    /// The client that sends the request.
    pub client: ClientId,
    /// Maximum number of cards of the account.
    pub max_cards: u64,
}

/// The situation for a replacement. An adapter loads it under the locks of the card and of creations on the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplaceCardSituation {
    /// The card to replace.
    pub record: CardRecord,
    /// Its limits.
    pub limits: Vec<CardLimit>,
    /// Number of cards of the account.
    pub cards: u64,
}

/// A replacement of a card. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardReplacement {
    /// The old card, which is REPLACED now.
    pub replaced: CardRecord,
    /// The transition of the old card.
    pub transition: CardTransition,
    /// The new card.
    pub new: CardRecord,
    /// The limits of the new card.
    pub limits: CardLimits,
}

/// Reasons to refuse a replacement. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceCardRefusal {
    /// The card is neither ACTIVE nor SUSPENDED.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// The account has the maximum number of cards.
    #[error("an account has at most {0} cards")]
    TooMany(u64),
}

/// Decides the replacement of an ACTIVE or SUSPENDED card.
///
/// The new card is virtual and UNACTIVATED, and has the expiry date of a new card. It gets copies of the controls, and
/// of the limits with their used amounts, but no PIN. The budget needs no feature, because the card is not an
/// additional one. Holds of the old card stay open. The amounts that they release are given back to the limits of the
/// old card.
///
/// ```
/// use florin_domain::card::{CardRecord, CardState, ReplaceCardRequest, ReplaceCardSituation, decide_replacement};
/// use florin_domain::test_support::{CLIENT, a_card, a_stamp};
///
/// let record = CardRecord::seeded(a_card().build());
/// let situation = ReplaceCardSituation { record, limits: vec![], cards: 1 };
/// let request = ReplaceCardRequest { reason: None, client: CLIENT, max_cards: 10 };
/// let decision = decide_replacement(&situation, &request, &a_stamp()).unwrap();
/// assert_eq!(decision.new.card.state, CardState::Unactivated);
/// assert_eq!(decision.replaced.replaced_by, Some(decision.new.card.id));
/// ```
pub fn decide_replacement(
    situation: &ReplaceCardSituation,
    request: &ReplaceCardRequest,
    stamp: &Stamp<'_>,
) -> Result<CardReplacement, ReplaceCardRefusal> {
    let ReplaceCardSituation { record, limits, cards } = situation;
    let change = CardChangeRequest::transition(CardState::Replaced, request.reason.clone(), request.client, stamp.now);
    let change = changed(record, &change)?;
    let (mut replaced, Some(transition)) = (change.card, change.transition) else {
        let current = record.card.state;
        return Err(IllegalTransition { current, requested: CardState::Replaced }.into());
    };
    if *cards >= request.max_cards {
        return Err(ReplaceCardRefusal::TooMany(request.max_cards));
    }
    // The new card is virtual. A physical card can be ordered for it again.
    let (new, limits) = successor(record, limits, FulfillmentStatus::Issued, stamp);
    replaced.replaced_by = Some(new.card.id);
    Ok(CardReplacement { replaced, transition, new, limits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::create::{NEW_CARD, default_expiry};
    use crate::card::{CarriedUse, LimitWindow};
    use crate::money::Minor;
    use crate::test_support::{CLIENT, a_card, a_limit, a_stamp};
    use chrono::TimeDelta;

    const REQUEST: ReplaceCardRequest = ReplaceCardRequest { reason: None, client: CLIENT, max_cards: 5 };

    fn situation(state: CardState) -> ReplaceCardSituation {
        let used = CardLimit { spent: Minor(30), uses: 2, ..a_limit(LimitWindow::Day, "50.00 GBP") };
        let record = CardRecord::seeded(a_card().in_state(state).build());
        let record = CardRecord { fulfillment: FulfillmentStatus::Shipped, ..record };
        ReplaceCardSituation { record, limits: vec![used, a_limit(LimitWindow::Transaction, "5.00 GBP")], cards: 1 }
    }

    #[test]
    fn the_new_card_copies_the_limits_with_their_used_amounts() {
        let situation = situation(CardState::Suspended);
        let done = decide_replacement(&situation, &REQUEST, &a_stamp()).unwrap();
        assert_eq!((done.replaced.card.state, done.transition.to), (CardState::Replaced, CardState::Replaced));
        let (new_card, expiry) = (NEW_CARD.to_owned(), default_expiry(a_stamp().now.date_naive()));
        assert_eq!((&done.new.state_reason, done.new.card.expires_on), (&Some(new_card), expiry));
        assert_eq!(done.new.fulfillment, FulfillmentStatus::Issued);
        assert_eq!((&done.new.name, done.new.card.budget), (&situation.record.name, situation.record.card.budget));
        let (day, old) = (&done.limits.limits[0], &situation.limits[0]);
        assert_ne!((day.id, done.new.card.user_token), (old.id, situation.record.card.user_token));
        assert_eq!((day.spent, day.uses, day.amount), (Minor(30), 2, old.amount));
        assert_eq!(day.carried, CarriedUse { spent: Minor(30), uses: 2 });
        let later = Stamp { now: a_stamp().now + TimeDelta::days(1), ..a_stamp() };
        let next_day = decide_replacement(&situation, &REQUEST, &later).unwrap();
        assert_eq!(next_day.limits.limits[0].spent, Minor::ZERO);
    }

    #[test]
    fn a_card_is_replaced_only_if_it_is_in_use_and_the_account_has_room() {
        for state in CardState::ALL {
            let replaced = decide_replacement(&situation(state), &REQUEST, &a_stamp());
            assert_eq!(replaced.is_ok(), matches!(state, CardState::Active | CardState::Suspended), "{state:?}");
        }
        let full = ReplaceCardSituation { cards: 5, ..situation(CardState::Active) };
        assert_eq!(decide_replacement(&full, &REQUEST, &a_stamp()), Err(ReplaceCardRefusal::TooMany(5)));
    }
}
