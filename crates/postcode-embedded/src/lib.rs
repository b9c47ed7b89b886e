//! A postcode provider without a network: built-in addresses, and those that the operator imported.

mod builtin;
mod csv_file;
mod provider;

pub use builtin::builtin_postcodes;
pub use csv_file::{CsvFault, LineFault, read_csv};
pub use provider::EmbeddedPostcodes;
