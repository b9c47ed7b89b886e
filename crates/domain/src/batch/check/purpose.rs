//! Purpose codes, which the central banks of some countries require.

use crate::money::Currency;

/// The list of purpose codes of a central bank.
pub(super) struct Purposes {
    /// The country or countries of the list, for messages.
    pub(super) of: &'static str,
    codes: Codes,
}

enum Codes {
    /// Exactly these codes, sorted.
    Listed(&'static [&'static str]),
    /// Any code of these forms: `A` is a capital letter, `9` is a digit, and any other character stands for itself.
    /// Used for lists that change often or differ between banks.
    Formed(&'static [&'static str]),
}

/// United Arab Emirates, for payments in any currency (Central Bank of the UAE, purposes of payment).
const AE: Purposes = Purposes {
    of: "the United Arab Emirates",
    codes: Codes::Listed(&[
        "ACM", "AES", "AFA", "AFL", "ALW", "ATS", "BON", "CCP", "CEA", "CEL", "CHC", "CIN", "COM", "COP", "CRP", "DCP",
        "DIV", "DLA", "DLF", "DLL", "DOE", "DSA", "DSF", "DSL", "EDU", "EMI", "EOS", "FAM", "FDA", "FDL", "FIA", "FIL",
        "FIS", "FSA", "FSL", "GDE", "GDI", "GMS", "GOS", "GRI", "IFS", "IGD", "IGT", "IID", "INS", "IOD", "IOL", "IPC",
        "IPO", "IRP", "IRW", "ISH", "ISL", "ISS", "ITS", "LAS", "LDL", "LDS", "LEA", "LEL", "LIP", "LLA", "LLL", "LNC",
        "LND", "MCR", "MWI", "MWO", "MWP", "OAT", "OTS", "OVT", "PEN", "PIN", "PIP", "PMS", "POR", "POS", "PPA", "PPL",
        "PRP", "PRR", "PRS", "PRW", "RDA", "RDL", "RDS", "REA", "REL", "RFS", "RLS", "RNT", "SAA", "SAL", "SCO", "SLA",
        "SLL", "STR", "STS", "SVI", "SVO", "SVP", "TAX", "TCP", "TCR", "TCS", "TKT", "TOF", "TTS", "UFP", "UTL", "XAT",
    ]),
};

/// Bahrain, for payments in any currency (Central Bank of Bahrain): three letters.
const BH: Purposes = Purposes { of: "Bahrain", codes: Codes::Formed(&["AAA"]) };

/// Jordan, for payments in any currency (Central Bank of Jordan): four digits.
const JO: Purposes = Purposes { of: "Jordan", codes: Codes::Formed(&["9999"]) };

/// China, for payments in renminbi (People's Bank of China, business types of cross-border payments).
const CN: Purposes =
    Purposes { of: "China", codes: Codes::Listed(&["CCDNDR", "CCTFDR", "CGODDR", "COCADR", "CSTRDR"]) };

/// India, for payments in rupees (Reserve Bank of India): `P` or `S` and four digits. `P` is for receipts, `S` for
/// payments.
const IN: Purposes = Purposes { of: "India", codes: Codes::Formed(&["P9999", "S9999"]) };

impl Purposes {
    /// Returns the list that a payment to a bank in this country, in this currency, must use. `None`: no purpose code
    /// is required.
    pub(super) fn required_by(country: Option<&str>, currency: Currency) -> Option<&'static Self> {
        match (country, currency.code()) {
            (_, "CNY") => Some(&CN),
            (_, "INR") => Some(&IN),
            (Some("AE"), _) | (_, "AED") => Some(&AE),
            (Some("BH"), _) | (_, "BHD") => Some(&BH),
            (Some("JO"), _) | (_, "JOD") => Some(&JO),
            _ => None,
        }
    }

    /// Returns whether the list contains a code.
    pub(super) fn contains(&self, code: &str) -> bool {
        match self.codes {
            Codes::Listed(codes) => codes.binary_search(&code).is_ok(),
            Codes::Formed(forms) => forms.iter().any(|form| has_form(code, form)),
        }
    }

    /// Returns an example of a code, for messages.
    pub(super) fn example(&self) -> &'static str {
        match self.codes {
            Codes::Listed(codes) => codes.first().copied().unwrap_or_default(),
            Codes::Formed(["AAA", ..]) => "FAM",
            Codes::Formed(["9999", ..]) => "0101",
            Codes::Formed(_) => "P0103",
        }
    }
}

fn has_form(code: &str, form: &str) -> bool {
    let fits = |(found, required): (u8, u8)| match required {
        b'A' => found.is_ascii_uppercase(),
        b'9' => found.is_ascii_digit(),
        own => found == own,
    };
    code.len() == form.len() && code.bytes().zip(form.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purpose_codes_required_by_country() {
        let required =
            |country, code| Purposes::required_by(country, Currency::parse(code).unwrap()).map(|list| list.of);
        assert_eq!(required(Some("AE"), "USD"), Some("the United Arab Emirates"));
        assert_eq!(required(None, "INR"), Some("India"));
        assert_eq!(required(Some("CN"), "CNY"), Some("China"));
        assert_eq!(required(Some("CN"), "USD"), None);
        assert_eq!(required(Some("GB"), "GBP"), None);
        for list in [&AE, &BH, &JO, &CN, &IN] {
            assert!(list.contains(list.example()), "{}", list.of);
            assert!(!list.contains("NO SUCH"), "{}", list.of);
        }
        for list in [&AE, &CN] {
            assert!(matches!(list.codes, Codes::Listed(codes) if codes.is_sorted()));
        }
        assert!(IN.contains("S0001") && !IN.contains("X0001") && !IN.contains("P001"));
    }
}
