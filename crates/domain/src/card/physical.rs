//! The order of a physical card for a virtual card (contract 5.6). The first use of its PIN activates the card.

use super::create::successor;
use super::{CardLimit, CardLimits, CardRecord, CardState, FulfillmentStatus, PhysicalCard, RecipientAddress};
use crate::stamp::Stamp;

/// A request for a physical card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalCardRequest {
    /// The address to which the card is sent.
    pub recipient: RecipientAddress,
    /// Maximum number of cards of the account.
    pub max_cards: u64,
}

/// The situation for the order of a physical card. An adapter loads it under the locks of the virtual card and of
/// creations on the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalCardSituation {
    /// The virtual card.
    pub record: CardRecord,
    /// Its limits.
    pub limits: Vec<CardLimit>,
    /// The states of the physical cards that were ordered for it.
    pub ordered: Vec<CardState>,
    /// Number of cards of the account.
    pub cards: u64,
}

/// A new physical card with its limits. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPhysicalCard {
    /// The physical card.
    pub card: CardRecord,
    /// Its limits.
    pub limits: CardLimits,
}

/// Reasons to refuse a physical card. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhysicalCardRefusal {
    /// The card is physical itself.
    #[error("must be a virtual card")]
    Physical,
    /// The card has ended.
    #[error("cannot be {}", .0.as_str())]
    Ended(CardState),
    /// The card already has a physical card that has not ended.
    #[error("has a physical card already")]
    Ordered,
    /// The account has the maximum number of cards.
    #[error("an account has at most {0} cards")]
    TooMany(u64),
}

/// Decides the order of a physical card for a virtual card, which stays in use.
///
/// The physical card is UNACTIVATED and has the expiry date of a new card. It gets copies of the controls, and of the
/// limits with their used amounts, but no PIN. The budget needs no feature, because the physical card takes the place
/// of the virtual one.
///
/// ```
/// use florin_domain::card::{CardRecord, CardState, FulfillmentStatus, PhysicalCardSituation, decide_physical_card};
/// use florin_domain::test_support::{a_card, a_physical_card_request, a_stamp};
///
/// let record = CardRecord::seeded(a_card().build());
/// let situation = PhysicalCardSituation { record, limits: vec![], ordered: vec![], cards: 1 };
/// let ordered = decide_physical_card(&situation, &a_physical_card_request(), &a_stamp()).unwrap().card;
/// assert_eq!((ordered.card.state, ordered.fulfillment), (CardState::Unactivated, FulfillmentStatus::Ordered));
/// ```
pub fn decide_physical_card(
    situation: &PhysicalCardSituation,
    request: &PhysicalCardRequest,
    stamp: &Stamp<'_>,
) -> Result<NewPhysicalCard, PhysicalCardRefusal> {
    let PhysicalCardSituation { record, limits, ordered, cards } = situation;
    if record.physical.is_some() {
        return Err(PhysicalCardRefusal::Physical);
    }
    if record.card.state.is_final() {
        return Err(PhysicalCardRefusal::Ended(record.card.state));
    }
    if ordered.iter().any(|state| !state.is_final()) {
        return Err(PhysicalCardRefusal::Ordered);
    }
    if *cards >= request.max_cards {
        return Err(PhysicalCardRefusal::TooMany(request.max_cards));
    }
    let (mut card, limits) = successor(record, limits, FulfillmentStatus::Ordered, stamp);
    card.physical = Some(PhysicalCard { virtual_card: record.card.id, recipient: Some(request.recipient.clone()) });
    Ok(NewPhysicalCard { card, limits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{Controls, EntryMode, LimitWindow, PinDigest};
    use crate::money::Minor;
    use crate::test_support::{a_card, a_limit, a_physical_card_request, a_stamp};

    fn situation(state: CardState) -> PhysicalCardSituation {
        let used = CardLimit { spent: Minor(30), uses: 2, ..a_limit(LimitWindow::Day, "50.00 GBP") };
        let record = CardRecord::seeded(a_card().in_state(state).build());
        PhysicalCardSituation { record, limits: vec![used], ordered: vec![], cards: 1 }
    }

    fn decide(situation: &PhysicalCardSituation) -> Result<NewPhysicalCard, PhysicalCardRefusal> {
        decide_physical_card(situation, &a_physical_card_request(), &a_stamp())
    }

    #[test]
    fn a_physical_card_copies_the_virtual_card_except_for_the_pin() {
        let mut situation = situation(CardState::Active);
        situation.record.pin = Some(PinDigest::new([7; 32]));
        situation.record.controls =
            Controls { allowed_entry_modes: Some(vec![EntryMode::Chip]), ..Controls::default() };
        let before = &situation.record;
        let new = decide(&situation).unwrap();
        let physical = new.card.physical.clone().unwrap();
        assert_eq!(
            (physical.virtual_card, physical.recipient),
            (before.card.id, Some(a_physical_card_request().recipient))
        );
        assert_eq!((new.card.pin, &new.card.controls, &new.card.name), (None, &before.controls, &before.name));
        assert_ne!((new.card.card.id, new.card.card.user_token), (before.card.id, before.card.user_token));
        assert_eq!((new.card.card.budget, new.card.card.currency), (before.card.budget, before.card.currency));
        let limit = &new.limits.limits[0];
        assert_eq!((limit.spent, limit.uses, limit.carried.spent), (Minor(30), 2, Minor(30)));
        assert_ne!(limit.id, situation.limits[0].id);
    }

    #[test]
    fn a_virtual_card_that_has_not_ended_has_at_most_one_physical_card() {
        for state in CardState::ALL {
            let expected = if state.is_final() { Err(PhysicalCardRefusal::Ended(state)) } else { Ok(()) };
            assert_eq!(decide(&situation(state)).map(|_| ()), expected, "{state:?}");
            let again =
                PhysicalCardSituation { ordered: vec![CardState::Terminated, state], ..situation(CardState::Active) };
            let expected = if state.is_final() { Ok(()) } else { Err(PhysicalCardRefusal::Ordered) };
            assert_eq!(decide(&again).map(|_| ()), expected, "{state:?}");
        }
        let mut physical = situation(CardState::Active);
        physical.record = decide(&physical).unwrap().card;
        assert_eq!(decide(&physical), Err(PhysicalCardRefusal::Physical));
        let full = PhysicalCardSituation { cards: 10, ..situation(CardState::Active) };
        assert_eq!(decide(&full), Err(PhysicalCardRefusal::TooMany(10)));
    }
}
