//! Guards: data that decides whether a card can be used, in addition to its state, its limits and the balance.

use super::pin::PinDigest;
use super::{CardSettings, Controls};
use crate::people::PersonStatus;

/// The data that the rules for a message read in addition to the card, its limits and the balance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// The controls of the card.
    pub card: Controls,
    /// The controls of the budget that pays.
    pub budget: Controls,
    /// The status of the person who owns the card. `None` for a shared card.
    pub holder: Option<PersonStatus>,
    /// The digest of the card's PIN, if it is set.
    pub pin: Option<PinDigest>,
    /// The settings of the account.
    pub settings: CardSettings,
}
