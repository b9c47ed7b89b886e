//! Countries with special rules for payments.

/// Returns whether a text is an ISO 3166-1 alpha-2 code.
pub(super) fn is_country(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) && rust_iso3166::from_alpha2(code).is_some()
}

/// Countries and territories in the Single Euro Payments Area, by the country code of their IBANs (European Payments
/// Council, EPC409-09).
const SEPA: [&str; 42] = [
    "AD", "AL", "AT", "BE", "BG", "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GI", "GR", "HR", "HU",
    "IE", "IS", "IT", "LI", "LT", "LU", "LV", "MC", "MD", "ME", "MK", "MT", "NL", "NO", "PL", "PT", "RO", "RS", "SE",
    "SI", "SK", "SM", "VA",
];

/// Returns whether SEPA payments reach accounts in this country.
pub(super) fn is_in_sepa(country: &str) -> bool {
    SEPA.binary_search(&country).is_ok()
}

/// Returns whether a bank in one country can have accounts with IBANs of the other country.
pub(super) fn has_ibans_of(bank_country: &str, iban_country: &str) -> bool {
    // Branches of French banks in Monaco use the BIC of their head office.
    iban_country_of(bank_country) == iban_country || (bank_country, iban_country) == ("FR", "MC")
}

/// Returns the country code of the IBANs of banks in a country. Some territories have their own BICs but use the IBANs
/// of another country.
fn iban_country_of(bank_country: &str) -> &str {
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
    fn banks_and_ibans_of_two_countries() {
        for (bank, iban) in [("GB", "GB"), ("JE", "GB"), ("RE", "FR"), ("FR", "MC"), ("MC", "MC")] {
            assert!(has_ibans_of(bank, iban), "{bank} {iban}");
        }
        for (bank, iban) in [("GB", "DE"), ("MC", "FR"), ("FR", "RE")] {
            assert!(!has_ibans_of(bank, iban), "{bank} {iban}");
        }
    }

    #[test]
    fn the_sepa_list_is_sorted() {
        assert!(SEPA.is_sorted());
        assert!(is_in_sepa("VA") && is_in_sepa("DE") && !is_in_sepa("US"));
    }
}
