//! A group of commands on one working set: loaded with a few statements, decided sequentially in memory, stored with a
//! few statements.
//!
//! A command states its footprint and is then executed on the [`WorkingSet`]: it reads, calls its rule, and only then
//! stages changes. A refusal, an absence or a panic of a rule therefore leaves the working set unchanged and does not
//! affect other commands of the group. A command sees the changes that earlier commands staged.

mod command;
mod recorded;
mod under_claim;

pub(crate) use command::Command;
pub(crate) use recorded::RecordedCommand;
pub(crate) use under_claim::{decide_in_mode, under_claim};

use super::body;
