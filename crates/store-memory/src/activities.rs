//! Activity.

use crate::MemoryStore;
use crate::data::Data;
use crate::pages::cut;
use async_trait::async_trait;
use florin_domain::activity::{Activity, ActivityFilter, CreditDetail};
use florin_domain::ids::{AccountId, ActivityId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, StoreError};

#[async_trait]
impl Activities for MemoryStore {
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        let mut found = self.read(|data| all(data, account));
        found.retain(|row| filter.matches(row));
        found.sort_by_key(Activity::order);
        Ok(cut(found, page))
    }

    async fn find(&self, account: &AccountId, id: ActivityId) -> Result<Option<Activity>, StoreError> {
        Ok(self.read(|data| all(data, account)).into_iter().find(|row| row.id == id))
    }
}

/// Returns all movements of an account, in any order.
fn all(data: &Data, account: &AccountId) -> Vec<Activity> {
    let messages = data.messages.values().filter(|message| message.account == *account);
    let journal = data.journal.values().filter(|transaction| transaction.account == *account);
    let payments = data.payments.values().filter(|payment| payment.account == *account);
    let detail = |journal| {
        let mut credits = data.credits.values().filter(|(of, credit)| *of == journal && credit.account == *account);
        credits.next().map(|(_, credit)| CreditDetail::from(credit))
    };
    let credits = journal.filter_map(|transaction| Activity::of_journal(transaction, detail(transaction.id)));
    let payments = payments.cloned().filter_map(Activity::of_payment);
    let transfers = data.transfers.values().filter(|transfer| transfer.account == *account).cloned();
    let transfers = transfers.filter_map(Activity::of_transfer);
    messages.cloned().map(Activity::from).chain(credits).chain(payments).chain(transfers).collect()
}
