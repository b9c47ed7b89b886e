//! Cards and their messages.

mod chains;
mod messages;
mod orders;
mod reasons;
mod rows;
mod sheet;
mod stories;

pub(crate) use rows::{insert_card, of_account};
pub(crate) use sheet::Cards;
