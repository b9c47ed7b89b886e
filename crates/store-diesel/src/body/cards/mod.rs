//! Cards and their messages.

mod chains;
mod commands;
pub(super) mod controls;
mod counted;
mod decisions;
mod details;
mod histories;
mod manage;
mod messages;
mod physical_commands;
mod physical_rows;
mod reasons;
mod records;
mod rows;
mod settings;
mod situations;
#[cfg(test)]
mod tests;

use super::body;

pub(crate) use chains::{due_of_account, held, open_holds};
pub(crate) use counted::read as read_counted;
pub(crate) use records::{find, store_change};
pub(crate) use rows::{insert_card, limits_of_account, of_account};
