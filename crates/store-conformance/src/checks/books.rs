//! Checks of the books of an account: explanations and invariants read one consistent view.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_checkout, add_paid_session, add_refund, add_session, approval, refund_step};
use crate::commands::{MessageResult, clearing, credit, first, follow_up, message, purchase, stamp_at, token};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::balances;
use crate::payments::{
    add_confirmed_batch, after, batch_id, cancel, claim_one, payment_id, record, start, start_payments,
};
use crate::seed_data::{Who, batch, gbp, jpy, noon, seed_data, seed_store, uuid};
use crate::together::{Work, in_order};
use chrono::TimeDelta;
use florin_domain::batch::{BatchState, Confirmation, FailureReason, PaymentBatchStatus, PaymentOrder, PaymentOutcome};
use florin_domain::books::{
    BalanceExplanation, Invariant, MAX_LISTED, PoolSums, SettlementBooks, check_books, explain,
};
use florin_domain::card::decide::FirstKind;
use florin_domain::checkout::RefundAction;
use florin_domain::ids::{BudgetId, JournalId, OrderId, PaymentBatchId};
use florin_domain::ledger::{Balances, JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::{Currency, Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::ExplainResult;

checks! {
    "books.explain.adds_up_after_everything" => adds_up_after_everything,
    "books.explain.pages_run_on" => pages_run_on,
    "books.explain.shows_open_holds_those_due_first" => open_holds,
    "books.explain.shows_what_is_not_paid_yet" => shows_what_is_not_paid_yet,
    "books.explain.counts_more_than_it_shows" => counts_more_than_it_shows,
    "books.explain.sums_by_kind" => sums_by_kind,
    "books.explain.unknown_budgets_and_currencies" => unknown_budgets_and_currencies,
    "books.explain.sees_one_moment" => sees_one_moment,
    "books.books.hold_after_everything" => books_hold_after_everything,
    "books.books.count_what_was_read" => books_count_what_was_read,
    "books.books.add_up_the_payments_of_merchants" => books_add_up_the_payments_of_merchants,
    "books.books.see_one_moment" => books_in_one_moment,
    "tenancy.books.foreign_budgets_are_absent" => foreign_budgets_are_absent,
}

async fn explained(
    handle: &Handle,
    budget: BudgetId,
    currency: Currency,
    page: PageRequest,
) -> Result<BalanceExplanation, Failure> {
    match handle.books.explain(&Who::Main.account()?, budget, currency, page).await? {
        ExplainResult::Parts(parts) => Ok(explain(*parts, page)),
        other => Err(Failure::new(format!("there is nothing to explain: {other:?}"))),
    }
}

async fn full_explanation(handle: &Handle) -> Result<BalanceExplanation, Failure> {
    explained(handle, Who::Main.budget(), gbp()?, PageRequest { limit: 1000, offset: 0 }).await
}

/// Creates holds, clearings, a credit and two batches: one confirmed, one in processing.
async fn create_movements(handle: &Handle) -> CheckResult {
    seed_store(handle).await?;
    for number in 1..=4 {
        let at = noon() + TimeDelta::seconds(i64::try_from(10 - number).unwrap_or(0));
        let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "10")?, stamp_at(number, at))?;
        expect_new(handle.cards.first_message(command).await)?;
    }
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 5, clearing("8", true)?)?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(2), 6, clearing("4", false)?)?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 7, "1.25", gbp()?)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Other, 8, "3")?).await)?;
    add_confirmed_batch(handle, Who::Main, 1, 6).await?;
    let lease = claim_one(handle, 1, after(90)).await?;
    handle.processing.start(start(&lease, 5000)).await?;
    handle.processing.start_payments(start_payments(&lease, 4, 6000)).await?;
    let failed = PaymentOutcome::Failed(FailureReason::Compliance);
    handle.processing.record(record(&lease, &[payment_id(100_000)], PaymentOutcome::Completed, None, 7000)).await?;
    handle.processing.record(record(&lease, &[payment_id(100_002)], failed, None, 7100)).await?;
    add_confirmed_batch(handle, Who::Main, 2, 4).await?;
    Ok(())
}

async fn adds_up_after_everything(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let fresh_one = full_explanation(&handle).await?;
    expect_true("a prepared balance does not add up", fresh_one.adds_up() && fresh_one.bookings.count == 1)?;
    create_more_movements(&handle).await?;
    let seen = full_explanation(&handle).await?;
    expect_true(&format!("it does not add up: {:?}", seen.proofs), seen.adds_up())?;
    let stated = PoolSums::from(balances(&handle, Who::Main, gbp()?).await?);
    same("the balance", seen.stated, stated)?;
    same("the newest", expect_some("a row", seen.bookings.rows.first())?.after, stated)?;
    let oldest = expect_some("a row", seen.bookings.rows.last())?;
    same("the oldest", oldest.after, oldest.booking.moved)
}

/// Creates holds, a clearing above its hold, a confirmed batch, and a batch that is confirmed and then cancelled.
async fn create_more_movements(handle: &Handle) -> CheckResult {
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, clearing("30", true)?)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 3, "5")?).await)?;
    add_confirmed_batch(handle, Who::Main, 1, 6).await?;
    add_confirmed_batch(handle, Who::Main, 2, 6).await?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(2), 9000)?).await)?;
    Ok(())
}

async fn pages_run_on(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let all = full_explanation(&handle).await?.bookings;
    same("the number of rows", i64::try_from(all.rows.len()).unwrap_or(-1), all.count)?;
    let mut ordered = all.rows.clone();
    ordered.sort_by_key(|row| std::cmp::Reverse((row.booking.at, row.booking.journal)));
    same("the order", &ordered, &all.rows)?;
    for limit in [1, 3, 5] {
        let mut seen = Vec::new();
        for offset in (0..all.count).step_by(usize::try_from(limit).unwrap_or(1)) {
            let page = PageRequest { limit, offset };
            let page = explained(&handle, Who::Main.budget(), gbp()?, page).await?;
            same("the count", (page.bookings.count, page.adds_up()), (all.count, true))?;
            seen.extend(page.bookings.rows);
        }
        same(&format!("pages of {limit}, put together"), &seen, &all.rows)?;
    }
    let past = explained(&handle, Who::Main.budget(), gbp()?, PageRequest { limit: 5, offset: i64::MAX }).await?;
    same("past the end", (past.bookings.count, past.bookings.rows.len(), past.adds_up()), (all.count, 0, true))
}

async fn open_holds(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let seen = full_explanation(&handle).await?.holds;
    let found: Vec<_> = seen.rows.iter().map(|hold| (hold.chain, hold.amount)).collect();
    same("the holds", found, vec![(token(4), Minor(1000)), (token(3), Minor(1000)), (token(2), Minor(600))])?;
    same("the number and the sum of the holds", (seen.count, seen.total), (3, Total(2600)))?;
    let first = expect_some("a hold", seen.rows.first())?;
    let due = noon() + TimeDelta::seconds(6) + florin_domain::card::HoldLife::DEFAULT;
    same("the first", (first.card, first.due_at), (Who::Main.card(), due))
}

async fn shows_what_is_not_paid_yet(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let seen = full_explanation(&handle).await?.reservations;
    let found: Vec<_> = seen.rows.iter().map(|one| (one.batch, one.status)).collect();
    let expected = vec![(batch_id(1), PaymentBatchStatus::Started), (batch_id(2), PaymentBatchStatus::Confirmed)];
    same("the batches", found, expected)?;
    let sum: Total = seen.rows.iter().map(|one| Total::from(one.amount)).sum();
    same("their sum", (seen.count, sum), (2, seen.total))?;
    let stated = balances(&handle, Who::Main, gbp()?).await?.reserved();
    same("what is reserved", seen.total, stated.into())?;
    // Payments 0, 2 and 4 belong to this budget; two of them are final.
    let content = crate::payments::content(&handle, Who::Main, batch_id(1)).await?;
    let mut open = content.payments.iter().filter(|payment| payment.index == 4);
    let open = expect_some("a payment", open.find_map(|payment| payment.terms()?.cost()))?;
    same("what the first has still to pay", expect_some("a row", seen.rows.first())?.amount, open)
}

/// Creates more holds and more reserving orders than an explanation lists.
async fn counts_more_than_it_shows(handle: Handle) -> CheckResult {
    let (more, mut data) = (MAX_LISTED + 1, seed_data(100_000)?);
    let minor = Minor(i64::try_from(more).unwrap_or_default());
    let seed = &mut data.accounts[0];
    let confirmation = Confirmation { by: Some(Who::Main.client()), at: noon(), passed_mfa_check_at: None };
    for number in 0..more as u128 {
        let mut batch = batch(Who::Main, PaymentBatchId(uuid(56, number)), BatchState::Confirmed(confirmation))?;
        let order = PaymentOrder { id: OrderId(uuid(57, number)), total: Minor(1), ..batch.orders[0].clone() };
        batch.orders = vec![order];
        seed.batches.push(batch);
    }
    let budget = Who::Main.budget();
    let leg = Leg::new(Pool::Available(budget), Pool::Reserved(budget), minor)?;
    let (id, cause) = (JournalId(uuid(58, 1)), (JournalKind::BatchReservation, batch_id(1).0));
    let reserved = JournalTransaction::new(id, Who::Main.account()?, cause, gbp()?, noon(), leg)?;
    seed.budgets[0].journal.push(reserved);
    seed.budgets[0].budget.balances[0].1 = Balances::new(Minor(100_000 - minor.0), Minor(0), minor)?;
    handle.seeding.seed(data).await?;
    for numbers in (0..more as u128).collect::<Vec<_>>().chunks(100) {
        let mut work: Vec<Work<MessageResult>> = Vec::new();
        for number in numbers {
            let (cards, command) = (handle.cards.clone(), purchase(Who::Main, *number, "0.01")?);
            work.push(Box::pin(async move { cards.first_message(command).await }));
        }
        for answer in in_order(work).await {
            expect_new(answer)?;
        }
    }
    let (explanation, count) = (full_explanation(&handle).await?, minor.0);
    same(
        "holds",
        (explanation.holds.count, explanation.holds.rows.len(), explanation.holds.total),
        (count, MAX_LISTED, minor.into()),
    )?;
    let found = (explanation.reservations.count, explanation.reservations.rows.len(), explanation.reservations.total);
    same("reservations", found, (count, MAX_LISTED, minor.into()))?;
    expect_true("it does not add up", explanation.adds_up())
}

async fn sums_by_kind(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let seen = full_explanation(&handle).await?;
    let kinds: Vec<_> = seen.sums.iter().map(|sum| (sum.kind, sum.count)).collect();
    let expected = vec![
        (JournalKind::Credit, 2),
        (JournalKind::Card, 6),
        (JournalKind::BatchReservation, 2),
        (JournalKind::Payment, 1),
        (JournalKind::PaymentRelease, 1),
    ];
    same("the kinds", kinds, expected)?;
    let sum = seen.sums.iter().fold(PoolSums::default(), |sum, kind| sum.plus(kind.moved));
    same("their sum", sum, seen.stated)
}

async fn unknown_budgets_and_currencies(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let account = Who::Main.account()?;
    let page = PageRequest::default();
    let nowhere = handle.books.explain(&account, BudgetId(uuid(2, 99)), gbp()?, page).await?;
    same("an unknown budget", nowhere, ExplainResult::NoBudget)?;
    let euros = Currency::parse("EUR")?;
    let no_balance = handle.books.explain(&account, Who::Main.budget(), euros, page).await?;
    same("a currency in which the budget has no balance", no_balance, ExplainResult::NoBalance)?;
    let yen = explained(&handle, Who::Main.budget(), jpy()?, page).await?;
    same("the yen", (yen.stated.ledger(), yen.bookings.count, yen.adds_up()), (Total(5_000), 1, true))
}

async fn sees_one_moment(handle: Handle) -> CheckResult {
    let writing = start_writing(&handle).await?;
    for _ in 0..30 {
        let seen = full_explanation(&handle).await?;
        expect_true(&format!("it does not add up meanwhile: {:?}", seen.proofs), seen.adds_up())?;
    }
    writing.await.map_err(|error| Failure::new(error.to_string()))?
}

async fn books_add_up_the_payments_of_merchants(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in crate::seed_data::BOTH {
        let checkout = add_checkout(&handle, who, 1).await?;
        let base = u128::from(who.number()) * 10;
        let payment = add_paid_session(&handle, who, checkout, base + 1).await?.id;
        add_paid_session(&handle, who, checkout, base + 2).await?;
        add_session(&handle, who, checkout, base + 3).await?;
        for number in [base + 4, base + 5] {
            add_refund(&handle, who, payment, number).await?;
        }
        let at_bank = RefundAction::AtBank(approval(after(200)));
        expect_new(handle.merchant_payments.act(refund_step(who, base + 4, at_bank, (base + 4, after(200)))?).await)?;
    }
    let books = handle.books.books(&Who::Main.account()?).await?;
    expect_true(&format!("they do not hold: {books:?}"), check_books(&books).holds())?;
    let settled = books.merchant.settlements.into_iter().collect::<Vec<_>>();
    let key = (Who::Main.account()?, Who::Main.settlement_account().0, gbp()?);
    let sums = SettlementBooks { settled: Total(1_900), paid: Total(2_000), refunded: Total(100) };
    same("what was settled", settled, vec![(key, sums)])?;
    let refunded: Vec<_> = books.merchant.refunded.iter().map(|payment| (payment.amount, payment.refunded)).collect();
    same("what was refunded", refunded, vec![(Minor(1_000), Total(200))])?;
    same("sessions", (books.merchant.sessions, books.merchant.miscounted.len()), (3, 0))
}

async fn books_in_one_moment(handle: Handle) -> CheckResult {
    let writing = start_writing(&handle).await?;
    for _ in 0..30 {
        let report = check_books(&handle.books.books(&Who::Main.account()?).await?);
        expect_true(&format!("they do not hold meanwhile: {report:?}"), report.holds())?;
    }
    writing.await.map_err(|error| Failure::new(error.to_string()))?
}

/// Writes holds, clearings and credits while the check reads.
async fn start_writing(handle: &Handle) -> Result<tokio::task::JoinHandle<CheckResult>, Failure> {
    seed_store(handle).await?;
    let handle = handle.clone();
    Ok(tokio::spawn(async move {
        for number in 0..60_u128 {
            let base = number * 10 + 10;
            expect_new(handle.cards.first_message(purchase(Who::Main, base, "1")?).await)?;
            expect_new(handle.credits.credit(credit(Who::Main, base + 1, "1", gbp()?)?).await)?;
            let done = follow_up(Who::Main, token(base), base + 2, clearing("1", number % 2 == 0)?)?;
            expect_new(handle.cards.follow_up(done).await)?;
        }
        Ok(())
    }))
}

async fn books_hold_after_everything(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let command = first(Who::Main, Who::Main.limited_card(), message(FirstKind::Purchase, "5")?, stamp_at(20, noon()))?;
    expect_new(handle.cards.first_message(command).await)?;
    for who in crate::seed_data::BOTH {
        let report = check_books(&handle.books.books(&who.account()?).await?);
        expect_true(&format!("they do not hold: {report:?}"), report.holds())?;
        same("what was checked", report.checks.len(), Invariant::ALL.len())?;
    }
    Ok(())
}

async fn books_count_what_was_read(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let books = handle.books.books(&Who::Main.account()?).await?;
    // Three credits that funded the budgets, another credit, six card messages, two reservations per batch, two
    // reports.
    same("transactions", books.transactions, 3 + 1 + 6 + 4 + 2)?;
    // Three of them are the empty balances of the parent budget.
    same("balances", books.budgets.len(), 6)?;
    same("holds and orders", (books.open_holds, books.open_orders, books.limits.len()), (3, 4, 4))
}

async fn foreign_budgets_are_absent(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    let foreign = Who::Other.budget();
    let seen = handle.books.explain(&Who::Main.account()?, foreign, gbp()?, PageRequest::default()).await?;
    same("a foreign budget", seen, ExplainResult::NoBudget)?;
    let account = Who::Other.account()?;
    let books = handle.books.books(&account).await?;
    same("accounts", books.budgets.keys().all(|(of, ..)| *of == account), true)?;
    same("transactions and holds", (books.transactions, books.open_holds, books.open_orders), (4, 1, 0))
}
