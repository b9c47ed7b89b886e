//! Activity, and the feed of its changes.

use crate::MemoryStore;
use crate::data::Data;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::activity::{
    Activity, ActivityChanges, ActivityCursor, ActivityDetail, ActivityFilter, ActivityKey, ActivitySource,
    CreditDetail, PaymentNumbers,
};
use florin_domain::card::CardTransaction;
use florin_domain::event::EventPosition;
use florin_domain::ids::{AccountId, ActivityId, PaymentId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, StoreError};
use std::collections::BTreeMap;

#[async_trait]
impl Activities for MemoryStore {
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        let mut found = self.read(|data| all_movements(data, account));
        found.retain(|row| filter.matches(row));
        found.sort_by_key(Activity::order);
        Ok(paginate(found, page))
    }

    async fn find(&self, account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError> {
        Ok(self.read(|data| all_movements(data, account)).into_iter().find(|row| has_key(row, key)))
    }

    async fn changes(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64,
    ) -> Result<Option<ActivityChanges>, StoreError> {
        Ok(self.read(|data| changes(data, account, &filter, after, usize::try_from(max).unwrap_or(usize::MAX))))
    }
}

fn changes(
    data: &Data,
    account: &AccountId,
    filter: &ActivityFilter,
    after: Option<ActivityCursor>,
    max: usize,
) -> Option<ActivityChanges> {
    let epoch = data.accounts.get(account).map(|account| account.epoch).unwrap_or_default();
    let after = after.unwrap_or(ActivityCursor::beginning(epoch));
    if after.epoch != epoch {
        return None;
    }
    let place = |row: &Activity| {
        let position = data.positions.get(&(account.clone(), row.id)).copied()?;
        Some(ActivityCursor { epoch, position, id: row.id })
    };
    let matching = all_movements(data, account).into_iter().filter(|row| filter.matches(row));
    let mut rows: Vec<_> = matching.filter_map(|row| Some((place(&row)?, row))).collect();
    rows.retain(|(place, _)| *place > after);
    rows.sort_by_key(|(place, _)| *place);
    let is_last_page = rows.len() <= max;
    rows.truncate(max);
    let end = ActivityCursor::after_all(epoch, data.last_position.0);
    let last = rows.last().map(|(place, _)| *place).filter(|_| !is_last_page);
    let next = last.unwrap_or_else(|| end.max(after));
    Some(ActivityChanges { rows: rows.into_iter().map(|(_, row)| row).collect(), next })
}

/// Gives changed movements new positions.
pub(crate) fn renew_positions(data: &mut Data, account: &AccountId, ids: impl IntoIterator<Item = ActivityId>) {
    for id in ids {
        let position = next_position(data);
        data.positions.insert((account.clone(), id), position);
    }
}

/// Begins a new epoch: earlier cursors of the account become invalid.
pub(crate) fn begin_epoch(data: &mut Data, account: &AccountId) {
    let epoch = next_position(data);
    if let Some(account) = data.accounts.get_mut(account) {
        account.epoch = epoch;
    }
}

fn next_position(data: &mut Data) -> i64 {
    data.last_position = EventPosition(data.last_position.0.saturating_add(1));
    data.last_position.0
}

/// Returns whether a key identifies a movement.
fn has_key(row: &Activity, key: ActivityKey) -> bool {
    let of_budget = !matches!(row.source(), ActivitySource::Card | ActivitySource::Payment);
    match (key, &row.detail) {
        (ActivityKey::Transaction(token), ActivityDetail::Card(chain)) => {
            chain.first.token == token || chain.follow_ups.iter().any(|message| message.token == token)
        }
        (ActivityKey::Transaction(token), _) => of_budget && row.id == ActivityId(token.0),
        (ActivityKey::Payment(id), ActivityDetail::Payment { payment, .. }) => payment.id == id,
        (ActivityKey::Payment(_), _) => false,
        (ActivityKey::BudgetMovement(id), _) => of_budget && row.id == id,
        (ActivityKey::Number(number), _) => row.numbers().any(|own| own == number),
    }
}

/// Returns all movements of an account, in any order.
fn all_movements(data: &Data, account: &AccountId) -> Vec<Activity> {
    let firsts = data.messages.values().filter(|message| message.account == *account && message.token == message.chain);
    let chains = firsts.filter_map(|first| chain_movement(data, first));
    let journal = data.journal.values().filter(|transaction| transaction.account == *account);
    let detail = |journal| {
        let mut credits = data.credits.values().filter(|(of, credit)| *of == journal && credit.account == *account);
        credits.next().map(|(_, credit)| CreditDetail::from(credit))
    };
    let credits = journal.filter_map(|transaction| Activity::of_journal(transaction, detail(transaction.id)));
    let numbers = numbers_of_payments(data, account);
    let payments = data.payments.values().filter(|payment| payment.account == *account);
    let payments = payments.filter_map(|payment| {
        let batch = data.batches.get(&(account.clone(), payment.batch))?;
        let numbers = numbers.get(&payment.id).copied().unwrap_or_default();
        Activity::of_payment(payment.clone(), numbers, batch.state.confirmation().map(|confirmation| confirmation.at))
    });
    let transfers = data.transfers.values().filter(|transfer| transfer.account == *account);
    let transfers = transfers.filter_map(Activity::of_transfer).flatten();
    chains.chain(credits).chain(payments).chain(transfers).collect()
}

/// Returns the numbers of the payments of an account. Payments without a number are absent.
fn numbers_of_payments(data: &Data, account: &AccountId) -> BTreeMap<PaymentId, PaymentNumbers> {
    let mut numbers: BTreeMap<PaymentId, PaymentNumbers> = BTreeMap::new();
    for transaction in data.journal.values().filter(|transaction| transaction.account == *account) {
        if let Some(number) = transaction.number {
            numbers.entry(PaymentId(transaction.cause)).or_default().add(transaction.kind, number);
        }
    }
    numbers
}

/// Returns the movement of the chain that begins with a message.
fn chain_movement(data: &Data, first: &CardTransaction) -> Option<Activity> {
    let key = (first.account.clone(), first.token);
    let of_chain = |message: &&CardTransaction| message.account == first.account && message.chain == first.token;
    let follow_ups = data.messages.values().filter(of_chain).filter(|message| message.token != first.token);
    let (card, _) = data.cards.get(&(first.account.clone(), first.card))?;
    let record = data.card_records.get(&(card.account.clone(), card.id));
    let person = record.and_then(|record| record.person.as_ref()).map(|personal| personal.person);
    Activity::of_chain(first.clone(), follow_ups.cloned().collect(), data.chains.get(&key), person)
}
