//! The position of a value in a body.

use std::fmt;

/// The path of a value, such as `body.rows[2].amount`. The text of the path is built only for a fault, so reading a
/// valid body allocates nothing for paths.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The body as a whole.
    Body,
    /// A member of an object.
    Member { object: &'a Place<'a>, name: &'a str },
    /// An item of an array.
    Item { array: &'a Place<'a>, index: usize },
}

impl<'a> Place<'a> {
    /// Returns the place of a member of the object at this place.
    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Self::Member { object: self, name }
    }

    /// Returns the place of an item of the array at this place.
    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self::Item { array: self, index }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("body"),
            Self::Member { object, name } => write!(f, "{object}.{name}"),
            Self::Item { array, index } => write!(f, "{array}[{index}]"),
        }
    }
}
