//! Setting the controls and the PIN of a card (contract 5.6). Both work in every state of the card.

use super::{CardChange, CardRecord, Controls, PinDigest};
use chrono::{DateTime, Utc};

/// Replaces the controls of a card. If they stay the same, `updated_at` does not change.
///
/// ```
/// use florin_domain::card::{CardRecord, Controls, EntryMode, decide_card_controls};
/// use florin_domain::test_support::{a_card, noon};
///
/// let card = CardRecord::seeded(a_card().build());
/// let controls = Controls { allowed_entry_modes: Some(vec![EntryMode::Chip]), ..Controls::default() };
/// assert_eq!(decide_card_controls(&card, &controls, noon()).card.controls, controls);
/// ```
pub fn decide_card_controls(record: &CardRecord, controls: &Controls, now: DateTime<Utc>) -> CardChange {
    changed(CardRecord { controls: controls.clone(), ..record.clone() }, record, now)
}

/// Sets the PIN of a card. If it stays the same, `updated_at` does not change.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::card::{CardRecord, PinDigest, decide_card_pin};
/// use florin_domain::test_support::{a_card, noon};
///
/// let pin = PinDigest::new([7; 32]);
/// let set = decide_card_pin(&CardRecord::seeded(a_card().build()), pin, noon()).card;
/// assert_eq!((set.pin, set.updated_at), (Some(pin), Some(noon())));
/// assert_eq!(decide_card_pin(&set, pin, noon() + TimeDelta::hours(1)).card, set);
/// ```
pub fn decide_card_pin(record: &CardRecord, pin: PinDigest, now: DateTime<Utc>) -> CardChange {
    changed(CardRecord { pin: Some(pin), ..record.clone() }, record, now)
}

fn changed(mut card: CardRecord, before: &CardRecord, now: DateTime<Utc>) -> CardChange {
    if card != *before {
        card.updated_at = Some(now);
    }
    CardChange { card, transition: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::EntryMode;
    use crate::test_support::{a_card, noon};
    use chrono::TimeDelta;

    #[test]
    fn a_change_without_effect_keeps_updated_at() {
        let before = CardRecord::seeded(a_card().build());
        let (pin, later) = (PinDigest::new([7; 32]), noon() + TimeDelta::hours(1));
        let set = decide_card_pin(&before, pin, noon()).card;
        assert_eq!((set.pin, set.updated_at), (Some(pin), Some(noon())));
        assert_eq!(decide_card_pin(&set, pin, later).card, set);
        let controls = Controls { allowed_entry_modes: Some(vec![EntryMode::Chip]), ..Controls::default() };
        let controlled = decide_card_controls(&set, &controls, later);
        assert_eq!((controlled.card.updated_at, controlled.transition), (Some(later), None));
        assert_eq!((controlled.card.pin, &controlled.card.controls), (Some(pin), &controls));
        let again = decide_card_controls(&controlled.card, &controls, later + TimeDelta::hours(1));
        assert_eq!(again.card, controlled.card);
    }
}
