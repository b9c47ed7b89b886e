//! Bugs in reads of activity and books.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DurationRound, TimeDelta};
use florin_domain::activity::{
    Activity, ActivityChanges, ActivityCursor, ActivityDetail, ActivityFilter, ActivityKey, ActivitySource,
};
use florin_domain::books::{AccountBooks, ChainBooks, ExplanationParts, PoolSums};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::HashChain;
use florin_domain::money::{Currency, Total};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, Books, ExplainResult, Registry, StoreError};

#[async_trait]
impl Activities for Mutant {
    async fn list(
        &self,
        account: &AccountId,
        mut filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        if self.has(Bug::ActivityStatusIgnored) {
            filter.statuses.clear();
        }
        if self.has(Bug::ActivityOwnersIgnored) {
            filter.people.clear();
        }
        if self.has(Bug::NumbersNotSearched) && filter.search.as_ref().is_some_and(|search| search.number().is_some()) {
            return Ok(Page { count: 0, rows: Vec::new() });
        }
        let of_some_budgets = !filter.budgets.is_empty();
        let mut found = Activities::list(&self.inner, account, filter.clone(), page).await?;
        if self.has(Bug::ActivityOfAnyBudget) && of_some_budgets {
            let every = ActivityFilter { budgets: vec![], ..filter.clone() };
            let mut all = Activities::list(&self.inner, account, every, page).await?;
            let mut ids = Vec::new();
            for other in self.inner.accounts().await? {
                let rows = Activities::list(&self.inner, &other.id, filter.clone(), page).await?.rows;
                ids.extend(rows.into_iter().map(|row| row.id));
            }
            all.rows.retain(|row| ids.contains(&row.id));
            all.count = i64::try_from(all.rows.len()).unwrap();
            found = all;
        }
        if self.has(Bug::TransfersOfTheSenderOnly) && of_some_budgets {
            found.rows.retain(|row| row.source() != ActivitySource::Load);
            found.count = i64::try_from(found.rows.len()).unwrap();
        }
        if self.has(Bug::ActivityOldestFirst) {
            found.rows.reverse();
        }
        if self.has(Bug::ActivityCountFollowsThePage) {
            found.count = i64::try_from(found.rows.len()).unwrap();
        }
        Ok(found)
    }

    async fn find(&self, account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError> {
        if self.has(Bug::ChainsByTheFirstTokenOnly)
            && let ActivityKey::Transaction(token) = key
        {
            let found = Activities::find(&self.inner, account, key).await?;
            return Ok(found.filter(|row| row.id.0 == token.0));
        }
        let mut found = Activities::find(&self.inner, account, key).await?;
        if self.has(Bug::PaymentsWithoutNumbers) && matches!(key, ActivityKey::Number(_)) {
            found = found.filter(|row| !matches!(row.source(), ActivitySource::Payment | ActivitySource::TopUp));
        }
        if self.has(Bug::NoTenantFilterOnActivities) {
            for other in self.inner.accounts().await? {
                found = found.or(Activities::find(&self.inner, &other.id, key).await?);
            }
        }
        if let Some(found) = found.as_mut().filter(|_| self.has(Bug::TransfersInMilliseconds)) {
            found.created_at = found.created_at.duration_trunc(TimeDelta::milliseconds(1)).unwrap();
        }
        if let Some(ActivityDetail::Credit(Some(credit))) = found.as_mut().map(|found| &mut found.detail)
            && self.has(Bug::CreditTextsTrimmed)
        {
            credit.reference = credit.reference.take().map(|text| text.trim().to_owned());
        }
        Ok(found)
    }

    async fn changes(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64,
    ) -> Result<Option<ActivityChanges>, StoreError> {
        let mut found = Activities::changes(&self.inner, account, filter.clone(), after, max).await?;
        if let (None, Some(after)) = (&found, after.filter(|_| self.has(Bug::CursorsSurviveARestore))) {
            let now = Activities::changes(&self.inner, account, filter.clone(), None, 1).await?.unwrap().next;
            let after = ActivityCursor { epoch: now.epoch, ..after };
            found = Activities::changes(&self.inner, account, filter, Some(after), max).await?;
        }
        if let Some(found) = found.as_mut() {
            match self.bug {
                // This cursor passes the next position, as if a transaction had drawn it but not committed yet.
                Some(Bug::FeedPassesUncommitted) => found.next.position += 1,
                Some(Bug::FollowUpsKeepThePosition) if after.is_some() => found.rows.retain(|row| match &row.detail {
                    ActivityDetail::Card(chain) => chain.follow_ups.is_empty(),
                    _ => true,
                }),
                _ => {}
            }
        }
        Ok(found)
    }
}

impl Mutant {
    /// Replaces the sums with those of an earlier explanation if the bug does so.
    fn start_from_checkpoint(&self, parts: &mut ExplanationParts) {
        let count = |parts: &ExplanationParts| parts.sums.iter().map(|sum| sum.count).sum::<i64>();
        let mut explained = self.explained.lock().unwrap();
        let newest = |parts: &ExplanationParts| parts.bookings.first().map(|booking| (booking.at, booking.journal));
        if let Some(earlier) = explained.get(&parts.budget).filter(|_| count(parts) > 100) {
            let replaces = match self.bug {
                Some(Bug::LateMovementsAreMissed) => newest(parts) <= newest(earlier),
                Some(Bug::CheckpointsNeverContinue) => true,
                Some(Bug::CheckpointsSurviveARestore) => count(parts) <= count(earlier),
                _ => false,
            };
            if replaces {
                parts.sums.clone_from(&earlier.sums);
                return;
            }
        }
        if self.has(Bug::CheckpointsOfEveryBudget)
            && let Some(other) = explained.values().find(|other| other.budget != parts.budget)
        {
            parts.sums.clone_from(&other.sums);
        }
        if parts.skipped == PoolSums::default() {
            explained.insert(parts.budget, parts.clone());
        }
    }
}

#[async_trait]
impl Books for Mutant {
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        mut page: PageRequest,
    ) -> Result<ExplainResult, StoreError> {
        if self.has(Bug::StartsOnTheWrongSideOfACheckpoint) && page.offset > 1_000 {
            page.offset = page.offset.saturating_sub(1);
        }
        let mut found = self.inner.explain(account, budget, currency, page).await?;
        if let ExplainResult::Parts(parts) = &mut found {
            self.start_from_checkpoint(parts);
            if self.has(Bug::ExplanationForgetsTheSkipped) {
                parts.skipped = PoolSums::default();
            }
            match self.bug {
                Some(Bug::ExplanationHidesHolds) => parts.holds.rows.clear(),
                Some(Bug::PaidOrdersCount) => parts.reservations.count = parts.reservations.count.max(1),
                Some(Bug::ReservationsById) => parts.reservations.rows.sort_by_key(|row| row.batch),
                Some(Bug::SumsWrapAround) => parts.sums.iter_mut().for_each(|sum| {
                    #[expect(clippy::cast_possible_truncation, reason = "this is the bug")]
                    let wrapped = sum.moved.available.0 as i64;
                    sum.moved.available = Total(wrapped.into());
                }),
                _ => {}
            }
        }
        Ok(found)
    }

    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError> {
        let mut books = self.inner.books(account).await?;
        if self.has(Bug::BooksOfAll) {
            for other in self.inner.accounts().await? {
                books.budgets.extend(self.inner.books(&other.id).await?.budgets);
            }
        }
        if self.has(Bug::DaysOfAnotherZone) {
            books.limits.iter_mut().for_each(|limit| limit.max_uses += 1);
        }
        books.open_holds += i64::from(self.has(Bug::RefundsAreHolds));
        if self.has(Bug::BooksWithoutReservations) {
            books.budgets.values_mut().for_each(|budget| budget.reservations = Total::ZERO);
        }
        if self.has(Bug::RefundsSettleNothing) {
            books.merchant.settlements.values_mut().for_each(|settlement| settlement.refunded = Total::ZERO);
        }
        if self.has(Bug::LegsAreNotLinked) {
            books.chains.values_mut().for_each(|chain| *chain = ChainBooks::default());
        }
        if self.has(Bug::SettlementsAreNotLinked) {
            books.chains.retain(|(_, chain), _| *chain != HashChain::Settlements);
        }
        Ok(books)
    }
}
