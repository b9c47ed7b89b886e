//! Timelines of accounts: their own time, and the numbers from which the ids of seeded worlds are derived.

use crate::{Decide, DueHold, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal, ClockSetting, Timeline};

/// A command to change the clock of an account.
pub struct ClockCommand {
    /// The account.
    pub account: AccountId,
    /// The rule.
    pub decide: Decide<ClockSetting, Result<ClockReading, ClockRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<ClockReading>>,
}

/// The timeline of an account that has its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountTimeline {
    /// The account.
    pub account: AccountId,
    /// Its timeline.
    pub timeline: Timeline,
}

/// Stores the timelines of accounts. A world has a timeline from its creation. Any other account receives one with the
/// first change of its clock. [`crate::Accounts::find`] returns the timeline with the account. Holds of accounts
/// without a timeline fall due by real time, and only these are returned by [`crate::CardLedger::due_holds`].
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Timelines: Send + Sync {
    /// Decides a change of the clock of an account. `Absent`: no such account.
    async fn set_clock(&self, command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>>;

    /// Returns the next number of an account: 1, 2, 3, … Each number is durably used up and returned once, even to
    /// concurrent callers. `NotFound`: the account has no timeline.
    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError>;

    /// Returns all accounts with their own timeline, by id.
    async fn accounts_with_timeline(&self) -> Result<Vec<AccountTimeline>, StoreError>;

    /// Returns holds of an account that are due at the given time, oldest first, at most `max`.
    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError>;
}
