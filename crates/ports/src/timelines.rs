//! Timelines of accounts: their own time, and the numbers from which ids of seeded worlds follow.

use crate::{Decide, DueHold, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal, ClockSetting, Timeline};

/// A command to change a clock.
pub struct ClockCommand {
    /// The account.
    pub account: AccountId,
    /// The rule.
    pub decide: Decide<ClockSetting, Result<ClockReading, ClockRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<ClockReading>>,
}

/// Stores the timelines of accounts. An account gets its own timeline with the first change of its clock, a world with
/// its creation; [`crate::Accounts::find`] returns it. Holds of accounts without a timeline fall due by real time, and
/// [`crate::CardLedger::due_holds`] returns only those.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Timelines: Send + Sync {
    /// Decides a change of a clock. `Absent`: no such account.
    async fn set_clock(&self, command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>>;

    /// Returns the next number of an account: 1, 2, 3, … Each number is returned once, durably, even to concurrent
    /// callers. `NotFound`: the account has no timeline.
    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError>;

    /// Returns all accounts with their own timeline, by id.
    async fn own(&self) -> Result<Vec<(AccountId, Timeline)>, StoreError>;

    /// Returns holds of an account that are due at a given time, oldest first, at most `max`.
    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError>;
}
