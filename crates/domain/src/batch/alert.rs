//! Alerts: faults and doubts about the rows of an upload.

use chrono::{DateTime, Utc};

/// A fault of an upload, or a doubt about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// When it was found.
    pub at: DateTime<Utc>,
    /// Its kind.
    pub kind: AlertKind,
    /// Its code.
    pub code: AlertCode,
    /// The row, from 0; absent where it is about the upload as a whole.
    pub index: Option<u32>,
    /// The rule that was broken, with the name of the member.
    pub message: String,
}

/// The kind of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertKind {
    /// The batch can't be confirmed until it is corrected.
    Error,
    /// The client decides.
    Warning,
}

impl AlertKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::Warning => "Warning",
        }
    }
}

macro_rules! alert_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        /// Stable codes of alerts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AlertCode {
            $($(#[$doc])* $name,)*
        }

        impl AlertCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code callers see.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }
    };
}

alert_codes! {
    /// The upload has no rows.
    NoPayments = "no_payments";
    /// A CSV row has more or fewer fields than the header.
    WrongNumberOfFields = "wrong_number_of_fields";
    /// There is no amount.
    AmountRequired = "amount_required";
    /// The amount is not a decimal.
    AmountInvalid = "amount_invalid";
    /// The amount is finer than the currency's minor unit.
    AmountTooPrecise = "amount_too_precise";
    /// The amount is zero or too large.
    AmountOutOfRange = "amount_out_of_range";
    /// There is no currency.
    CurrencyRequired = "currency_required";
    /// Not a currency that can be paid.
    CurrencyUnknown = "currency_unknown";
    /// Neither the row nor the upload names a budget.
    FundingBudgetRequired = "funding_budget_required";
    /// Not the id of a budget.
    FundingBudgetInvalid = "funding_budget_invalid";
    /// Not a budget of the account.
    FundingBudgetNotFound = "funding_budget_not_found";
    /// The budget does not hold the currency.
    FundingBudgetCurrency = "funding_budget_currency";
    /// There is no name.
    RecipientNameRequired = "recipient_name_required";
    /// Not a type of recipient.
    RecipientTypeUnknown = "recipient_type_unknown";
    /// There is no account.
    AccountIdentifierRequired = "account_identifier_required";
    /// Not an account number.
    AccountNumberInvalid = "account_number_invalid";
    /// Not an IBAN.
    IbanInvalid = "iban_invalid";
    /// Neither sort code nor BIC where one is needed.
    BankIdentifierRequired = "bank_identifier_required";
    /// Not a BIC.
    BankIdentifierInvalid = "bank_identifier_invalid";
    /// Not a sort code.
    SortCodeInvalid = "sort_code_invalid";
    /// Bank and account are of different countries.
    BankCountryMismatch = "bank_country_mismatch";
    /// Sort code and account number do not fit together.
    ModulusCheckFailed = "modulus_check_failed";
    /// Not a payment network.
    NetworkUnknown = "network_unknown";
    /// The network does not carry the currency.
    NetworkCurrency = "network_currency";
    /// Not a country.
    CountryUnknown = "country_unknown";
    /// The recipient's country is needed.
    CountryRequired = "country_required";
    /// Country and currency require a purpose code.
    PurposeCodeRequired = "purpose_code_required";
    /// Not a purpose code of that country or currency.
    PurposeCodeUnknown = "purpose_code_unknown";
    /// A reference that the network does not carry.
    ReferenceInvalid = "reference_invalid";
    /// Not an e-mail address.
    EmailInvalid = "email_invalid";
    /// A text over its limit.
    TextTooLong = "text_too_long";
    /// A text with control characters.
    TextInvalid = "text_invalid";
    /// The same payment as an earlier row.
    DuplicatePayment = "duplicate_payment";
}

impl AlertCode {
    /// The kind of alerts with this code: only a likely duplicate is a Warning.
    pub const fn kind(self) -> AlertKind {
        match self {
            Self::DuplicatePayment => AlertKind::Warning,
            _ => AlertKind::Error,
        }
    }
}
