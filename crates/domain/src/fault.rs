//! What can be wrong with the shape or value of one member of a request, and the collector of all such faults.

use std::borrow::Cow;

/// Why a value was refused: the stable codes of faults of shape and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawCode {
    /// A member that must be there is not.
    Required,
    /// Another JSON type than the one wanted.
    InvalidType,
    /// The right type, but not of the form wanted.
    InvalidFormat,
    /// Well formed, but not one of the values that exist or fit.
    InvalidValue,
    /// A number outside its range.
    OutOfRange,
    /// A text longer than its limit.
    TooLong,
    /// An amount finer than the currency's minor unit.
    TooManyDecimals,
    /// A member that the operation does not know.
    UnknownField,
    /// A JSON member given twice.
    DuplicateField,
    /// A query parameter or header given twice.
    DuplicateParameter,
}

impl FlawCode {
    /// The code as sent in `errorCode`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::InvalidType => "invalid_type",
            Self::InvalidFormat => "invalid_format",
            Self::InvalidValue => "invalid_value",
            Self::OutOfRange => "out_of_range",
            Self::TooLong => "too_long",
            Self::TooManyDecimals => "too_many_decimals",
            Self::UnknownField => "unknown_field",
            Self::DuplicateField => "duplicate_field",
            Self::DuplicateParameter => "duplicate_parameter",
        }
    }
}

/// What is wrong with a value, without saying where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The stable code.
    pub code: FlawCode,
    /// What a person needs to mend it.
    pub message: Cow<'static, str>,
}

impl Flaw {
    /// A flaw with its message.
    pub fn new(code: FlawCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }

    /// `required`: the member must be there.
    pub fn required() -> Self {
        Self::new(FlawCode::Required, "This value is required.")
    }

    /// `invalid_format`, with what the form should be.
    pub fn format(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::InvalidFormat, message)
    }

    /// `invalid_value`, with what it should be.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::InvalidValue, message)
    }

    /// `out_of_range`, with the range.
    pub fn range(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::OutOfRange, message)
    }

    /// This flaw at a place, such as `body.amount`.
    pub fn at(self, path: impl Into<String>) -> Fault {
        Fault { path: path.into(), flaw: self }
    }
}

/// A flaw and the place where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `query.X`, `path.X`, `header.X`, `body` or `body.member`.
    pub path: String,
    /// What is wrong there.
    pub flaw: Flaw,
}

/// Collects the faults of a request, so that all of them can be told at once.
#[derive(Debug, Default)]
pub struct Faults {
    found: Vec<Fault>,
}

impl Faults {
    /// How many faults are kept: a caller must not be able to grow an answer without bound.
    pub const MAX: usize = 1000;

    /// Adds a fault, unless the collector is full.
    pub fn push(&mut self, fault: Fault) {
        if self.found.len() < Self::MAX {
            self.found.push(fault);
        }
    }

    /// Keeps the value of a check, or notes its flaw at `path`.
    pub fn take<T>(&mut self, path: &str, checked: Result<T, Flaw>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(flaw) => {
                self.push(flaw.at(path));
                None
            }
        }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether more would be passed over: then nobody need look for them.
    pub fn is_full(&self) -> bool {
        self.found.len() >= Self::MAX
    }

    /// All that was found, in the order it was found.
    pub fn into_vec(self) -> Vec<Fault> {
        self.found
    }
}
