//! Redeliveries: events that are sent again on request.

use super::{EventPosition, StoredEvent};
use crate::ids::EventId;
use uuid::Uuid;

/// The upper half of the ids of redeliveries. It makes the id a UUID of version 8, which no event has.
const MARK: u64 = 0xF108_1200_A6A1_8000;
/// The variant of a UUID, the upper two bits of its lower half.
const VARIANT: u64 = 0b10 << 62;
/// The bits of the lower half that contain the position.
const POSITION: u64 = (1 << 62) - 1;

/// A redelivery of a stored event. It has its own position, so that a stream can resume after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redelivery {
    /// Its position.
    pub position: EventPosition,
    /// The stored event, unchanged.
    pub event: StoredEvent,
}

/// Redeliveries in a range of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redeliveries {
    /// The redeliveries, in order.
    pub found: Vec<Redelivery>,
    /// The position up to which the search is complete.
    pub until: EventPosition,
}

impl Redelivery {
    /// Returns the id of the redelivery at a position. It identifies a place in a stream, and differs from the ids of
    /// all events.
    pub fn id_at(position: EventPosition) -> EventId {
        EventId(Uuid::from_u64_pair(MARK, VARIANT | (position.0.unsigned_abs() & POSITION)))
    }

    /// Returns the position of the redelivery with this id. `None`: it is not the id of a redelivery.
    pub fn position_in(id: EventId) -> Option<EventPosition> {
        let (mark, position) = id.0.as_u64_pair();
        let is_redelivery = mark == MARK && position & !POSITION == VARIANT;
        is_redelivery.then(|| i64::try_from(position & POSITION).ok().map(EventPosition)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_redeliveries_contain_their_positions() {
        for position in [1, 7, 1 << 40, i64::MAX >> 1] {
            let id = Redelivery::id_at(EventPosition(position));
            assert_eq!(Redelivery::position_in(id), Some(EventPosition(position)));
            assert_eq!((id.0.get_version_num(), id.0.get_variant()), (8, uuid::Variant::RFC4122));
        }
        assert_eq!(Redelivery::id_at(EventPosition(1)).to_string(), "f1081200-a6a1-8000-8000-000000000001");
        for id in ["01a20542-b365-71cc-89c5-a6b0a65c3294", "f1081200-a6a1-8000-c000-000000000001"] {
            assert_eq!(Redelivery::position_in(EventId::parse(id).unwrap()), None);
        }
    }
}
