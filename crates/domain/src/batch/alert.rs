//! Alerts: errors and warnings about the rows of an upload.

use chrono::{DateTime, Utc};

/// An error or a warning about a value in an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// When it was found.
    pub at: DateTime<Utc>,
    /// Its kind.
    pub kind: AlertKind,
    /// Its code.
    pub code: AlertCode,
    /// The row, from 0. `None`: the alert is about the whole upload.
    pub index: Option<u32>,
    /// The rule that the value breaks, with the name of the field.
    pub message: String,
}

/// The kind of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertKind {
    /// An error: the batch can't be confirmed until the value is corrected.
    Error,
    /// A warning: the client decides whether to correct the value.
    Warning,
}

impl AlertKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// Returns the name in the API.
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

            /// Returns the code in the API.
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
    /// The amount is missing.
    AmountRequired = "amount_required";
    /// The amount is not a decimal.
    AmountInvalid = "amount_invalid";
    /// The amount has more decimals than the currency.
    AmountTooPrecise = "amount_too_precise";
    /// The amount is zero or too large.
    AmountOutOfRange = "amount_out_of_range";
    /// The currency is missing.
    CurrencyRequired = "currency_required";
    /// The currency is unknown, or can't be used for payments.
    CurrencyUnknown = "currency_unknown";
    /// Neither the row nor the upload names a budget.
    FundingBudgetRequired = "funding_budget_required";
    /// The funding budget is not a valid id.
    FundingBudgetInvalid = "funding_budget_invalid";
    /// The funding budget is not a budget of the account, or lacks the feature `payments`.
    FundingBudgetNotFound = "funding_budget_not_found";
    /// The funding budget does not hold the currency.
    FundingBudgetCurrency = "funding_budget_currency";
    /// The recipient's name is missing.
    RecipientNameRequired = "recipient_name_required";
    /// The type of the recipient is unknown.
    RecipientTypeUnknown = "recipient_type_unknown";
    /// The account identifier is missing.
    AccountIdentifierRequired = "account_identifier_required";
    /// The account number is invalid.
    AccountNumberInvalid = "account_number_invalid";
    /// The IBAN is invalid.
    IbanInvalid = "iban_invalid";
    /// The sort code or BIC is missing where one is required.
    BankIdentifierRequired = "bank_identifier_required";
    /// The BIC is invalid.
    BankIdentifierInvalid = "bank_identifier_invalid";
    /// The sort code is invalid.
    SortCodeInvalid = "sort_code_invalid";
    /// The bank and the account are in different countries.
    BankCountryMismatch = "bank_country_mismatch";
    /// The sort code and account number do not match.
    ModulusCheckFailed = "modulus_check_failed";
    /// The payment network is unknown.
    NetworkUnknown = "network_unknown";
    /// The network does not support the currency.
    NetworkCurrency = "network_currency";
    /// The country is unknown.
    CountryUnknown = "country_unknown";
    /// The recipient's country is required.
    CountryRequired = "country_required";
    /// The country and currency require a purpose code.
    PurposeCodeRequired = "purpose_code_required";
    /// The purpose code is not on the list of the country or currency.
    PurposeCodeUnknown = "purpose_code_unknown";
    /// The reference has characters or a length that the network does not support.
    ReferenceInvalid = "reference_invalid";
    /// The e-mail address is invalid.
    EmailInvalid = "email_invalid";
    /// A text exceeds its maximum length.
    TextTooLong = "text_too_long";
    /// A text contains control characters.
    TextInvalid = "text_invalid";
    /// The payment repeats an earlier row.
    DuplicatePayment = "duplicate_payment";
}

impl AlertCode {
    /// Returns the kind of alerts with this code. Only a likely duplicate is a Warning.
    pub const fn kind(self) -> AlertKind {
        match self {
            Self::DuplicatePayment => AlertKind::Warning,
            _ => AlertKind::Error,
        }
    }
}
