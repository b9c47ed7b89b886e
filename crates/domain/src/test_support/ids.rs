//! Fixed ids and times.

use crate::ids::{AccountId, BudgetId, ClientId};
use chrono::{DateTime, TimeZone, Utc};
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use uuid::Uuid;

/// The default id of budgets in tests.
pub const BUDGET: BudgetId = BudgetId(Uuid::from_u128(0xb1));
/// The id of the parent budget of [`account`].
pub const PARENT: BudgetId = BudgetId(Uuid::from_u128(0xb0));
/// The API client of the tests.
pub const CLIENT: ClientId = ClientId(Uuid::from_u128(0xc1));

/// Returns the id of the account that all test data belongs to.
pub fn account() -> AccountId {
    AccountId::parse("F50091").unwrap()
}

/// Returns the initial time of scenarios: 2026-09-01T12:00:00Z.
pub fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 9, 1, 12, 0, 0).unwrap()
}

/// A source of ids that count up. Clones share the counter.
#[derive(Clone)]
pub struct CountingIds(Rc<dyn Fn() -> Uuid>);

impl CountingIds {
    /// Creates a source whose ids count up from `first`.
    pub fn starting_at(first: u128) -> Self {
        let next = Cell::new(first);
        Self(Rc::new(move || Uuid::from_u128(next.replace(next.get() + 1))))
    }

    /// Returns the next id.
    pub fn next_id(&self) -> Uuid {
        (self.0)()
    }

    /// Returns the source for a [`Stamp`](crate::stamp::Stamp).
    pub fn source(&self) -> &dyn Fn() -> Uuid {
        &*self.0
    }
}

impl fmt::Debug for CountingIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingIds").finish_non_exhaustive()
    }
}
