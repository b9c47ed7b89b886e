//! Validation errors: the flaw of one value, and all faults of a request.

use std::borrow::Cow;

/// Stable codes of validation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawCode {
    /// A required field is missing.
    Required,
    /// The JSON type is wrong.
    InvalidType,
    /// The JSON type is right, but the format is wrong.
    InvalidFormat,
    /// The format is right, but the value is not allowed.
    InvalidValue,
    /// The number is outside its range.
    OutOfRange,
    /// The text exceeds its maximum length.
    TooLong,
    /// The amount has more decimals than the currency.
    TooManyDecimals,
    /// The operation has no field with this name.
    UnknownField,
    /// A JSON field occurs twice.
    DuplicateField,
    /// A query parameter or header occurs twice.
    DuplicateParameter,
}

impl FlawCode {
    /// Returns the code as sent in `errorCode`.
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

/// A validation error of a value, without its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The stable code.
    pub code: FlawCode,
    /// The rule that the value breaks. It completes the path: `` `body.amount` must be a number ``.
    pub message: Cow<'static, str>,
}

impl Flaw {
    /// Creates an error with a code and a message.
    pub fn new(code: FlawCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates the error `required`: the field is missing.
    pub fn required() -> Self {
        Self::new(FlawCode::Required, "is required")
    }

    /// Creates the error `invalid_format`. The message names the expected format.
    pub fn format(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::InvalidFormat, message)
    }

    /// Creates the error `invalid_value`. The message names the allowed values.
    pub fn value(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::InvalidValue, message)
    }

    /// Creates the error `out_of_range`. The message names the range.
    pub fn range(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FlawCode::OutOfRange, message)
    }

    /// Adds a path, such as `body.amount`, to this error.
    pub fn at(self, path: impl Into<String>) -> Fault {
        Fault { path: path.into(), flaw: self }
    }
}

/// A validation error with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The path: `query.X`, `path.X`, `header.X`, `body` or `body.member`.
    pub path: String,
    /// The error.
    pub flaw: Flaw,
}

/// Collects all validation errors of a request, so that one answer reports them together.
#[derive(Debug, Default)]
pub struct Faults {
    found: Vec<Fault>,
}

impl Faults {
    /// Maximum number of collected errors, which bounds the size of an answer.
    pub const MAX: usize = 1000;

    /// Adds a fault, unless the collector is full.
    pub fn push(&mut self, fault: Fault) {
        if self.found.len() < Self::MAX {
            self.found.push(fault);
        }
    }

    /// Returns the value of a successful check. Otherwise records the error at `path` and returns `None`.
    pub fn take<T>(&mut self, path: &str, checked: Result<T, Flaw>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(flaw) => {
                self.push(flaw.at(path));
                None
            }
        }
    }

    /// Returns the number of recorded errors.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether no error was recorded.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns whether the collector is full. It drops further errors, so checks may stop.
    pub fn is_full(&self) -> bool {
        self.found.len() >= Self::MAX
    }

    /// Returns all recorded errors, in the order of recording.
    pub fn into_vec(self) -> Vec<Fault> {
        self.found
    }
}
