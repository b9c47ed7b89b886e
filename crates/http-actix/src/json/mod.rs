//! JSON, read in place without a tree of the whole body: numbers by their literal text, duplicate members included.

mod differences;
mod place;
mod reading;
mod value;

pub(crate) use differences::differences;
pub(crate) use place::Place;
pub(crate) use reading::{Context, Reading};
pub(crate) use value::{Document, NotJson, Value, quoted};
