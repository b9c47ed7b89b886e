//! The first use of a physical card, which activates it (contract 5.6).
//!
//! Sources:
//! - Messages with a PIN are PIN debits, ATM withdrawals and balance inquiries.
//!   <https://www.marqeta.com/docs/core-api/simulations-card-transactions/pin-debit>

use super::{CardDecision, CardRefusal, FirstKind, FirstMessage, FirstSituation, decide_first};
use crate::card::change::changed;
use crate::card::{CardChange, CardChangeRequest, CardRecord, CardState};
use crate::ids::ClientId;
use crate::stamp::Stamp;
use crate::text::Text;

/// The situation for a message that may be the first use of a physical card. An adapter loads it under the lock of the
/// budget, which both cards share.
#[derive(Clone, Debug)]
pub struct FirstUseSituation {
    /// The situation of the message.
    pub message: FirstSituation,
    /// The card of the message.
    pub card: CardRecord,
    /// The virtual card for which the card of the message was ordered. `None` if the card of the message is virtual.
    pub virtual_card: Option<CardRecord>,
}

/// The result of a message that may be the first use of a physical card. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstUseDecision {
    /// The message.
    pub message: CardDecision,
    /// The changes of the cards. Empty unless the message is the first use of a physical card.
    pub changes: Vec<CardChange>,
}

/// Decides a first message. If it is the first use of a physical card, the card becomes ACTIVE.
///
/// The correct PIN makes the physical card ACTIVE before the rules run, and its virtual card TERMINATED. Both changes
/// are kept even if the message is then declined, for example for lack of funds.
///
/// ```
/// use florin_domain::card::decide::{Extras, FirstKind, FirstMessage, FirstUseSituation, decide_first_use};
/// use florin_domain::card::{CardRecord, CardState, PhysicalCard, PinDigest};
/// use florin_domain::test_support::{CLIENT, CardScenario, a_budget, a_card, a_physical_card_request, first_message};
///
/// let pin = Some(PinDigest::new([7; 32]));
/// let mut scenario = CardScenario::of(a_card().in_state(CardState::Unactivated), a_budget().with("10.00 GBP"));
/// scenario.guards.pin = pin;
/// let recipient = Some(a_physical_card_request().recipient);
/// let physical = Some(PhysicalCard { virtual_card: a_card().build().id, recipient });
/// let card = CardRecord { pin, physical, ..CardRecord::seeded(scenario.card.clone()) };
/// let situation = FirstUseSituation { message: scenario.first_situation(), card, virtual_card: None };
///
/// let extras = Extras { pin, ..Extras::default() };
/// let withdrawal = FirstMessage { extras, ..first_message(FirstKind::Atm, "5.00") };
/// let decision = decide_first_use(&situation, &withdrawal, CLIENT, &scenario.stamp()).unwrap();
/// assert_eq!(decision.changes[0].card.card.state, CardState::Active);
/// ```
pub fn decide_first_use(
    situation: &FirstUseSituation,
    message: &FirstMessage,
    client: ClientId,
    stamp: &Stamp<'_>,
) -> Result<FirstUseDecision, CardRefusal> {
    let FirstUseSituation { message: first, card, virtual_card } = situation;
    if !is_first_use(card, message) {
        return Ok(FirstUseDecision { message: decide_first(first, message, stamp)?, changes: Vec::new() });
    }
    let mut used = first.clone();
    used.card.state = CardState::Active;
    let decision = decide_first(&used, message, stamp)?;
    let step = |card: &CardRecord, to, reason| {
        let request = CardChangeRequest::transition(to, Text::parse(reason).ok(), client, stamp.now);
        changed(card, &request).ok()
    };
    let activated = step(card, CardState::Active, "First use of the PIN");
    // A virtual card that has already ended stays unchanged.
    let ended = virtual_card.as_ref().and_then(|card| step(card, CardState::Terminated, "Physical card in use"));
    Ok(FirstUseDecision { message: decision, changes: activated.into_iter().chain(ended).collect() })
}

/// Whether a message is the first use of a physical card.
fn is_first_use(card: &CardRecord, message: &FirstMessage) -> bool {
    let has_pin = matches!(message.kind, FirstKind::Atm | FirstKind::Debit | FirstKind::Inquiry);
    let is_correct = message.extras.pin.is_some() && message.extras.pin == card.pin;
    card.awaits_first_use() && has_pin && is_correct
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{PhysicalCard, PinDigest, Response, TransactionState};
    use crate::ids::CardId;
    use crate::test_support::{CLIENT, CardScenario, a_budget, a_card, a_physical_card_request, first_message};
    use uuid::Uuid;

    const CORRECT: PinDigest = PinDigest::new([7; 32]);

    fn situation(state: CardState, available: &str) -> (CardScenario, FirstUseSituation) {
        let mut scenario = CardScenario::of(a_card().in_state(state), a_budget().with(available));
        scenario.guards.pin = Some(CORRECT);
        let mut card = CardRecord { pin: Some(CORRECT), ..CardRecord::seeded(scenario.card.clone()) };
        let mut virtual_card = CardRecord::seeded(a_card().build());
        virtual_card.card.id = CardId(Uuid::from_u128(9));
        let recipient = Some(a_physical_card_request().recipient);
        card.physical = Some(PhysicalCard { virtual_card: virtual_card.card.id, recipient });
        let message = scenario.first_situation();
        (scenario, FirstUseSituation { message, card, virtual_card: Some(virtual_card) })
    }

    fn with_pin(kind: FirstKind, amount: &str, pin: Option<PinDigest>) -> FirstMessage {
        let mut message = first_message(kind, amount);
        message.extras.pin = pin;
        message
    }

    fn states(decision: &FirstUseDecision) -> Vec<(CardId, CardState)> {
        decision.changes.iter().map(|change| (change.card.card.id, change.card.card.state)).collect()
    }

    #[test]
    fn the_first_correct_pin_activates_the_physical_card_and_terminates_the_virtual_card() {
        for (kind, amount) in [(FirstKind::Atm, "1"), (FirstKind::Debit, "1"), (FirstKind::Inquiry, "0")] {
            let (scenario, situation) = situation(CardState::Unactivated, "10.00 GBP");
            let message = with_pin(kind, amount, Some(CORRECT));
            let done = decide_first_use(&situation, &message, CLIENT, &scenario.stamp()).unwrap();
            assert_eq!(done.message.transaction.response, Response::Approved, "{kind:?}");
            let (own, other) = (situation.card.card.id, CardId(Uuid::from_u128(9)));
            assert_eq!(states(&done), [(own, CardState::Active), (other, CardState::Terminated)]);
            assert!(done.changes.iter().all(|change| change.transition.is_some()));
            assert!(done.changes[0].card.physical.as_ref().unwrap().recipient.is_some());
        }
    }

    #[test]
    fn the_rules_run_after_the_activation() {
        let (scenario, situation) = situation(CardState::Unactivated, "0.50 GBP");
        let message = with_pin(FirstKind::Debit, "1", Some(CORRECT));
        let done = decide_first_use(&situation, &message, CLIENT, &scenario.stamp()).unwrap();
        assert_eq!(done.message.transaction.response, Response::NotSufficientFunds);
        assert_eq!(done.changes.len(), 2);
        let refused = decide_first_use(
            &situation,
            &with_pin(FirstKind::Debit, "0.001", Some(CORRECT)),
            CLIENT,
            &scenario.stamp(),
        );
        assert!(matches!(refused, Err(CardRefusal::Amount(_))));
    }

    #[test]
    fn only_the_correct_pin_of_an_unactivated_card_is_a_first_use() {
        let wrong = PinDigest::new([8; 32]);
        for (kind, pin) in [
            (FirstKind::Debit, Some(wrong)),
            (FirstKind::Debit, None),
            (FirstKind::Purchase, Some(CORRECT)),
            (FirstKind::Purchase, None),
        ] {
            let (scenario, situation) = situation(CardState::Unactivated, "10.00 GBP");
            let done = decide_first_use(&situation, &with_pin(kind, "1", pin), CLIENT, &scenario.stamp()).unwrap();
            assert_eq!(
                (done.message.transaction.state, states(&done)),
                (TransactionState::Declined, vec![]),
                "{kind:?}"
            );
        }
        let (scenario, mut not_physical) = situation(CardState::Unactivated, "10.00 GBP");
        not_physical.card.physical = None;
        let message = with_pin(FirstKind::Debit, "1", Some(CORRECT));
        let done = decide_first_use(&not_physical, &message, CLIENT, &scenario.stamp()).unwrap();
        assert_eq!((done.message.transaction.response, states(&done)), (Response::CardNotActive, vec![]));
        for state in CardState::ALL.into_iter().filter(|state| *state != CardState::Unactivated) {
            let (scenario, situation) = situation(state, "10.00 GBP");
            assert!(decide_first_use(&situation, &message, CLIENT, &scenario.stamp()).unwrap().changes.is_empty());
        }
    }

    #[test]
    fn a_virtual_card_that_has_ended_stays_unchanged() {
        let (scenario, mut situation) = situation(CardState::Unactivated, "10.00 GBP");
        if let Some(card) = &mut situation.virtual_card {
            card.card.state = CardState::Replaced;
        }
        let message = with_pin(FirstKind::Debit, "1", Some(CORRECT));
        let done = decide_first_use(&situation, &message, CLIENT, &scenario.stamp()).unwrap();
        assert_eq!(states(&done), [(situation.card.card.id, CardState::Active)]);
    }
}
