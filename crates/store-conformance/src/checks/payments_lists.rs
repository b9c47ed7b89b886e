//! Checks that lists of batches, payments and alerts agree in filters, order, pages and counts.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::payments::{NewPayments, add_confirmed_batch, after, alert, batch_id, content, create, empty, summary};
use crate::seed_data::{Who, noon, seed_store};
use florin_domain::batch::{
    Alert, AlertCode, AlertFilter, AlertKind, BatchFilter, Direction, Payment, PaymentBatchStatus, PaymentFilter,
    PaymentStatus,
};
use florin_domain::ids::{OrderId, PaymentBatchId};
use florin_domain::page::PageRequest;

checks! {
    "batch_reading.list.filters_orders_and_counts" => filters_orders_and_counts,
    "batch_reading.list.same_time_by_id" => same_time,
    "batch_reading.find.shows_the_first_100_alerts" => first_alerts,
    "batch_reading.payments.filters_orders_and_counts" => payments_filters_orders_and_counts,
    "batch_reading.alerts.filters_orders_and_counts" => alerts_filters_orders_and_counts,
    "batch_reading.alerts.are_kept_in_the_order_of_rows" => alerts_in_order,
    "batch_reading.alerts.are_ordered_by_row_however_found" => alerts_as_found,
    "batch_reading.funds.of_the_budgets_that_pay" => funds_of_the_budgets_that_pay,
    "batch_reading.funding.of_budgets_for_payments" => for_payments,
    "batch_reading.content.shows_all_that_match_by_index" => shows_all_that_match_by_index,
}

const EVERY: PageRequest = PageRequest { limit: 1000, offset: 0 };

/// Returns pages that cover a list, and one page beyond its end.
fn pages(count: usize) -> Vec<PageRequest> {
    let offsets = (0..=count).step_by(3).filter_map(|offset| i64::try_from(offset).ok());
    offsets
        .map(|offset| PageRequest { limit: 3, offset })
        .chain([PageRequest { limit: 5, offset: 1_000_000 }])
        .collect()
}

fn rows_of_page<T: Clone>(all: &[T], page: PageRequest) -> Vec<T> {
    let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
    all.iter().skip(size(page.offset)).take(size(page.limit)).cloned().collect()
}

fn in_direction<T>(mut ascending: Vec<T>, direction: Direction) -> Vec<T> {
    if direction == Direction::Descending {
        ascending.reverse();
    }
    ascending
}

async fn filters_orders_and_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // The seeded batches were created at noon, too.
    let mut known = vec![(Who::Main.batch(), noon()), (Who::Main.draft(), noon())];
    for number in 1..=8_u128 {
        let at = after(i64::try_from(number % 4).unwrap_or(0));
        let mut batch = empty(Who::Main, number, at)?;
        batch.visible = number % 3 != 0;
        let new_payments = (number % 2 == 0)
            .then(|| NewPayments::of(number * 100, 2).with_faults(if number == 4 { &[1] } else { &[] }));
        expect_new(handle.management.create(create(Who::Main, batch, new_payments)?).await)?;
        known.push((batch_id(number), at));
    }
    known.sort_by_key(|(id, at)| (*at, *id));
    let mut ascending = Vec::new();
    for (id, _) in known {
        ascending.push(summary(&handle, Who::Main, id).await?);
    }
    let ids = [vec![], vec![batch_id(3), batch_id(4), Who::Other.batch(), batch_id(99)], vec![batch_id(99)]];
    let statuses =
        [vec![], vec![PaymentBatchStatus::Draft], vec![PaymentBatchStatus::Validated, PaymentBatchStatus::Failed]];
    for direction in Direction::ALL {
        for include_hidden in [true, false] {
            let both = |ids: &Vec<_>| statuses.clone().map(|statuses| (ids.clone(), statuses));
            for (ids, statuses) in ids.iter().flat_map(both).collect::<Vec<_>>() {
                let filter = BatchFilter { ids: ids.clone(), statuses: statuses.clone(), include_hidden, direction };
                let expected = ascending.iter().filter(|found| {
                    let batch = &found.batch;
                    (include_hidden || batch.visible)
                        && (ids.is_empty() || ids.contains(&batch.id))
                        && (statuses.is_empty() || statuses.contains(&batch.status()))
                });
                let expected = in_direction(expected.cloned().collect(), direction);
                for page in pages(expected.len()) {
                    let found = handle.reading.list(&Who::Main.account()?, filter.clone(), page).await?;
                    same("the count", found.count, i64::try_from(expected.len()).unwrap_or(-1))?;
                    same(&format!("{page:?} of {filter:?}"), found.rows, rows_of_page(&expected, page))?;
                }
            }
        }
    }
    Ok(())
}

async fn same_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in [5, 3, 9, 1] {
        expect_new(handle.management.create(create(Who::Main, empty(Who::Main, number, after(9))?, None)?).await)?;
    }
    for (direction, expected) in [(Direction::Ascending, [1, 3, 5, 9]), (Direction::Descending, [9, 5, 3, 1])] {
        let ids: Vec<PaymentBatchId> = expected.into_iter().map(batch_id).collect();
        let filter = BatchFilter { ids: ids.clone(), direction, ..BatchFilter::default() };
        let found = handle.reading.list(&Who::Main.account()?, filter, EVERY).await?;
        same("batches of one time", found.rows.into_iter().map(|row| row.batch.id).collect::<Vec<_>>(), ids)?;
    }
    Ok(())
}

async fn first_alerts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut all = Vec::new();
    for (number, faulty) in [(1, 49_u32), (2, 50), (3, 90)] {
        let new_payments = NewPayments::of(number * 1000, 100).with_faults(&(0..faulty).collect::<Vec<_>>());
        let first: Vec<_> = new_payments.alerts.iter().take(100).cloned().collect();
        let done = expect_new(
            handle.management.create(create(Who::Main, empty(Who::Main, number, noon())?, Some(new_payments))?).await,
        )?;
        same("the answer's alerts", &done.alerts, &first)?;
        same(
            "the alerts of the batch that is found",
            summary(&handle, Who::Main, batch_id(number)).await?.alerts,
            first.clone(),
        )?;
        all.push(first);
    }
    let filter =
        BatchFilter { ids: (1..=3).map(batch_id).collect(), direction: Direction::Ascending, ..BatchFilter::default() };
    let found = handle.reading.list(&Who::Main.account()?, filter, EVERY).await?;
    same("the alerts of the listed batches", found.rows.into_iter().map(|row| row.alerts).collect::<Vec<_>>(), all)
}

/// Creates a batch whose payments have many statuses, and returns the payments.
async fn payments_in_many_statuses(handle: &Handle) -> Result<Vec<Payment>, Failure> {
    use crate::payments::{claim_one, record, start, start_payments};
    use florin_domain::batch::{FailureReason, PaymentOutcome};
    seed_store(handle).await?;
    add_confirmed_batch(handle, Who::Main, 1, 12).await?;
    let lease = claim_one(handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 5_000)).await?;
    let taken = handle.processing.start_payments(start_payments(&lease, 9, 5_100)).await?;
    let ids: Vec<_> = taken.iter().map(|payment| payment.id).collect();
    let ends = [
        PaymentOutcome::Completed,
        PaymentOutcome::Failed(FailureReason::NameMismatch),
        PaymentOutcome::Returned(FailureReason::AccountClosed),
    ];
    for (outcome, (some, base)) in ends.into_iter().zip(ids.chunks(2).zip((5_200..).step_by(100))) {
        handle.processing.record(record(&lease, some, outcome, None, base)).await?;
    }
    Ok(content(handle, Who::Main, batch_id(1)).await?.payments)
}

fn payment_filters(payments: &[Payment]) -> Vec<PaymentFilter> {
    let orders: Vec<OrderId> = payments.iter().filter_map(Payment::terms).map(|terms| terms.order).collect();
    let statuses = [
        vec![],
        vec![PaymentStatus::Completed],
        vec![PaymentStatus::Confirmed, PaymentStatus::Failed, PaymentStatus::Returned],
        vec![PaymentStatus::Cancelled],
    ];
    let orders = [vec![], vec![orders[0]], vec![orders[1], OrderId(crate::seed_data::uuid(99, 1))]];
    let direction = Direction::Ascending;
    let of = |statuses: &Vec<_>| {
        orders.clone().map(|orders| PaymentFilter { statuses: statuses.clone(), orders, direction })
    };
    statuses.iter().flat_map(of).collect()
}

fn matching(payments: &[Payment], filter: &PaymentFilter) -> Vec<Payment> {
    let matches = |payment: &&Payment| {
        let of_order = payment.terms().is_some_and(|terms| filter.orders.contains(&terms.order));
        (filter.statuses.is_empty() || filter.statuses.contains(&payment.status()))
            && (filter.orders.is_empty() || of_order)
    };
    payments.iter().filter(matches).cloned().collect()
}

async fn payments_filters_orders_and_counts(handle: Handle) -> CheckResult {
    let all = payments_in_many_statuses(&handle).await?;
    same("the indexes", all.iter().map(|payment| payment.index).collect::<Vec<_>>(), (0..12).collect::<Vec<_>>())?;
    for filter in payment_filters(&all) {
        for direction in Direction::ALL {
            let filter = PaymentFilter { direction, ..filter.clone() };
            let expected = in_direction(matching(&all, &filter), direction);
            for page in pages(expected.len()) {
                let found = handle.reading.payments(&Who::Main.account()?, batch_id(1), filter.clone(), page).await?;
                let found = expect_some("the batch", found)?;
                same("the count", found.count, i64::try_from(expected.len()).unwrap_or(-1))?;
                same(&format!("{page:?} of {filter:?}"), found.rows, rows_of_page(&expected, page))?;
            }
        }
    }
    Ok(())
}

async fn shows_all_that_match_by_index(handle: Handle) -> CheckResult {
    let all = payments_in_many_statuses(&handle).await?;
    for filter in payment_filters(&all) {
        for direction in Direction::ALL {
            let filter = PaymentFilter { direction, ..filter.clone() };
            let found = handle.reading.content(&Who::Main.account()?, batch_id(1), filter.clone()).await?;
            same("the payments", expect_some("the batch", found)?.payments, matching(&all, &filter))?;
        }
    }
    Ok(())
}

async fn alerts_filters_orders_and_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let found = [
        alert(AlertCode::NoPayments, None, after(1), "none"),
        alert(AlertCode::AmountInvalid, Some(0), after(2), "a"),
        alert(AlertCode::DuplicatePayment, Some(0), after(1), "b"),
        alert(AlertCode::AmountInvalid, Some(2), after(3), "c"),
        alert(AlertCode::IbanInvalid, Some(2), after(2), "d"),
        alert(AlertCode::AmountInvalid, Some(2), after(2), "e"),
        alert(AlertCode::DuplicatePayment, Some(10), after(4), "f"),
    ];
    let new_payments = NewPayments { alerts: found.to_vec(), faulty: vec![0, 2], ..NewPayments::of(1, 11) };
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments))?).await)?;
    let kinds = [None, Some(AlertKind::Error), Some(AlertKind::Warning)];
    let codes = [None, Some(AlertCode::AmountInvalid), Some(AlertCode::EmailInvalid)];
    let times = [None, Some(after(1)), Some(after(2)), Some(after(9))];
    let mut filters = Vec::new();
    for (kind, code) in kinds.into_iter().flat_map(|kind| codes.map(|code| (kind, code))) {
        for (from, to) in times.into_iter().flat_map(|from| times.map(|to| (from, to))) {
            filters.extend(Direction::ALL.map(|direction| AlertFilter { kind, code, from, to, direction }));
        }
    }
    for filter in filters {
        let matches = |alert: &&Alert| {
            filter.kind.is_none_or(|kind| kind == alert.kind)
                && filter.code.is_none_or(|code| code == alert.code)
                && filter.from.is_none_or(|from| from <= alert.at)
                && filter.to.is_none_or(|to| alert.at <= to)
        };
        let expected = in_direction(found.iter().filter(matches).cloned().collect(), filter.direction);
        for page in pages(expected.len()) {
            let found = handle.reading.alerts(&Who::Main.account()?, batch_id(1), filter, page).await?;
            let found = expect_some("the batch", found)?;
            same("the count", found.count, i64::try_from(expected.len()).unwrap_or(-1))?;
            same(&format!("{page:?} of {filter:?}"), found.rows, rows_of_page(&expected, page))?;
        }
    }
    Ok(())
}

async fn alerts_in_order(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Ordered by row, and within a row in the order of detection.
    let row = |index: u32| {
        ["z", "a", "m"].map(|message| alert(AlertCode::TextTooLong, Some(index), noon(), &format!("{message}{index}")))
    };
    let all: Vec<_> = (0..50).flat_map(row).collect();
    let new_payments = NewPayments { alerts: all.clone(), faulty: (0..50).collect(), ..NewPayments::of(1, 50) };
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments))?).await)?;
    same("the alerts", content(&handle, Who::Main, batch_id(1)).await?.alerts, all.clone())?;
    let page = expect_some(
        "the batch",
        handle.reading.alerts(&Who::Main.account()?, batch_id(1), AlertFilter::default(), EVERY).await?,
    )?;
    same("the alerts of the last row first", page.rows, in_direction(all, Direction::Descending))
}

async fn alerts_as_found(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let found = |index: Option<u32>| alert(AlertCode::TextTooLong, index, noon(), &format!("{index:?}"));
    let alerts = vec![found(Some(2)), found(None), found(Some(0)), found(Some(1))];
    let new_payments = NewPayments { alerts, faulty: vec![0, 1, 2], ..NewPayments::of(1, 3) };
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments))?).await)?;
    let expected = [None, Some(0), Some(1), Some(2)].map(found).to_vec();
    let filter = AlertFilter { direction: Direction::Ascending, ..AlertFilter::default() };
    let page = handle.reading.alerts(&Who::Main.account()?, batch_id(1), filter, EVERY).await?;
    same("the alerts", expect_some("the batch", page)?.rows, expected)
}

async fn funds_of_the_budgets_that_pay(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = Some(NewPayments::of(1, 1));
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, new_payments)?).await)?;
    let funds = expect_some("the batch", handle.reading.funds(&Who::Main.account()?, batch_id(1)).await?)?;
    let budgets: std::collections::BTreeSet<_> = funds.balances.keys().map(|(budget, _)| *budget).collect();
    same("budgets that pay", budgets, [Who::Main.budget()].into())
}

async fn for_payments(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = handle.reading.funding(&Who::Main.account()?).await?;
    let only_cards = [florin_domain::budget::BudgetFeature::BudgetCards];
    let command = crate::management::create_budget_with_features(
        Who::Main,
        1,
        None,
        vec![crate::seed_data::gbp()?],
        &only_cards,
    )?;
    expect_new(handle.budgets.create(command).await)?;
    same("budgets that can pay", handle.reading.funding(&Who::Main.account()?).await?, before)
}
