//! Reads JSON in place, without a tree of the whole body. Numbers keep their literal text, and duplicate members are
//! detected.

mod differences;
mod place;
mod reading;
mod value;

pub(crate) use differences::differences;
pub(crate) use place::Place;
pub(crate) use reading::{Context, Reading};
pub(crate) use value::{Document, NotJson, Value, quoted};
