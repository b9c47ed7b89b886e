//! UK postcodes and their addresses.

mod postcode;

pub use postcode::{PostcodeQuery, UkPostcode};

/// A postal address. A missing part is an empty string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// First line.
    pub address_line1: String,
    /// Second line.
    pub address_line2: String,
    /// Third line.
    pub address_line3: String,
    /// Post town.
    pub city: String,
    /// Postcode, without a space.
    pub postcode: String,
    /// County.
    pub county: String,
}
