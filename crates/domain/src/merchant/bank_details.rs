//! Bank details of settlement accounts and payees.

use crate::batch::ModulusTable;
use crate::fault::{Fault, Faults, Flaw};
use crate::iban::Iban;
use crate::money::Currency;
use std::fmt;

/// The currency of a checkout, a settlement account or a payee: GBP or EUR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MerchantCurrency {
    /// Pounds. Bank details are a sort code and account number.
    Gbp,
    /// Euros. Bank details are an IBAN.
    Eur,
}

impl MerchantCurrency {
    /// Both currencies.
    pub const ALL: [Self; 2] = [Self::Gbp, Self::Eur];

    /// Returns the alphabetic code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gbp => "GBP",
            Self::Eur => "EUR",
        }
    }

    /// Converts it to a [`Currency`].
    pub fn currency(self) -> Result<Currency, Flaw> {
        Currency::parse(self.as_str())
    }

    /// Returns the type of bank details for this currency.
    pub const fn details_type(self) -> BankDetailsType {
        match self {
            Self::Gbp => BankDetailsType::SortCode,
            Self::Eur => BankDetailsType::Iban,
        }
    }
}

/// The type of bank details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BankDetailsType {
    /// A UK sort code and account number.
    SortCode,
    /// An international bank account number.
    Iban,
}

impl BankDetailsType {
    /// Both types.
    pub const ALL: [Self; 2] = [Self::SortCode, Self::Iban];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SortCode => "SORT_CODE",
            Self::Iban => "IBAN",
        }
    }

    /// Returns the currency of bank accounts with these details.
    pub const fn currency(self) -> MerchantCurrency {
        match self {
            Self::SortCode => MerchantCurrency::Gbp,
            Self::Iban => MerchantCurrency::Eur,
        }
    }
}

/// The details of a bank account. Responses show them only masked, by [`BankDetails::masked`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum BankDetails {
    /// A UK account.
    SortCode {
        /// The sort code: six digits.
        sort_code: String,
        /// The account number: eight digits.
        account_number: String,
    },
    /// The IBAN of an account, without spaces and in capitals.
    Iban(String),
}

/// Prints masked details.
impl fmt::Debug for BankDetails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match self.masked() {
            Self::SortCode { sort_code, account_number } => format!("{sort_code} {account_number}"),
            Self::Iban(iban) => iban,
        };
        write!(f, "BankDetails({shown})")
    }
}

/// Bank details as sent in a request.
#[derive(Clone, Default)]
pub struct BankDetailsInput {
    /// The sort code.
    pub sort_code: Option<String>,
    /// The account number.
    pub account_number: Option<String>,
    /// The IBAN.
    pub iban: Option<String>,
}

impl BankDetails {
    /// Parses bank details of a type. The paths of the faults are the names of the fields, such as `sortCode`.
    ///
    /// A sort code has six digits and an account number has eight, and the pair must pass the modulus check. An IBAN
    /// may contain spaces and lower-case letters, which are normalized. Its check digits and its form for its country
    /// must be valid.
    pub fn parse(details: BankDetailsType, input: &BankDetailsInput, table: &ModulusTable) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::default();
        let of_other_type: &[(&str, &Option<String>)] = match details {
            BankDetailsType::SortCode => &[("iban", &input.iban)],
            BankDetailsType::Iban => &[("sortCode", &input.sort_code), ("accountNumber", &input.account_number)],
        };
        for (member, _) in of_other_type.iter().filter(|(_, value)| value.is_some()) {
            faults.push(Flaw::value(format!("must not be sent with the type {}", details.as_str())).at(*member));
        }
        let parsed = match details {
            BankDetailsType::SortCode => {
                let sort_code = faults.take("sortCode", digits(input.sort_code.as_deref(), 6));
                let number = faults.take("accountNumber", digits(input.account_number.as_deref(), 8));
                sort_code.zip(number).and_then(|(sort_code, account_number)| {
                    let fits = table.fits(&sort_code, &account_number);
                    let mismatch = || Flaw::value("must pass the modulus check for the sort code");
                    faults.take("accountNumber", fits.then_some(()).ok_or_else(mismatch))?;
                    Some(Self::SortCode { sort_code, account_number })
                })
            }
            BankDetailsType::Iban => faults.take("iban", iban(input.iban.as_deref(), table)).map(Self::Iban),
        };
        match parsed {
            Some(parsed) if faults.is_empty() => Ok(parsed),
            _ => Err(faults.into_vec()),
        }
    }

    /// Restores bank details from their stored text. `None`: the text has a wrong form.
    pub fn stored(details: BankDetailsType, text: &str) -> Option<Self> {
        match details {
            BankDetailsType::SortCode => {
                let (sort_code, account_number) = text.split_at_checked(6)?;
                let is_digits = text.len() == 14 && text.bytes().all(|byte| byte.is_ascii_digit());
                is_digits.then(|| Self::SortCode {
                    sort_code: sort_code.to_owned(),
                    account_number: account_number.to_owned(),
                })
            }
            BankDetailsType::Iban => Some(Self::Iban(text.to_owned())),
        }
    }

    /// Returns the text to store. Together with the type, it identifies the bank account.
    pub fn to_stored(&self) -> String {
        match self {
            Self::SortCode { sort_code, account_number } => format!("{sort_code}{account_number}"),
            Self::Iban(iban) => iban.clone(),
        }
    }

    /// Returns the type of the bank details.
    pub const fn details_type(&self) -> BankDetailsType {
        match self {
            Self::SortCode { .. } => BankDetailsType::SortCode,
            Self::Iban(_) => BankDetailsType::Iban,
        }
    }

    /// Returns the currency of the bank account.
    pub const fn currency(&self) -> MerchantCurrency {
        self.details_type().currency()
    }

    /// Returns the details with a star for each hidden character. The last two digits of a sort code and the last four
    /// of an account number remain visible; for an IBAN, the country code and the last four characters.
    ///
    /// ```
    /// use florin_domain::merchant::BankDetails;
    ///
    /// let masked = BankDetails::Iban("DE89370400440532013000".into()).masked();
    /// assert_eq!(masked, BankDetails::Iban("DE****************3000".into()));
    /// ```
    #[must_use]
    pub fn masked(&self) -> Self {
        match self {
            Self::SortCode { sort_code, account_number } => {
                Self::SortCode { sort_code: mask(sort_code, 0, 2), account_number: mask(account_number, 0, 4) }
            }
            Self::Iban(iban) => Self::Iban(mask(iban, 2, 4)),
        }
    }
}

/// Replaces all characters with stars, except for the given numbers of first and last characters.
fn mask(text: &str, first: usize, last: usize) -> String {
    let length = text.chars().count();
    let shown = |place: usize| place < first || place + last >= length;
    text.chars().enumerate().map(|(place, character)| if shown(place) { character } else { '*' }).collect()
}

fn digits(text: Option<&str>, length: usize) -> Result<String, Flaw> {
    let text = text.ok_or_else(Flaw::required)?;
    if text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(text.to_owned())
    } else {
        Err(Flaw::format(format!("must be {length} digits")))
    }
}

fn iban(text: Option<&str>, table: &ModulusTable) -> Result<String, Flaw> {
    let text = text.ok_or_else(Flaw::required)?;
    let compact: String = text.chars().filter(|c| *c != ' ').map(|c| c.to_ascii_uppercase()).take(64).collect();
    let parsed = Iban::parse(&compact).map_err(|why| Flaw::value(format!("must be a valid IBAN: {why}")))?;
    if parsed.british().is_some_and(|(sort_code, number)| !table.fits(sort_code, number)) {
        return Err(Flaw::value("must pass the modulus check for its sort code"));
    }
    Ok(compact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use proptest::prelude::*;

    fn parse(details: BankDetailsType, members: [Option<&str>; 3]) -> Result<BankDetails, Vec<(String, FlawCode)>> {
        let [sort_code, account_number, iban] = members.map(|member| member.map(str::to_owned));
        let input = BankDetailsInput { sort_code, account_number, iban };
        BankDetails::parse(details, &input, &ModulusTable::built_in().unwrap())
            .map_err(|faults| faults.into_iter().map(|fault| (fault.path, fault.flaw.code)).collect())
    }

    fn pounds(sort_code: &str, number: &str) -> Result<BankDetails, Vec<(String, FlawCode)>> {
        parse(BankDetailsType::SortCode, [Some(sort_code), Some(number), None])
    }

    fn euros(iban: &str) -> Result<BankDetails, Vec<(String, FlawCode)>> {
        parse(BankDetailsType::Iban, [None, None, Some(iban)])
    }

    fn at<T: Into<String>>(path: T, code: FlawCode) -> Vec<(String, FlawCode)> {
        vec![(path.into(), code)]
    }

    #[test]
    fn sort_codes_and_account_numbers_are_digits_that_fit() {
        let details = pounds("200000", "55779911").unwrap();
        assert_eq!((details.currency(), details.to_stored().as_str()), (MerchantCurrency::Gbp, "20000055779911"));
        assert_eq!(BankDetails::stored(BankDetailsType::SortCode, "20000055779911"), Some(details));
        assert_eq!(pounds("20-00-00", "55779911"), Err(at("sortCode", FlawCode::InvalidFormat)));
        assert_eq!(pounds("200000", "5577991"), Err(at("accountNumber", FlawCode::InvalidFormat)));
        assert_eq!(pounds("200000", "5577991\u{0661}"), Err(at("accountNumber", FlawCode::InvalidFormat)));
        assert_eq!(pounds("089999", "66374959"), Err(at("accountNumber", FlawCode::InvalidValue)));
        assert!(pounds("089999", "66374958").is_ok());
        let missing = parse(BankDetailsType::SortCode, [None, None, Some("DE89370400440532013000")]);
        let codes = [("iban", FlawCode::InvalidValue), ("sortCode", FlawCode::Required)];
        let expected = codes.into_iter().chain([("accountNumber", FlawCode::Required)]);
        assert_eq!(missing, Err(expected.map(|(path, code)| (path.to_owned(), code)).collect()));
    }

    #[test]
    fn ibans_are_normalized_and_checked() {
        let details = euros("de89 3704 0044 0532 0130 00").unwrap();
        assert_eq!(details, BankDetails::Iban("DE89370400440532013000".into()));
        assert_eq!(details.currency(), MerchantCurrency::Eur);
        for wrong in ["DE88370400440532013000", "DE8937040044053201300", "US88370400440532013000", "", "DE89\u{a0}3704"]
        {
            assert_eq!(euros(wrong), Err(at("iban", FlawCode::InvalidValue)), "{wrong}");
        }
        assert_eq!(parse(BankDetailsType::Iban, [None; 3]), Err(at("iban", FlawCode::Required)));
    }

    #[test]
    fn nothing_prints_the_details() {
        let details = pounds("200000", "55779911").unwrap();
        assert_eq!(format!("{details:?}"), "BankDetails(****00 ****9911)");
        let details = euros("DE89370400440532013000").unwrap();
        assert_eq!(format!("{details:?}"), "BankDetails(DE****************3000)");
    }

    proptest! {
        #[test]
        fn masks_keep_the_length_and_hide_the_middle(number in "[0-9]{8}") {
            let masked = BankDetails::SortCode { sort_code: "200000".into(), account_number: number.clone() }.masked();
            let expected = format!("****{}", &number[4..]);
            prop_assert_eq!(masked, BankDetails::SortCode { sort_code: "****00".into(), account_number: expected });
        }

        #[test]
        fn masks_of_ibans_keep_the_length_the_country_and_the_end(iban in "[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}") {
            let masked = BankDetails::Iban(iban.clone()).masked();
            let end = iban.len() - 4;
            let expected = format!("{}{}{}", &iban[..2], "*".repeat(end - 2), &iban[end..]);
            prop_assert_eq!(expected.len(), iban.len());
            let printed = format!("BankDetails({expected})");
            prop_assert_eq!(format!("{:?}", BankDetails::Iban(iban)), printed);
            prop_assert_eq!(masked, BankDetails::Iban(expected));
        }

        #[test]
        fn what_is_stored_is_restored(sort_code in "[0-9]{6}", number in "[0-9]{8}") {
            let details = BankDetails::SortCode { sort_code, account_number: number };
            let restored = BankDetails::stored(BankDetailsType::SortCode, &details.to_stored());
            prop_assert_eq!(restored, Some(details));
        }
    }
}
