//! Cards and their messages.

mod chains;
mod messages;
mod orders;
mod rows;
mod sheet;

pub(crate) use chains::due_of_account;
pub(crate) use rows::{insert_card, of_account};
pub(crate) use sheet::Cards;
