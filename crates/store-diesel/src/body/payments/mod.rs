//! Payments of batches: uploaded, listed, processed, and accepted by the sandbox's bank.

mod bank;
mod events;
mod manage;
mod process;
mod read;
mod rows;
mod status;
mod work;

pub(crate) use bank::Bank;
pub(crate) use events::Events;
pub(crate) use status::Statuses;
