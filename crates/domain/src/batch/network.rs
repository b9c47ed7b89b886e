//! Payment networks.

/// A payment network, with its currencies and speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaymentNetwork {
    /// UK Faster Payments: pounds, within seconds.
    FasterPayments,
    /// UK Bacs: pounds, in days.
    Bacs,
    /// UK CHAPS: pounds, on the same day.
    Chaps,
    /// SEPA, the Single Euro Payments Area: euros.
    Sepa,
    /// Swift: any currency to any country.
    Swift,
}

impl PaymentNetwork {
    /// All networks.
    pub const ALL: [Self; 5] = [Self::FasterPayments, Self::Bacs, Self::Chaps, Self::Sepa, Self::Swift];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FasterPayments => "FASTER_PAYMENTS",
            Self::Bacs => "BACS",
            Self::Chaps => "CHAPS",
            Self::Sepa => "SEPA",
            Self::Swift => "SWIFT",
        }
    }
}
