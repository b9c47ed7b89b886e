//! Subscriptions to events, and their deliveries.

mod again;
mod claims;
mod client_records;
mod deliveries;
mod ends;
mod fan_out;
#[cfg(test)]
mod fan_out_tests;
mod lateness;
mod log;
mod observers;
mod rows;
mod shared;
mod subscriptions;
#[cfg(test)]
mod tests;
mod warnings;
mod world;

pub(crate) use client_records::{delete_client_records, under_claim as under_client_claim, under_kept_claim};
pub(crate) use fan_out::{are_queued, before_command as fan_out, imported, to_the_end as fan_out_to_the_end};
pub(crate) use lateness::Lateness;
pub(crate) use observers::Observers;
pub(crate) use shared::deliver;
pub(crate) use warnings::Warnings;
pub(crate) use world::{cancel_all, forget_account, resume, undo};

use super::body;
