//! How a card was used at the point of sale.
//!
//! Sources:
//! - Networks mark payments that the merchant starts, and payments of a series.
//!   <https://docs.galileo-ft.com/pro/reference/api-reference-cit-and-mit-indicators>

/// The way in which the card's data entered the terminal or the shop.
///
/// The modes are the values of field 22 of ISO 8583 as the card networks use it, with the codes in brackets. Their
/// names are usual among issuers, such as Lithic and Adyen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryMode {
    /// A chip was read by contact (05).
    Chip,
    /// A chip or a phone was read without contact (07).
    Contactless,
    /// The data of a magnetic stripe was read without contact (91).
    ContactlessMagstripe,
    /// A magnetic stripe was read (02, 90).
    Magstripe,
    /// A magnetic stripe was read because the chip failed (80).
    Fallback,
    /// The number was typed (01).
    Keyed,
    /// The number was entered on the internet (81).
    Ecommerce,
    /// The merchant had stored the number (10).
    CredentialOnFile,
}

impl EntryMode {
    /// All modes.
    pub const ALL: [Self; 8] = [
        Self::Chip,
        Self::Contactless,
        Self::ContactlessMagstripe,
        Self::Magstripe,
        Self::Fallback,
        Self::Keyed,
        Self::Ecommerce,
        Self::CredentialOnFile,
    ];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chip => "CHIP",
            Self::Contactless => "CONTACTLESS",
            Self::ContactlessMagstripe => "CONTACTLESS_MAGSTRIPE",
            Self::Magstripe => "MAGSTRIPE",
            Self::Fallback => "FALLBACK",
            Self::Keyed => "KEYED",
            Self::Ecommerce => "ECOMMERCE",
            Self::CredentialOnFile => "CREDENTIAL_ON_FILE",
        }
    }
}

/// The use of a card at the point of sale, as the caller describes it. `None`: the caller did not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointOfSale {
    /// The entry mode of the card's data.
    pub entry_mode: Option<EntryMode>,
    /// Whether the merchant, not the cardholder, started the payment.
    pub merchant_initiated: Option<bool>,
    /// Whether the payment is one of a series, such as a subscription.
    pub recurring: Option<bool>,
}
