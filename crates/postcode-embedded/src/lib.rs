//! The postcode provider that needs no network: a built-in data set, and what the operator imported.

mod builtin;
mod csv_file;
mod provider;

pub use builtin::builtin_postcodes;
pub use csv_file::{CsvFault, LineFault, read_csv};
pub use provider::EmbeddedPostcodes;
