//! The tables: each is declared once, in the file of its area, and everything else follows from the declaration.
//!
//! A declaration defines the table for Diesel's queries, the struct of a whole row, how a row is inserted, exported,
//! imported and stored in snapshots of worlds, the position of the table in an export, and what the tests compare with
//! the databases. Next to it are the partial rows, the changes and the lookups.
//!
//! To add a column, write a migration for each database, a line in the declaration, and the code that maps the row to
//! the domain. If a change is built from whole rows, say in its declaration whether it sets or keeps the column: the
//! compiler requires that.

pub(crate) mod access;
mod all;
pub(crate) mod batches;
pub(crate) mod cards;
pub(crate) mod cells;
pub(crate) mod checkout;
pub(crate) mod checkpoints;
pub(crate) mod declare;
pub(crate) mod disputes;
pub(crate) mod events;
mod fan_out;
mod json_row;
pub(crate) mod keys;
pub(crate) mod merchant;
pub(crate) mod mfa;
pub(crate) mod money;
pub(crate) mod people;
pub(crate) mod service;
pub(crate) mod table;
pub(crate) mod webhooks;
pub(crate) mod worlds;

pub(crate) use all::{all, derived, named};

use super::body;

#[cfg(test)]
mod tests;
