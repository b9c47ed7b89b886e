//! The phones of shared cards.

use crate::ids::PersonId;
use crate::text::Text;

/// A phone number, as the client wrote it.
pub type PhoneNumber = Text<1, 32>;

/// The phone of a shared card. A client can send the number and the person separately, so either can be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardPhone {
    /// Its number.
    pub number: Option<PhoneNumber>,
    /// The person who has it.
    pub person: Option<PersonId>,
}

impl CardPhone {
    /// Returns the phone after a change, whose `None` members stay unchanged.
    pub(super) fn changed_by(self, change: &Self) -> Self {
        Self { number: change.number.clone().or(self.number), person: change.person.or(self.person) }
    }
}
