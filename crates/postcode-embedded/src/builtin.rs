//! The built-in data set: synthetic addresses with postcodes of every UK format.

use crate::csv_file::{CsvFault, read_csv};
use florin_domain::address::{Address, UkPostcode};
use florin_ports::PostcodeError;
use std::collections::BTreeMap;
use std::sync::LazyLock;

type ByPostcode = BTreeMap<String, Vec<Address>>;

static BUILT_IN: LazyLock<Result<ByPostcode, CsvFault>> = LazyLock::new(|| {
    let mut addresses = ByPostcode::new();
    for address in read_csv(include_bytes!("addresses.csv").as_slice())? {
        addresses.entry(address.postcode.clone()).or_default().push(address);
    }
    Ok(addresses)
});

/// Returns the built-in addresses of a postcode.
pub(crate) fn addresses_of(postcode: &UkPostcode) -> Result<Vec<Address>, PostcodeError> {
    match &*BUILT_IN {
        Ok(addresses) => Ok(addresses.get(postcode.as_str()).cloned().unwrap_or_default()),
        // A test ensures that this cannot happen in a release.
        Err(fault) => Err(PostcodeError::Down(format!("cannot read the built-in addresses: {fault}"))),
    }
}

/// Returns the postcodes of the built-in data set, in order.
pub fn builtin_postcodes() -> Vec<UkPostcode> {
    let known = BUILT_IN.as_ref().map(|found| found.keys().filter_map(|text| UkPostcode::parse(text).ok()).collect());
    known.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_built_in_data_is_valid() {
        let found = BUILT_IN.as_ref().unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(found.len(), 36);
        for (postcode, addresses) in found {
            assert!((3..=12).contains(&addresses.len()), "{postcode} has {}", addresses.len());
            let distinct: BTreeSet<_> =
                addresses.iter().map(|row| (&row.address_line1, &row.address_line2, &row.address_line3)).collect();
            assert_eq!(distinct.len(), addresses.len(), "{postcode} has an address twice");
        }
    }

    #[test]
    fn every_uk_format_is_present() {
        let formats: BTreeSet<String> = builtin_postcodes()
            .iter()
            .map(|postcode| postcode.as_str().chars().map(|c| if c.is_ascii_digit() { '9' } else { 'A' }).collect())
            .collect();
        for outward in ["A9", "A99", "A9A", "AA9", "AA99", "AA9A"] {
            assert!(formats.contains(&format!("{outward}9AA")), "{outward}");
        }
        let known = builtin_postcodes();
        for expected in ["SW1A1AA", "M11AE", "EC1A1BB"] {
            assert!(known.contains(&UkPostcode::parse(expected).unwrap()), "{expected}");
        }
    }

    #[test]
    fn an_unknown_postcode_has_no_addresses() {
        assert_eq!(addresses_of(&UkPostcode::parse("ZZ99ZZ").unwrap()), Ok(vec![]));
    }
}
