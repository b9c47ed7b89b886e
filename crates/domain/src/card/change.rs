//! Changes of cards, and transitions between their states (contract 5.6).

use super::{CardName, CardPhone, CardRecord, CardState, FulfillmentStatus};
use crate::fault::{Fault, Flaw};
use crate::ids::{AccountId, CardId, ClientId, PersonId};
use crate::people::Person;
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::fmt;

/// A request to change a card. Members that are `None` stay unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardChangeRequest {
    /// The new state.
    pub to: Option<CardState>,
    /// The reason for the transition, in the client's words.
    pub reason: Option<Text<1, 140>>,
    /// The new name.
    pub name: Option<CardName>,
    /// The new owner of an individual card.
    pub person: Option<PersonId>,
    /// The new stage of its production and delivery.
    pub fulfillment: Option<FulfillmentStatus>,
    /// The new phone of a shared card. Its `None` members stay unchanged.
    pub phone: CardPhone,
    /// The client that sends the request.
    pub client: ClientId,
    /// The time of the change.
    pub now: DateTime<Utc>,
}

impl CardChangeRequest {
    /// A request that changes nothing.
    pub const fn nothing(client: ClientId, now: DateTime<Utc>) -> Self {
        let (to, reason, name, person) = (None, None, None, None);
        let phone = CardPhone { number: None, person: None };
        Self { to, reason, name, person, fulfillment: None, phone, client, now }
    }

    /// A request for a transition.
    pub fn transition(to: CardState, reason: Option<Text<1, 140>>, client: ClientId, now: DateTime<Utc>) -> Self {
        Self { to: Some(to), reason, ..Self::nothing(client, now) }
    }
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
    /// The reason, in the words of the client, or of Florin if a message or an erasure caused the transition. `None` if
    /// the client gave no reason.
    pub reason: Option<String>,
    /// The client that sent the request. For an erasure: the client of the account.
    pub client: ClientId,
    /// When the state changed.
    pub created_at: DateTime<Utc>,
}

/// The situation for a change of a card. An adapter loads it under the lock of the card's budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeCardSituation {
    /// The card.
    pub card: CardRecord,
    /// The person that the request names. `None` if it names nobody, or the account has no such person.
    pub person: Option<Person>,
}

/// Reasons to refuse a change of a card. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeCardRefusal {
    /// The card's state does not allow the transition.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// A value does not fit the card. The path refers to the request's body.
    #[error("a value does not fit the card")]
    Fault(Box<Fault>),
    /// An UNACTIVATED physical card becomes ACTIVE only by the first use of its PIN.
    #[error("is a physical card, which the first use of its PIN makes ACTIVE")]
    AwaitsFirstUse,
    /// The account has no such person.
    #[error("names a person that does not exist")]
    NoPerson,
    /// The data of the person was erased.
    #[error("names a person who was erased")]
    Erased,
}

/// A change of a card. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardChange {
    /// The card after the change. Its account, budgets, currency, token and expiry date are unchanged.
    pub card: CardRecord,
    /// The record of the transition, if the state changed.
    pub transition: Option<CardTransition>,
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
        let next_states: Vec<_> = self.current.next_states().iter().map(|state| state.as_str()).collect();
        let current = self.current.as_str();
        if next_states.is_empty() {
            write!(f, "cannot change: {current} is final")
        } else {
            write!(f, "must be one of {} (the card is {current})", next_states.join(", "))
        }
    }
}

/// Decides a change of a card. The adapter holds the lock of the card's budget, as for card messages.
///
/// ```
/// use florin_domain::card::{CardChangeRequest, CardRecord, CardState, ChangeCardSituation, decide_card_change};
/// use florin_domain::test_support::{CLIENT, a_card, noon};
///
/// let card = CardRecord::seeded(a_card().in_state(CardState::Terminated).build());
/// let request = CardChangeRequest::transition(CardState::Active, None, CLIENT, noon());
/// let refusal = decide_card_change(&ChangeCardSituation { card, person: None }, &request).unwrap_err();
/// assert_eq!(refusal.to_string(), "cannot change: TERMINATED is final");
/// ```
pub fn decide_card_change(
    situation: &ChangeCardSituation,
    request: &CardChangeRequest,
) -> Result<CardChange, ChangeCardRefusal> {
    if request.to == Some(CardState::Active) && situation.card.awaits_first_use() {
        return Err(ChangeCardRefusal::AwaitsFirstUse);
    }
    let mut change = changed(&situation.card, request)?;
    if let Some(person) = request.person {
        let known = situation.person.as_ref().ok_or(ChangeCardRefusal::NoPerson)?;
        let owner = change.card.person.as_mut().ok_or_else(|| {
            ChangeCardRefusal::Fault(Box::new(Flaw::value("must be left out for BUDGET").at("body.personId")))
        })?;
        if known.is_erased() {
            return Err(ChangeCardRefusal::Erased);
        }
        if owner.person != person {
            owner.person = person;
            // The PIN and the address belong to the previous owner.
            change.card.pin = None;
            change.card.forget_recipient();
        }
    }
    Ok(change)
}

/// The situation for the termination of a card whose owner is erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureSituation {
    /// The card.
    pub card: CardRecord,
    /// The client of the account, which the record of the transition names.
    pub client: ClientId,
}

/// Terminates a card because its owner is erased. `None` if the card has already ended.
pub fn terminate_for_erasure(situation: &ErasureSituation, now: DateTime<Utc>) -> Option<CardChange> {
    let ErasureSituation { card, client } = situation;
    let reason = Text::parse("Owner erased").ok();
    // The clock of a world may be ahead of real time, so `updated_at` may be later than `now`.
    let now = card.updated_at.map_or(now, |updated_at| now.max(updated_at));
    let mut change = changed(card, &CardChangeRequest::transition(CardState::Terminated, reason, *client, now)).ok()?;
    change.card.pin = None;
    Some(change)
}

/// Applies a request to everything but the owner of a card.
pub(super) fn changed(card: &CardRecord, request: &CardChangeRequest) -> Result<CardChange, IllegalTransition> {
    let transition = request.to.map(|to| transition(card, to, request)).transpose()?;
    let mut card = card.clone();
    if let Some(transition) = &transition {
        card.card.state = transition.to;
        card.state_reason.clone_from(&transition.reason);
        if transition.to.is_final() {
            card.forget_recipient();
        }
    }
    if let Some(name) = &request.name {
        name.as_str().clone_into(&mut card.name);
    }
    card.phone = card.phone.changed_by(&request.phone);
    card.fulfillment = request.fulfillment.unwrap_or(card.fulfillment);
    card.updated_at = Some(request.now);
    Ok(CardChange { card, transition })
}

/// Returns the record of a transition, if the card's state allows it.
fn transition(
    card: &CardRecord,
    requested: CardState,
    request: &CardChangeRequest,
) -> Result<CardTransition, IllegalTransition> {
    let current = card.card.state;
    if !current.next_states().contains(&requested) {
        return Err(IllegalTransition { current, requested });
    }
    Ok(CardTransition {
        account: card.card.account.clone(),
        card: card.card.id,
        from: current,
        to: requested,
        reason: request.reason.as_ref().map(|reason| reason.as_str().to_owned()),
        client: request.client,
        created_at: request.now,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{IndividualHolder, PhysicalCard, PinDigest};
    use crate::people::erase_person;
    use crate::test_support::{CLIENT, a_card, a_person};

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;
    const PIN: PinDigest = PinDigest::new([7; 32]);

    fn situation_of(card: CardRecord) -> ChangeCardSituation {
        ChangeCardSituation { card, person: None }
    }

    fn erasure(card: CardRecord) -> ErasureSituation {
        ErasureSituation { card, client: CLIENT }
    }

    fn physical(state: CardState) -> CardRecord {
        let recipient = Some(crate::test_support::a_physical_card_request().recipient);
        let card = CardRecord::seeded(a_card().in_state(state).build());
        CardRecord { physical: Some(PhysicalCard { virtual_card: CardId(uuid::Uuid::nil()), recipient }), ..card }
    }

    fn has_recipient(card: &CardRecord) -> bool {
        card.physical.as_ref().is_some_and(|physical| physical.recipient.is_some())
    }

    #[test]
    fn a_physical_card_forgets_its_address_when_it_ends_or_gets_another_owner() {
        for to in [CardState::Suspended, CardState::Replaced, CardState::Terminated] {
            let request = CardChangeRequest::transition(to, None, CLIENT, NOW);
            let card = decide_card_change(&situation_of(physical(CardState::Active)), &request).unwrap().card;
            assert_eq!((has_recipient(&card), card.physical.is_some()), (!to.is_final(), true), "{to:?}");
        }
        let ended = terminate_for_erasure(&erasure(physical(CardState::Unactivated)), NOW).unwrap().card;
        assert!(!has_recipient(&ended));
        let ada = a_person("ada@example.com");
        let personal = IndividualHolder { person: PersonId(uuid::Uuid::nil()), budgets: vec![] };
        let card = CardRecord { person: Some(personal), ..physical(CardState::Active) };
        let request = CardChangeRequest { person: Some(ada.id), ..CardChangeRequest::nothing(CLIENT, NOW) };
        let situation = ChangeCardSituation { card, person: Some(ada) };
        assert!(!has_recipient(&decide_card_change(&situation, &request).unwrap().card));
    }

    #[test]
    fn only_the_first_use_of_its_pin_activates_a_physical_card() {
        let request = |to| CardChangeRequest::transition(to, None, CLIENT, NOW);
        let refused = decide_card_change(&situation_of(physical(CardState::Unactivated)), &request(CardState::Active));
        assert_eq!(refused, Err(ChangeCardRefusal::AwaitsFirstUse));
        let ended =
            decide_card_change(&situation_of(physical(CardState::Unactivated)), &request(CardState::Terminated));
        assert_eq!(ended.unwrap().card.card.state, CardState::Terminated);
        let again = decide_card_change(&situation_of(physical(CardState::Suspended)), &request(CardState::Active));
        assert_eq!(again.unwrap().card.card.state, CardState::Active);
    }

    fn decide(from: CardState, to: CardState) -> Result<CardChange, ChangeCardRefusal> {
        let request = CardChangeRequest::transition(to, Text::parse("lost").ok(), CLIENT, NOW);
        decide_card_change(&situation_of(CardRecord::seeded(a_card().in_state(from).build())), &request)
    }

    #[test]
    fn an_individual_card_can_get_another_owner() {
        let ada = a_person("ada@example.com");
        let before = PersonId(uuid::Uuid::nil());
        let personal = IndividualHolder { person: before, budgets: vec![] };
        let card = CardRecord { person: Some(personal), pin: Some(PIN), ..CardRecord::seeded(a_card().build()) };
        let known = ChangeCardSituation { card, person: Some(ada.clone()) };
        let request = CardChangeRequest { person: Some(ada.id), ..CardChangeRequest::nothing(CLIENT, NOW) };
        let changed = decide_card_change(&known, &request).unwrap().card;
        assert_eq!((changed.person.as_ref().map(|owner| owner.person), changed.pin), (Some(ada.id), None));
        let of_same_owner = ChangeCardSituation { card: CardRecord { pin: Some(PIN), ..changed }, ..known.clone() };
        assert_eq!(decide_card_change(&of_same_owner, &request).unwrap().card.pin, Some(PIN), "the owner stays");
        let unknown = situation_of(known.card.clone());
        assert_eq!(decide_card_change(&unknown, &request), Err(ChangeCardRefusal::NoPerson));
        let erased = ChangeCardSituation { person: Some(erase_person(&ada, NOW)), ..known.clone() };
        assert_eq!(decide_card_change(&erased, &request), Err(ChangeCardRefusal::Erased));
        let shared = ChangeCardSituation { card: CardRecord { person: None, ..known.card.clone() }, ..known };
        assert!(matches!(decide_card_change(&shared, &request), Err(ChangeCardRefusal::Fault(_))));
    }

    #[test]
    fn cards_of_an_erased_owner_end() {
        let later = NOW + chrono::TimeDelta::hours(1);
        for state in CardState::ALL {
            let card = CardRecord::seeded(a_card().in_state(state).build());
            let card = CardRecord { updated_at: Some(later), pin: Some(PIN), ..card };
            let ended = terminate_for_erasure(&erasure(card), NOW).map(|change| {
                assert_eq!(change.card.pin, None);
                assert_eq!(change.transition.map(|step| step.created_at), Some(later));
                change.card.card.state
            });
            let is_over = matches!(state, CardState::Replaced | CardState::Terminated);
            assert_eq!(ended, (!is_over).then_some(CardState::Terminated), "{state:?}");
        }
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
                    let CardChange { card, transition } = decided.unwrap();
                    let step = transition.unwrap();
                    assert_eq!((card.card.state, step.from, step.to), (requested, current, requested));
                    assert_eq!((card.state_reason, step.reason), (Some("lost".into()), Some("lost".into())));
                } else {
                    assert_eq!(decided, Err(IllegalTransition { current, requested }.into()));
                }
            }
        }
    }

    #[test]
    fn absent_members_stay_unchanged() {
        let phone = CardPhone { number: Text::parse("+1").ok(), person: Some(PersonId(uuid::Uuid::nil())) };
        let before = CardRecord { phone, ..CardRecord::seeded(a_card().build()) };
        let nothing = CardChangeRequest::nothing(CLIENT, NOW);
        let same = decide_card_change(&situation_of(before.clone()), &nothing).unwrap();
        let expected = CardRecord { updated_at: Some(NOW), ..before.clone() };
        assert_eq!(same, CardChange { card: expected.clone(), transition: None });
        let request = CardChangeRequest {
            name: CardName::parse("Äther").ok(),
            fulfillment: Some(FulfillmentStatus::Shipped),
            ..nothing
        };
        let renamed = CardRecord { name: "Ather".into(), fulfillment: FulfillmentStatus::Shipped, ..expected.clone() };
        assert_eq!(decide_card_change(&situation_of(before.clone()), &request).unwrap().card, renamed);
        let number = Text::parse("+2").ok();
        let sent = CardPhone { number: number.clone(), person: None };
        let request = CardChangeRequest { phone: sent, ..CardChangeRequest::nothing(CLIENT, NOW) };
        let phone = CardPhone { number, ..before.phone.clone() };
        assert_eq!(decide_card_change(&situation_of(before), &request).unwrap().card, CardRecord { phone, ..expected });
    }
}
