//! A store that divides clients among other stores, its cells, so that each has its own writer.
//!
//! [`Cells`] implements every storage port and has no data of its own: it finds the cell that answers a call, and
//! passes the call on. The files below contain a table for each port, with one row for each method:
//!
//! | Rule | The call is answered by |
//! |---|---|
//! | `[account(id)]` | the cell of the account |
//! | `[client(id)]` | the cell of the client |
//! | `[home]` | the home |
//! | `[with(function)]` | this function, which chooses one or more cells itself |
//!
//! `docs/adr/0022-cells.md` explains which data is where, and why.

mod access;
mod batches;
mod books;
mod cards;
mod cells;
mod checkouts;
mod deliveries;
mod events;
mod gather;
mod merchants;
mod people;
mod registry;
mod routes;
mod secrets;
mod seeding;
mod shared;
mod timelines;
mod upkeep;
mod webhooks;
mod worlds;

pub use cells::{Cell, Cells};
