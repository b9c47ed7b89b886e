//! UK postcodes and the addresses behind them.

mod postcode;

pub use postcode::{Postcode, PostcodeQuery};

/// A postal address. Absent parts are empty strings.
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
