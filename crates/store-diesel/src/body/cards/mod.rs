//! Cards and their messages.

mod chains;
mod load;
mod messages;
mod orders;
mod rows;
mod save;

pub(crate) use rows::{insert_card, of_account};
