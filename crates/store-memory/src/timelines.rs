//! Timelines of accounts.

use crate::MemoryStore;
use crate::deliveries;
use crate::idempotency::once;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal};
use florin_ports::{AccountTimeline, ClockCommand, DueHold, StoreError, Timelines, WriteError, Written};

/// Returns the timeline of an account.
pub(crate) fn of_account(account: &Account) -> AccountTimeline {
    AccountTimeline { account: account.id.clone(), timeline: account.timeline.clone() }
}

#[async_trait]
impl Timelines for MemoryStore {
    async fn set_clock(&self, command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>> {
        self.decide(|data| {
            if !data.accounts.contains_key(&command.account) {
                return Err(WriteError::Absent);
            }
            once(data, command.claim.as_ref(), |data| {
                let account = data.accounts.get_mut(&command.account).ok_or(WriteError::Absent)?;
                let reading = (command.decide)(&account.timeline.clock).map_err(WriteError::Refused)?;
                account.timeline.clock = reading.clock;
                data.id_counters.entry(command.account.clone()).or_default();
                deliveries::resume_after_clock_change(data, &command.account);
                Ok(reading)
            })
        })
    }

    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError> {
        self.change(|data| {
            let missing = || StoreError::NotFound(format!("a timeline of account {account}"));
            let number = data.id_counters.get_mut(account).ok_or_else(missing)?;
            *number += 1;
            Ok(*number)
        })
    }

    async fn accounts_with_timeline(&self) -> Result<Vec<AccountTimeline>, StoreError> {
        Ok(self.read(|data| {
            let own = data.accounts.values().filter(|account| data.id_counters.contains_key(&account.id));
            own.map(of_account).collect()
        }))
    }

    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError> {
        let mut due: Vec<_> = self.read(|data| {
            let own = data.chains.values().filter(|chain| chain.account == *account);
            own.filter_map(|chain| Some((chain.due_at().filter(|due_at| *due_at <= now)?, chain.id))).collect()
        });
        due.sort();
        let hold = |(_, chain)| DueHold { account: account.clone(), chain };
        Ok(due.into_iter().take(usize::try_from(max).unwrap_or(usize::MAX)).map(hold).collect())
    }
}
