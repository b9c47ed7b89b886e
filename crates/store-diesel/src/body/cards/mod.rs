//! Cards and their messages.

mod chains;
mod manage;
mod messages;
mod orders;
mod reasons;
mod records;
mod rows;
mod sheet;
mod stories;

pub(crate) use chains::{due_of_account, held, open_holds};
pub(crate) use messages::by_tokens;
pub(crate) use rows::{insert_card, limits_of_account, of_account};
pub(crate) use sheet::Cards;
