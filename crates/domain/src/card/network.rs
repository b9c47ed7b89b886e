//! Card networks.

use super::ChainKind;

/// A card network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Visa.
    Visa,
    /// Mastercard.
    Mastercard,
    /// Discover.
    Discover,
    /// Pulse.
    Pulse,
}

impl Network {
    /// All networks.
    pub const ALL: [Self; 4] = [Self::Visa, Self::Mastercard, Self::Discover, Self::Pulse];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Visa => "VISA",
            Self::Mastercard => "MASTERCARD",
            Self::Discover => "DISCOVER",
            Self::Pulse => "PULSE",
        }
    }

    /// The subnetwork for a kind of chain.
    pub const fn subnetwork(self, kind: ChainKind) -> &'static str {
        match (self, kind) {
            (Self::Visa, ChainKind::Atm) => "VISAPLUS",
            (Self::Visa, _) => "VISANET",
            (Self::Mastercard, ChainKind::Atm) => "CIRRUS",
            (Self::Mastercard, _) => "MASTERCARDDEBIT",
            (Self::Discover, _) => "DISCOVER",
            (Self::Pulse, _) => "PULSE",
        }
    }
}
