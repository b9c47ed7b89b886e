//! The time of accounts that have one of their own, and the numbers that ids of seeded worlds follow from.

use crate::{Decide, DueHold, RepeatClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal, ClockSetting, Timeline};

/// A clock to be changed.
pub struct ClockCommand {
    /// The account.
    pub account: AccountId,
    /// The rule.
    pub decide: Decide<ClockSetting, Result<ClockReading, ClockRefusal>>,
    /// The idempotency claim.
    pub repeat: Option<RepeatClaim<ClockReading>>,
}

/// Keeps the timelines of accounts. An account has one of its own from the first change of its clock on, and a world from its
/// beginning; [`crate::Accounts::find`] shows it. Holds of accounts that have none fall due by real time, and are
/// [`crate::CardLedger::due_holds`]; those of accounts that have one never are.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Timelines: Send + Sync {
    /// Decides a change of a clock. `Absent`: no such account.
    async fn set_clock(&self, command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>>;

    /// The next number of an account: 1, 2, 3, … Each is given once, durably, even to two callers at a time. `NotFound`: the
    /// account has no timeline of its own.
    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError>;

    /// All accounts that have a timeline of their own, by id.
    async fn own(&self) -> Result<Vec<(AccountId, Timeline)>, StoreError>;

    /// Holds of an account that are due at a time, the oldest first, at most `max`.
    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError>;
}
