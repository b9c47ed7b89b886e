//! Business identifier codes (ISO 9362).

use super::country::is_country;

/// Returns the country of a well-formed BIC: four letters or digits, a country code, two letters or digits, and
/// optionally three more for the branch. A well-formed BIC need not belong to a bank.
pub(crate) fn country_of(bic: &str) -> Option<&str> {
    let is_well_formed =
        matches!(bic.len(), 8 | 11) && bic.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let country = is_well_formed.then(|| &bic[4..6])?;
    // Kosovo has BICs and IBANs, but no ISO 3166 code yet.
    (is_country(country) || country == "XK").then_some(country)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bic_format() {
        for (bic, country) in [("NWBKGB2L", "GB"), ("DEUTDEFF500", "DE"), ("NCBVXKPR", "XK"), ("E097AEXX", "AE")] {
            assert_eq!(country_of(bic), Some(country));
        }
        for wrong in ["", "NWBKGB2", "NWBKGB2L5", "NWBKUK2L", "nwbkgb2l", "NWBKGB2L50ß", "NWBK GB2L"] {
            assert_eq!(country_of(wrong), None, "{wrong}");
        }
    }
}
