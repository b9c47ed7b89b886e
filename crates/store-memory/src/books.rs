//! Adds up the books of accounts, and explains balances.

use crate::MemoryStore;
use crate::data::Data;
use crate::{hash_chains, merchant_books};
use async_trait::async_trait;
use florin_domain::batch::{PaymentBatch, PaymentBatchStatus, PaymentOrder, PaymentTerms};
use florin_domain::books::{
    AccountBooks, Booking, BudgetBooks, DisputeBooks, ExplanationParts, KindSum, LimitTally, MAX_LISTED, OpenHold,
    OpenItems, Reservation, budget_postings,
};
use florin_domain::card::{Chain, Dispute};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{JournalTransaction, Leg, Pool};
use florin_domain::money::{Currency, Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::{Books, ExplainResult, StoreError};
use std::cmp::Reverse;

#[async_trait]
impl Books for MemoryStore {
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<ExplainResult, StoreError> {
        Ok(self.read(|data| match data.budgets.get(&(account.clone(), budget)) {
            None => ExplainResult::NoBudget,
            Some(_) => parts(data, account, (budget, currency), page)
                .map_or(ExplainResult::NoBalance, |parts| ExplainResult::Parts(Box::new(parts))),
        }))
    }

    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError> {
        Ok(self.read(|data| {
            let of_account = data.cards.values().filter(|(card, _)| card.account == *account);
            let limits = of_account
                .flat_map(|(card, limits)| limits.iter().map(|limit| (card.id, card.currency, limit.clone())));
            let mut tally = LimitTally::of(limits);
            data.messages
                .values()
                .filter(|message| message.account == *account)
                .for_each(|message| tally.count_message(message));
            let chains = data.chains.values().filter(|chain| chain.account == *account);
            chains.for_each(|chain| tally.count_chain(chain.card, &chain.counted));
            AccountBooks { limits: tally.into_books(), ..gather(data, Some(account)) }
        }))
    }
}

/// Sums the books of one account or of all accounts, without spending limits.
pub(crate) fn gather(data: &Data, account: Option<&AccountId>) -> AccountBooks {
    let matches = |of: &AccountId| account.is_none_or(|account| account == of);
    let mut books = AccountBooks::default();
    for transaction in data.journal.values().filter(|transaction| matches(&transaction.account)) {
        books.transactions += 1;
        for (budget, pool, amount) in budget_postings(transaction) {
            entry_of(&mut books, &transaction.account, (budget, transaction.currency)).posted.add(pool, amount);
        }
    }
    for budget in data.budgets.values().filter(|budget| matches(&budget.account)) {
        for (currency, balances) in &budget.balances {
            let entry = entry_of(&mut books, &budget.account, (budget.id, *currency));
            entry.has_balances = true;
            entry.stated = (*balances).into();
        }
    }
    for chain in data.chains.values().filter(|chain| matches(&chain.account) && is_open(chain)) {
        books.open_holds += 1;
        let entry = entry_of(&mut books, &chain.account, (chain.budget, chain.currency));
        entry.holds = entry.holds.plus(chain.held().into());
    }
    for batch in data.batches.values().filter(|batch| matches(&batch.account)) {
        for (order, rest) in open_orders(data, batch) {
            books.open_orders += 1;
            let entry = entry_of(&mut books, &batch.account, (order.budget, order.currency));
            entry.reservations = entry.reservations.plus(rest.into());
        }
    }
    books.disputes = disputes(data, matches);
    books.chains = hash_chains::gather(data, matches);
    books.merchant = merchant_books::gather(data, matches);
    books
}

/// Collects what disputes, their chains and the journal contain about the same money.
fn disputes(data: &Data, matches: impl Fn(&AccountId) -> bool) -> Vec<DisputeBooks> {
    let collected = |dispute: &Dispute| {
        let messages: Vec<_> = dispute.credit.into_iter().chain(dispute.state.settlement()).collect();
        let of_dispute = |journal: &&JournalTransaction| {
            journal.account == dispute.account && messages.iter().any(|message| message.0 == journal.cause)
        };
        let legs = data.journal.values().filter(of_dispute).flat_map(JournalTransaction::legs);
        let caused = legs.flat_map(Leg::postings);
        let paid: Total = caused.filter(|one| one.pool == Pool::CardNetwork).map(|one| Total::from(one.amount)).sum();
        let same_chain = data.disputes.values().filter(|other| {
            (&other.account, other.chain) == (&dispute.account, dispute.chain) && other.state.status().claims()
        });
        let chain = data.chains.get(&(dispute.account.clone(), dispute.chain));
        DisputeBooks {
            dispute: dispute.id,
            currency: dispute.currency,
            expected: dispute.credited(),
            credited: Total::ZERO.minus(paid),
            stored_claim: chain.map(|chain| chain.disputed).unwrap_or_default(),
            claimed: same_chain.map(|other| Total::from(other.amount)).sum(),
            cleared: chain.map(|chain| chain.cleared).unwrap_or_default(),
        }
    };
    let mut found: Vec<_> = data.disputes.values().filter(|dispute| matches(&dispute.account)).map(collected).collect();
    found.sort_by_key(|dispute| dispute.dispute);
    found
}

fn entry_of<'a>(
    books: &'a mut AccountBooks,
    account: &AccountId,
    (budget, currency): (BudgetId, Currency),
) -> &'a mut BudgetBooks {
    books.budgets.entry((account.clone(), budget, currency)).or_default()
}

fn is_open(chain: &Chain) -> bool {
    chain.end().is_none() && !chain.held().is_zero()
}

/// Returns the orders of a confirmed or started batch with the amounts that they still have to pay.
fn open_orders<'a>(data: &'a Data, batch: &'a PaymentBatch) -> impl Iterator<Item = (&'a PaymentOrder, Minor)> {
    let is_open = matches!(batch.status(), PaymentBatchStatus::Confirmed | PaymentBatchStatus::Started);
    let rest = move |order: &'a PaymentOrder| {
        let payments = data.payments.values().filter(|payment| {
            payment.account == batch.account && payment.batch == batch.id && payment.status().is_final()
        });
        let ended = payments.filter_map(|payment| payment.terms().filter(|terms| terms.order == order.id));
        let ended: i64 = ended.filter_map(PaymentTerms::cost).map(|cost| cost.0).sum();
        (order, Minor(order.cost().unwrap_or_default().0 - ended))
    };
    batch.orders.iter().filter(move |_| is_open).map(rest)
}

fn parts(
    data: &Data,
    account: &AccountId,
    (budget, currency): (BudgetId, Currency),
    page: PageRequest,
) -> Option<ExplanationParts> {
    let stated = data.budgets.get(&(account.clone(), budget))?.in_currency(currency)?.into();
    let of_account = data.journal.values().filter(|journal| journal.account == *account);
    let of_currency = of_account.filter(|journal| journal.currency == currency);
    let mut bookings: Vec<_> = of_currency.filter_map(|transaction| Booking::of(transaction, budget)).collect();
    bookings.sort_by_key(|booking| Reverse((booking.at, booking.journal)));
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let (newer, rest) = bookings.split_at(size(page.offset).min(bookings.len()));
    Some(ExplanationParts {
        budget,
        currency,
        stated,
        sums: KindSum::of_each(&bookings),
        bookings: rest.iter().take(size(page.limit)).cloned().collect(),
        skipped: Booking::total(newer),
        holds: holds(data, account, (budget, currency)),
        reservations: reservations(data, account, (budget, currency)),
    })
}

fn holds(data: &Data, account: &AccountId, of: (BudgetId, Currency)) -> OpenItems<OpenHold> {
    let of_account = data.chains.values().filter(|chain| chain.account == *account && is_open(chain));
    let mut rows: Vec<_> = of_account
        .filter(|chain| (chain.budget, chain.currency) == of)
        .filter_map(|chain| {
            let Chain { id, card, created_at, .. } = *chain;
            Some(OpenHold { chain: id, card, amount: chain.held(), created_at, due_at: chain.due_at()? })
        })
        .collect();
    rows.sort_by_key(|hold| (hold.due_at, hold.chain));
    capped(rows, |hold| hold.amount)
}

fn reservations(data: &Data, account: &AccountId, of: (BudgetId, Currency)) -> OpenItems<Reservation> {
    let mut batches: Vec<_> = data.batches.values().filter(|batch| batch.account == *account).collect();
    batches.sort_by_key(|batch| (batch.created_at, batch.id));
    let rows = batches.into_iter().flat_map(|batch| {
        let orders =
            open_orders(data, batch).filter(|(order, rest)| (order.budget, order.currency) == of && !rest.is_zero());
        orders.map(|(order, amount)| Reservation { batch: batch.id, order: order.id, status: batch.status(), amount })
    });
    capped(rows.collect(), |reservation| reservation.amount)
}

fn capped<T>(mut rows: Vec<T>, amount: impl Fn(&T) -> Minor) -> OpenItems<T> {
    let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let total = rows.iter().map(|row| Total::from(amount(row))).sum();
    rows.truncate(MAX_LISTED);
    OpenItems { count, total, rows }
}
