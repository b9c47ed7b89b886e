//! The form for the shipping address.

/// The form for the shipping address, with the entered values and their errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressForm {
    /// The values of the fields.
    pub values: AddressValues,
    /// The errors, in any order. At most one error is shown per field.
    pub errors: Vec<(AddressField, FieldError)>,
    /// The state of the postcode lookup.
    pub lookup: Lookup,
}

/// The members of `shipping`, as the payer entered them. Form fields have the same names as in the API.
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
    /// `countryCode` (ISO 3166-1 alpha-2).
    pub country_code: String,
}

/// An empty form, with the United Kingdom as the country.
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

/// A field of the address form.
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
    /// All fields, in the order in which the form shows them.
    pub const ALL: [Self; 7] = [
        Self::RecipientName,
        Self::Postcode,
        Self::AddressLine1,
        Self::AddressLine2,
        Self::City,
        Self::Region,
        Self::CountryCode,
    ];

    /// Returns the name of the form field, which is the same as in the API.
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

    /// Finds a field by its name in the API. `None`: there is no such field.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// The error of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// The field is required, but empty.
    Missing,
    /// The value has more characters than this maximum.
    TooLong(usize),
    /// The value is not valid.
    Invalid,
}

/// The state of the postcode lookup. The button that looks up the postcode sends the action `address`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing was looked up.
    #[default]
    Ready,
    /// The addresses found for the postcode, one line each. The page lists as many as fit, from the first on. To choose
    /// one, the form sends the action `address` again. Its field `found` is the index of the chosen address, from 0,
    /// and `foundFor` is the postcode that was looked up.
    Found(Vec<String>),
    /// The postcode has no addresses.
    NotFound,
    /// The lookup is unavailable at present.
    Unavailable,
    /// The lookup is switched off, and its button is not shown.
    Off,
}
