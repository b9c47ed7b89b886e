//! Cards and their messages.

mod chains;
mod manage;
mod messages;
mod orders;
mod records;
mod rows;
mod sheet;

pub(crate) use rows::{insert_card, of_account};
pub(crate) use sheet::Cards;
