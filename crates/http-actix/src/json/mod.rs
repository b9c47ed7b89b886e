//! JSON, read in place: numbers by their literal text, duplicate members and all, without a tree of the whole body.

mod differences;
mod place;
mod reading;
mod value;

pub(crate) use differences::differences;
pub(crate) use place::Place;
pub(crate) use reading::{Context, Reading};
pub(crate) use value::{Document, NotJson, Value, quoted};
