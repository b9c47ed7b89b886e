//! The closed list of error codes; `docs/STATUS-CODES.md` explains each.

use florin_domain::fault::FlawCode;

macro_rules! codes {
    ($($name:ident = $text:literal,)*) => {
        /// A stable `errorCode`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ErrorCode {
            $($name,)*
        }

        impl ErrorCode {
            /// All codes.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the code as responses contain it.
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    Required = "required",
    InvalidJson = "invalid_json",
    InvalidType = "invalid_type",
    InvalidFormat = "invalid_format",
    InvalidValue = "invalid_value",
    OutOfRange = "out_of_range",
    TooLong = "too_long",
    TooManyDecimals = "too_many_decimals",
    UnknownField = "unknown_field",
    DuplicateField = "duplicate_field",
    DuplicateParameter = "duplicate_parameter",
    MethodNotAllowed = "method_not_allowed",
    PayloadTooLarge = "payload_too_large",
    UnsupportedMediaType = "unsupported_media_type",
    NotFound = "not_found",
    MissingCredentials = "missing_credentials",
    InvalidCredentials = "invalid_credentials",
    InsufficientScope = "insufficient_scope",
    AddressNotAllowed = "address_not_allowed",
    FeatureNotEnabled = "feature_not_enabled",
    SandboxOnly = "sandbox_only",
    InvalidState = "invalid_state",
    AlreadyCleared = "already_cleared",
    AlreadyReversed = "already_reversed",
    Expired = "expired",
    WrongTransactionKind = "wrong_transaction_kind",
    AmountExceedsHold = "amount_exceeds_hold",
    AmountExceedsAuthorization = "amount_exceeds_authorization",
    InsufficientFunds = "insufficient_funds",
    BalanceLimit = "balance_limit",
    MfaRequired = "mfa_required",
    MfaNotEnrolled = "mfa_not_enrolled",
    MfaFailed = "mfa_failed",
    MfaExpired = "mfa_expired",
    MfaLocked = "mfa_locked",
    IdempotencyMismatch = "idempotency_mismatch",
    IdempotencyInFlight = "idempotency_in_flight",
    TooManyRows = "too_many_rows",
    RateLimited = "rate_limited",
    Overloaded = "overloaded",
    ProviderUnavailable = "provider_unavailable",
    Internal = "internal",
}

impl From<FlawCode> for ErrorCode {
    fn from(code: FlawCode) -> Self {
        match code {
            FlawCode::Required => Self::Required,
            FlawCode::InvalidType => Self::InvalidType,
            FlawCode::InvalidFormat => Self::InvalidFormat,
            FlawCode::InvalidValue => Self::InvalidValue,
            FlawCode::OutOfRange => Self::OutOfRange,
            FlawCode::TooLong => Self::TooLong,
            FlawCode::TooManyDecimals => Self::TooManyDecimals,
            FlawCode::UnknownField => Self::UnknownField,
            FlawCode::DuplicateField => Self::DuplicateField,
            FlawCode::DuplicateParameter => Self::DuplicateParameter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        let page = include_str!("../../../docs/STATUS-CODES.md");
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("`{}`", code.as_str())), "{} is not in docs/STATUS-CODES.md", code.as_str());
        }
    }
}
