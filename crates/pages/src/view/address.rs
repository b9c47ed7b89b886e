//! The form of the shipping address.

/// The form of the shipping address, with what was entered and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressForm {
    /// What the fields contain.
    pub values: AddressValues,
    /// The errors, in any order: at most one is shown for each field.
    pub errors: Vec<(AddressField, FieldError)>,
    /// The state of the postcode lookup.
    pub lookup: Lookup,
}

/// The members of `shipping`, as entered. The names of the form's fields are those of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressValues {
    /// `recipientName`.
    pub recipient_name: String,
    /// `addressLine1`.
    pub address_line1: String,
    /// `addressLine2`, optional.
    pub address_line2: String,
    /// `city`.
    pub city: String,
    /// `region`, optional.
    pub region: String,
    /// `postcode`.
    pub postcode: String,
    /// `countryCode`: ISO 3166 alpha-2.
    pub country_code: String,
}

/// The empty form, for an address in the United Kingdom.
impl Default for AddressValues {
    fn default() -> Self {
        Self {
            recipient_name: String::new(),
            address_line1: String::new(),
            address_line2: String::new(),
            city: String::new(),
            region: String::new(),
            postcode: String::new(),
            country_code: "GB".to_owned(),
        }
    }
}

/// A field of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressField {
    /// `recipientName`.
    RecipientName,
    /// `addressLine1`.
    AddressLine1,
    /// `addressLine2`.
    AddressLine2,
    /// `city`.
    City,
    /// `region`.
    Region,
    /// `postcode`.
    Postcode,
    /// `countryCode`.
    CountryCode,
}

impl AddressField {
    /// All fields, in the order of the form.
    pub const ALL: [Self; 7] = [
        Self::RecipientName,
        Self::Postcode,
        Self::AddressLine1,
        Self::AddressLine2,
        Self::City,
        Self::Region,
        Self::CountryCode,
    ];

    /// The name of the form's field: that of the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RecipientName => "recipientName",
            Self::AddressLine1 => "addressLine1",
            Self::AddressLine2 => "addressLine2",
            Self::City => "city",
            Self::Region => "region",
            Self::Postcode => "postcode",
            Self::CountryCode => "countryCode",
        }
    }

    /// Finds a field by the name of the API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// It is required and empty.
    Missing,
    /// It has more characters than this.
    TooLong(usize),
    /// Its value is not possible.
    Invalid,
}

/// The state of the postcode lookup. The button has the action `address`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing was looked up.
    #[default]
    Ready,
    /// The addresses of the postcode, as one line each. The field `found` is the position of the chosen one, from 0, and
    /// `foundFor` the postcode that was looked up; the action is `address` again.
    Found(Vec<String>),
    /// The postcode has no addresses.
    NotFound,
    /// The lookup is not possible now.
    Unavailable,
    /// There is no lookup, and no button for it.
    Off,
}
