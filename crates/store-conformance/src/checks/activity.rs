//! Checks of activity: every movement of one account, ordered, paged and counted.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{approval, pay, step, topped_up};
use crate::commands::{credit, first, follow_up, message, stamp_at, token};
use crate::expect::{expect_new, same, there};
use crate::factory::Handle;
use crate::management::transfer;
use crate::payments::{
    Fill, after, batch_id, claim, confirmed, create, empty, leased, payment_id, record, start, take,
};
use crate::world::{BOTH, Who, gbp, jpy, noon, seeded, uuid};
use chrono::TimeDelta;
use florin_domain::activity::{
    Activity, ActivityDetail, ActivityFilter, ActivitySource, ActivityStatus, ActivityType, CreditDetail,
};
use florin_domain::batch::{FailureReason, PaymentOutcome};
use florin_domain::card::MessageKind;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::checkout::CheckoutSession;
use florin_domain::ids::ActivityId;
use florin_domain::page::{Page, PageRequest};

checks! {
    "activities.list.newest_first_then_by_id" => newest_first,
    "activities.list.pages_do_not_overlap" => pages_do_not_overlap,
    "activities.list.count_ignores_the_page" => count_ignores_the_page,
    "activities.list.filters_by_every_member" => filters,
    "activities.list.has_every_card_message_as_it_was_answered" => card_messages,
    "activities.list.has_credits_with_what_was_sent" => credits,
    "activities.list.has_payments_from_their_confirmation_on" => payments,
    "activities.list.has_transfers_under_both_budgets" => transfers,
    "activities.list.has_top_ups_of_budgets" => top_ups,
    "activities.find.finds_what_the_list_has_and_nothing_else" => finds,
    "tenancy.activities.foreign_movements_are_absent" => foreign,
}

const EVERY: PageRequest = PageRequest { limit: 1000, offset: 0 };

async fn list(handle: &Handle, who: Who, filter: ActivityFilter, page: PageRequest) -> Result<Page<Activity>, Failure> {
    Ok(handle.activities.list(&who.account()?, filter, page).await?)
}

async fn all(handle: &Handle, who: Who) -> Result<Vec<Activity>, Failure> {
    Ok(list(handle, who, ActivityFilter::default(), EVERY).await?.rows)
}

/// Creates movements from every source on both accounts, with few distinct times: messages in pounds and yen,
/// follow-ups, declines, credits, and payments in every status that they reach.
async fn busy(handle: &Handle) -> Result<Vec<Activity>, Failure> {
    seeded(handle).await?;
    for who in BOTH {
        let base = u128::from(who.number()) * 1000;
        for number in 0..8_u128 {
            let (kind, text) = [
                (FirstKind::Purchase, "2"),
                (FirstKind::Atm, "3"),
                (FirstKind::Refund, "4"),
                (FirstKind::Purchase, "9999"),
            ][usize::try_from(number % 4).unwrap_or(0)];
            let card = if number < 6 { who.card() } else { who.yen_card() };
            let text = if number < 6 { text } else { "10" };
            let at = noon() + TimeDelta::microseconds(i64::try_from(number * 7 % 3).unwrap_or(0));
            expect_new(
                handle.cards.first_message(first(who, card, message(kind, text)?, stamp_at(base + number, at))?).await,
            )?;
        }
        let reversal = FollowUp::Reversal { amount: None };
        expect_new(handle.cards.follow_up(follow_up(who, token(base), base + 20, reversal)?).await)?;
        expect_new(handle.credits.credit(credit(who, base + 30, "1.50", gbp()?)?).await)?;
        expect_new(handle.credits.credit(credit(who, base + 31, "15", jpy()?)?).await)?;
    }
    for (number, who) in [(1, Who::Mine), (2, Who::Other)] {
        expect_new(
            handle.transfers.transfer(transfer(who, number, (who.budget(), who.second_budget()), "2.05")?).await,
        )?;
        deposited(handle, who, 40 + number).await?;
    }
    confirmed(handle, Who::Mine, 1, 8).await?;
    confirmed(handle, Who::Mine, 2, 3).await?;
    settled(handle).await?;
    expect_new(
        handle.management.create(create(Who::Mine, empty(Who::Mine, 3, noon())?, Some(Fill::of(300_000, 4)))?).await,
    )?;
    all(handle, Who::Mine).await
}

/// Tops up a budget.
async fn deposited(handle: &Handle, who: Who, number: u128) -> Result<CheckoutSession, Failure> {
    topped_up(handle, who, number).await?;
    let action = pay(None, approval(after(60)))?;
    expect_new(handle.checkout_sessions.act(step(who, number, action, (number, after(60)))?).await)
}

/// Processes the claimed batch: one payment is completed, one failed, one returned and one sent.
async fn settled(handle: &Handle) -> CheckResult {
    let lease = there("a lease", handle.processing.claim(claim(1, after(90), 1)).await?.pop())?;
    handle.processing.start(start(&lease, 5000)).await?;
    handle.processing.take(take(&lease, 4, 6000)).await?;
    let first = lease.batch;
    let number = if first == batch_id(1) { 100_000 } else { 200_000 };
    let failed = PaymentOutcome::Failed(FailureReason::Compliance);
    let returned = PaymentOutcome::Returned(FailureReason::AccountClosed);
    for (place, outcome) in [(0, PaymentOutcome::Completed), (1, failed), (2, returned)] {
        let ids = 7000 + 100 * place;
        handle.processing.record(record(&lease, &[payment_id(number + place)], outcome, None, ids)).await?;
    }
    Ok(())
}

async fn newest_first(handle: Handle) -> CheckResult {
    let found = busy(&handle).await?;
    // 8 messages and a reversal, 2 credits plus the 3 that funded the budgets, 11 payments, a transfer, and a top-up.
    same("how many", found.len(), 9 + 5 + 11 + 1 + 1)?;
    let mut expected = found.clone();
    expected.sort_by_key(Activity::order);
    let ids = |rows: &[Activity]| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    same("the order", ids(&found), ids(&expected))?;
    let sources = ActivitySource::ALL.map(|source| found.iter().filter(|row| row.kind.source() == source).count());
    same("of each source", sources, [9, 5, 11, 1, 1])
}

async fn top_ups(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    topped_up(&handle, Who::Mine, 1).await?;
    same("of an open one", all(&handle, Who::Mine).await?.iter().any(|row| row.kind == ActivityType::Deposit), false)?;
    let session = deposited(&handle, Who::Mine, 2).await?;
    let kind = Some(ActivityType::Deposit);
    for budget in [None, Some(Who::Mine.budget())] {
        let rows =
            list(&handle, Who::Mine, ActivityFilter { kind, budget, ..ActivityFilter::default() }, EVERY).await?;
        let row = there("the top-up", rows.rows.first())?;
        let payment = there("its payment", session.payment)?;
        same("its detail", &row.detail, &ActivityDetail::Deposit(payment))?;
        let found = (rows.count, row.budget, row.amount, row.impacted, row.created_at);
        let amount = session.amount.minor;
        same("a row", found, (1, Who::Mine.budget(), amount, amount, after(60)))?;
        same("found", handle.activities.find(&Who::Mine.account()?, row.id).await?.as_ref(), Some(row))?;
    }
    let budget = Some(Who::Mine.second_budget());
    let rows = list(&handle, Who::Mine, ActivityFilter { kind, budget, ..ActivityFilter::default() }, EVERY).await?;
    same("of another budget", rows.count, 0)
}

async fn pages_do_not_overlap(handle: Handle) -> CheckResult {
    let expected = busy(&handle).await?;
    for limit in [1, 4, 7, 1000] {
        let mut seen = Vec::new();
        let mut offset = 0;
        while seen.len() < expected.len() {
            let page = list(&handle, Who::Mine, ActivityFilter::default(), PageRequest { limit, offset }).await?;
            same("rows of a page", page.rows.is_empty(), false)?;
            seen.extend(page.rows);
            offset += limit;
        }
        same(&format!("pages of {limit}, put together"), &seen, &expected)?;
    }
    Ok(())
}

async fn count_ignores_the_page(handle: Handle) -> CheckResult {
    let all = busy(&handle).await?;
    let count = i64::try_from(all.len()).unwrap_or(-1);
    for (limit, offset, rows) in [(1, 0, 1), (5, count - 2, 2), (10, count, 0), (1, i64::MAX, 0), (1000, 0, all.len())]
    {
        let page = list(&handle, Who::Mine, ActivityFilter::default(), PageRequest { limit, offset }).await?;
        same(&format!("count and rows of {limit} from {offset}"), (page.count, page.rows.len()), (count, rows))?;
    }
    Ok(())
}

async fn filters(handle: Handle) -> CheckResult {
    let all = busy(&handle).await?;
    let none = ActivityFilter::default();
    let mut filters: Vec<_> = ActivityType::ALL.map(|kind| ActivityFilter { kind: Some(kind), ..none }).into();
    filters.extend(ActivityStatus::ALL.map(|status| ActivityFilter { status: Some(status), ..none }));
    let budgets = [Who::Mine.budget(), Who::Mine.second_budget(), Who::Other.budget()];
    filters.extend(budgets.map(|budget| ActivityFilter { budget: Some(budget), ..none }));
    let cards = [Who::Mine.card(), Who::Mine.yen_card(), Who::Other.card()];
    filters.extend(cards.map(|card| ActivityFilter { card: Some(card), ..none }));
    filters.extend([gbp()?, jpy()?].map(|currency| ActivityFilter { currency: Some(currency), ..none }));
    let times = [-1, 0, 1, 2, 3].map(|micros| noon() + TimeDelta::microseconds(micros));
    filters.extend(times.map(|from| ActivityFilter { from: Some(from), ..none }));
    filters.extend(times.map(|to| ActivityFilter { to: Some(to), ..none }));
    let pounds = Some(gbp()?);
    filters.extend(times.map(|at| ActivityFilter { from: Some(at), to: Some(at), currency: pounds, ..none }));
    let declined = Some(ActivityStatus::Declined);
    filters.push(ActivityFilter {
        status: declined,
        card: Some(Who::Mine.card()),
        budget: Some(Who::Mine.budget()),
        ..none
    });
    filters.push(ActivityFilter { status: declined, kind: Some(ActivityType::Credit), ..none });
    for filter in filters {
        let expected: Vec<_> = all.iter().filter(|row| filter.matches(row)).cloned().collect();
        let count = i64::try_from(expected.len()).unwrap_or(-1);
        for page in [EVERY, PageRequest { limit: 3, offset: 1 }] {
            let found = list(&handle, Who::Mine, filter, page).await?;
            same(&format!("the count of {filter:?}"), found.count, count)?;
            let offset = usize::try_from(page.offset).unwrap_or(0);
            let expected: Vec<_> =
                expected.iter().skip(offset).take(usize::try_from(page.limit).unwrap_or(0)).cloned().collect();
            same(&format!("{page:?} of {filter:?}"), found.rows, expected)?;
        }
    }
    Ok(())
}

async fn card_messages(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let at = noon() + TimeDelta::microseconds(123_457);
    let command = first(Who::Mine, Who::Mine.card(), message(FirstKind::Purchase, "10")?, stamp_at(1, at))?;
    let sent = expect_new(handle.cards.first_message(command).await)?;
    let command = first(Who::Mine, Who::Mine.card(), message(FirstKind::Purchase, "9999")?, stamp_at(2, at))?;
    let declined = expect_new(handle.cards.first_message(command).await)?;
    let filter = ActivityFilter { card: Some(Who::Mine.card()), ..ActivityFilter::default() };
    let expected = vec![Activity::from(declined), Activity::from(sent)];
    same("the messages", list(&handle, Who::Mine, filter, EVERY).await?.rows, expected)?;
    // The end of a chain determines the state of its first message.
    let reversal = FollowUp::Reversal { amount: None };
    expect_new(handle.cards.follow_up(follow_up(Who::Mine, token(1), 3, reversal)?).await)?;
    let found = there("the first", handle.activities.find(&Who::Mine.account()?, ActivityId(token(1).0)).await?)?;
    same(
        "the first",
        (found.kind, found.status),
        (ActivityType::Card(MessageKind::Authorization), ActivityStatus::Cleared),
    )
}

async fn credits(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Mine, 1, "200.05", gbp()?)?).await)?;
    let filter = ActivityFilter { kind: Some(ActivityType::Credit), ..ActivityFilter::default() };
    let rows = list(&handle, Who::Mine, filter, EVERY).await?.rows;
    same("how many", rows.len(), 4)?;
    let id = ActivityId(crate::commands::journal_id(1).0);
    let found = there("the credit", rows.iter().find(|row| row.id == id))?;
    let expected = (done.amount, done.amount, gbp()?, Who::Mine.budget(), done.created_at, ActivityStatus::Completed);
    same(
        "the credit",
        (found.amount, found.impacted, found.currency, found.budget, found.created_at, found.status),
        expected,
    )?;
    let detail = ActivityDetail::Credit(Some(Box::new(CreditDetail::from(&done))));
    same("what was sent", &found.detail, &detail)?;
    let funding = rows.iter().filter(|row| row.detail == ActivityDetail::Credit(None)).count();
    same("what the budgets were funded by", funding, 3)
}

async fn transfers(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let ends = (Who::Mine.budget(), Who::Mine.second_budget());
    let done = expect_new(handle.transfers.transfer(transfer(Who::Mine, 1, ends, "20.05")?).await)?;
    let expected = Activity::of_transfer(done.transfer);
    for budget in [ends.0, ends.1] {
        let kind = Some(ActivityType::Transfer);
        let filter = ActivityFilter { kind, budget: Some(budget), ..ActivityFilter::default() };
        let found = list(&handle, Who::Mine, filter, EVERY).await?;
        same("the transfer", (found.count, found.rows.first()), (1, expected.as_ref()))?;
    }
    Ok(())
}

async fn payments(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let filter = ActivityFilter { kind: Some(ActivityType::Payment), ..ActivityFilter::default() };
    let count = async || Ok::<_, Failure>(list(&handle, Who::Mine, filter, EVERY).await?.count);
    expect_new(
        handle.management.create(create(Who::Mine, empty(Who::Mine, 3, noon())?, Some(Fill::of(300_000, 4)))?).await,
    )?;
    same("before the confirmation", count().await?, 0)?;
    confirmed(&handle, Who::Mine, 1, 6).await?;
    same("after a confirmation", count().await?, 6)?;
    let lease = leased(&handle, 1, after(90)).await?;
    handle.processing.start(start(&lease, 5000)).await?;
    handle.processing.take(take(&lease, 2, 6000)).await?;
    let rows = list(&handle, Who::Mine, filter, EVERY).await?.rows;
    let stored = crate::payments::content(&handle, Who::Mine, batch_id(1)).await?.payments;
    let mut expected: Vec<_> = stored.into_iter().filter_map(Activity::of_payment).collect();
    expected.sort_by_key(Activity::order);
    same("the payments", rows, expected)
}

async fn finds(handle: Handle) -> CheckResult {
    let all = busy(&handle).await?;
    let account = Who::Mine.account()?;
    for row in all {
        same("what is found", handle.activities.find(&account, row.id).await?, Some(row))?;
    }
    // An unconfirmed payment, a journal transaction that is not a credit, and an unknown id.
    let hold = crate::commands::journal_id(1000);
    for id in [payment_id(300_000).0, hold.0, uuid(99, 1)] {
        same(&format!("{id}"), handle.activities.find(&account, ActivityId(id)).await?, None)?;
    }
    Ok(())
}

async fn foreign(handle: Handle) -> CheckResult {
    busy(&handle).await?;
    for (who, other) in [(Who::Mine, Who::Other), (Who::Other, Who::Mine)] {
        let account = who.account()?;
        same("accounts", all(&handle, who).await?.iter().all(|row| row.account == account), true)?;
        for row in all(&handle, other).await? {
            same("a foreign movement", handle.activities.find(&account, row.id).await?, None)?;
        }
        let filter = ActivityFilter { budget: Some(other.budget()), ..ActivityFilter::default() };
        same("of a foreign budget", list(&handle, who, filter, EVERY).await?.count, 0)?;
    }
    Ok(())
}
