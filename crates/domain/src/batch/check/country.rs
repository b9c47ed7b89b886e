//! The countries that matter to payments.

/// Whether this is an ISO 3166-1 alpha-2 code.
pub(super) fn is_country(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) && rust_iso3166::from_alpha2(code).is_some()
}

/// Countries and territories in the Single Euro Payments Area, by the code that begins their IBANs (European Payments
/// Council, EPC409-09).
const SEPA: [&str; 41] = [
    "AD", "AL", "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GI", "GR", "HR", "HU",
    "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MC", "MD", "ME", "MK", "MT", "NL", "NO", "PL", "PT", "RO", "RS", "SE",
    "SI", "SK", "SM",
];

/// Whether SEPA reaches accounts of this country.
pub(super) fn is_in_sepa(country: &str) -> bool {
    country == "VA" || SEPA.binary_search(&country).is_ok()
}

/// The country code of IBANs at a bank in this country: some territories have their own BICs but use their country's
/// IBANs.
pub(super) fn of_iban(bank_country: &str) -> &str {
    match bank_country {
        "GG" | "IM" | "JE" => "GB",
        "AX" => "FI",
        "BL" | "GF" | "GP" | "MF" | "MQ" | "NC" | "PF" | "PM" | "RE" | "TF" | "WF" | "YT" => "FR",
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_iso_3166_codes_in_upper_case() {
        for country in ["GB", "DE", "AX", "AE"] {
            assert!(is_country(country), "{country}");
        }
        for wrong in ["UK", "gb", "GBR", "", "ZZ", "ÄÖ"] {
            assert!(!is_country(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_sepa_list_is_sorted() {
        assert!(SEPA.is_sorted());
        assert!(is_in_sepa("VA") && is_in_sepa("DE") && !is_in_sepa("US"));
    }
}
