//! Bugs in reads of activity and books.

use crate::bugs::{Bug, Mutant};
use async_trait::async_trait;
use florin_domain::activity::{Activity, ActivityDetail, ActivityFilter};
use florin_domain::books::{AccountBooks, Pools};
use florin_domain::ids::{AccountId, ActivityId, BudgetId};
use florin_domain::money::{Currency, Total};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, Books, Explained, Registry, StoreError};

#[async_trait]
impl Activities for Mutant {
    async fn list(
        &self,
        account: &AccountId,
        mut filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        if self.has(Bug::ActivityStatusIgnored) {
            filter.status = None;
        }
        let mut found = Activities::list(&self.inner, account, filter, page).await?;
        if self.has(Bug::ActivityOldestFirst) {
            found.rows.reverse();
        }
        if self.has(Bug::ActivityCountFollowsThePage) {
            found.count = i64::try_from(found.rows.len()).unwrap();
        }
        Ok(found)
    }

    async fn find(&self, account: &AccountId, id: ActivityId) -> Result<Option<Activity>, StoreError> {
        let mut found = Activities::find(&self.inner, account, id).await?;
        if self.has(Bug::NoTenantFilterOnActivities) {
            for other in self.inner.accounts().await? {
                found = found.or(Activities::find(&self.inner, &other.id, id).await?);
            }
        }
        if let Some(ActivityDetail::Credit(Some(credit))) = found.as_mut().map(|found| &mut found.detail)
            && self.has(Bug::CreditTextsTrimmed)
        {
            credit.reference = credit.reference.take().map(|text| text.trim().to_owned());
        }
        Ok(found)
    }
}

#[async_trait]
impl Books for Mutant {
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<Explained, StoreError> {
        let mut found = self.inner.explain(account, budget, currency, page).await?;
        if let Explained::Parts(parts) = &mut found {
            if self.has(Bug::ExplanationForgetsTheSkipped) {
                parts.skipped = Pools::default();
            }
            if self.has(Bug::ExplanationHidesHolds) {
                parts.holds.rows.clear();
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
            books.limits.iter_mut().for_each(|limit| limit.most_uses += 1);
        }
        if self.has(Bug::BooksWithoutReservations) {
            books.budgets.values_mut().for_each(|budget| budget.reservations = Total::ZERO);
        }
        Ok(books)
    }
}
