//! Checks of activity: every movement of one account, ordered, paged and counted.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_top_up, approval, pay, step};
use crate::commands::{clearing, credit, first, follow_up, message, purchase, stamp, stamp_at, token};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::{issue_to_person, transfer};
use crate::observe::key_of;
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, cancel, claim, claim_one, create, empty, payment_id, record,
    start, start_payments,
};
use crate::people::create_person;
use crate::seed_data::{BOTH, Who, gbp, jpy, noon, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::activity::{
    Activity, ActivityDetail, ActivityFilter, ActivityKey, ActivitySearch, ActivitySource, ActivityStatus,
    ActivityType, CreditDetail, PaymentNumbers,
};
use florin_domain::batch::{FailureReason, PaymentOutcome};
use florin_domain::card::TransactionState;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::checkout::CheckoutSession;
use florin_domain::ids::{ActivityId, PaymentId, PersonId, TransactionToken};
use florin_domain::money::Minor;
use florin_domain::page::{Page, PageRequest};

checks! {
    "activities.list.newest_first_then_by_id" => newest_first,
    "activities.list.pages_do_not_overlap" => pages_do_not_overlap,
    "activities.list.count_ignores_the_page" => count_ignores_the_page,
    "activities.list.filters_by_every_member" => filters_by_every_member,
    "activities.list.has_one_row_per_chain" => list_has_one_row_per_chain,
    "activities.list.shows_the_owners_of_cards" => shows_the_owners_of_cards,
    "activities.list.searches_counterparties_references_and_numbers" => searches_counterparties_references_and_numbers,
    "activities.list.has_credits_with_what_was_sent" => list_has_credits_with_what_was_sent,
    "activities.list.has_payments_from_their_confirmation_on" => list_has_payments_from_their_confirmation_on,
    "activities.list.has_cancelled_payments_of_confirmed_batches" => list_has_cancelled_payments_of_confirmed_batches,
    "activities.list.has_both_sides_of_transfers" => list_has_both_sides_of_transfers,
    "activities.list.has_top_ups_of_budgets" => top_ups,
    "activities.find.finds_what_the_list_has_and_nothing_else" => finds_what_the_list_has_and_nothing_else,
    "activities.find.finds_numbers_and_any_message_of_a_chain" => finds_numbers_and_any_message_of_a_chain,
    "tenancy.activities.foreign_movements_are_absent" => foreign_movements_are_absent,
}

const EVERY: PageRequest = PageRequest { limit: 1000, offset: 0 };

async fn list(handle: &Handle, who: Who, filter: ActivityFilter, page: PageRequest) -> Result<Page<Activity>, Failure> {
    Ok(handle.activities.list(&who.account()?, filter, page).await?)
}

async fn all_movements(handle: &Handle, who: Who) -> Result<Vec<Activity>, Failure> {
    Ok(list(handle, who, ActivityFilter::default(), EVERY).await?.rows)
}

/// Creates movements from every source on both accounts, with few distinct times: messages in pounds and yen,
/// follow-ups, declines, credits, and payments in every status that they reach. Returns the movements of my account.
pub(crate) async fn create_movements(handle: &Handle) -> Result<Vec<Activity>, Failure> {
    seed_store(handle).await?;
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
    for (number, who) in [(1, Who::Main), (2, Who::Other)] {
        expect_new(
            handle.transfers.transfer(transfer(who, number, (who.budget(), who.second_budget()), "2.05")?).await,
        )?;
        top_up_budget(handle, who, 40 + number).await?;
    }
    add_confirmed_batch(handle, Who::Main, 1, 8).await?;
    add_confirmed_batch(handle, Who::Main, 2, 3).await?;
    process_a_batch(handle).await?;
    expect_new(
        handle
            .management
            .create(create(Who::Main, empty(Who::Main, 3, noon())?, Some(NewPayments::of(300_000, 4)))?)
            .await,
    )?;
    all_movements(handle, Who::Main).await
}

/// Tops up a budget.
async fn top_up_budget(handle: &Handle, who: Who, number: u128) -> Result<CheckoutSession, Failure> {
    add_top_up(handle, who, number).await?;
    let action = pay(None, approval(after(60)))?;
    expect_new(handle.checkout_sessions.act(step(who, number, action, (number, after(60)))?).await)
}

/// Claims a batch and processes it: one payment is COMPLETED, one FAILED, one RETURNED, and one is only sent.
async fn process_a_batch(handle: &Handle) -> CheckResult {
    let lease = expect_some("a lease", handle.processing.claim(claim(1, after(90), 1)).await?.pop())?;
    handle.processing.start(start(&lease, 5000)).await?;
    handle.processing.start_payments(start_payments(&lease, 4, 6000)).await?;
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
    let found = create_movements(&handle).await?;
    // 8 chains, 2 credits plus the 3 that funded the budgets, 11 payments, both sides of a transfer, and a top-up.
    same("the number of movements", found.len(), 8 + 5 + 11 + 2 + 1)?;
    let mut expected = found.clone();
    expected.sort_by_key(Activity::order);
    let ids = |rows: &[Activity]| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    same("the order", ids(&found), ids(&expected))?;
    let sources = ActivitySource::ALL.map(|source| found.iter().filter(|row| row.source() == source).count());
    same("rows of each source", sources, [8, 5, 11, 1, 1, 1])
}

async fn top_ups(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_top_up(&handle, Who::Main, 1).await?;
    let is_top_up = |row: &Activity| row.source() == ActivitySource::TopUp;
    same("whether an open top-up is listed", all_movements(&handle, Who::Main).await?.iter().any(is_top_up), false)?;
    let session = top_up_budget(&handle, Who::Main, 2).await?;
    let kinds = vec![ActivityType::Deposit];
    let payment = expect_some("its payment", session.state.payment())?;
    for (budgets, expected) in [(vec![], 1), (vec![Who::Main.budget()], 1), (vec![Who::Main.second_budget()], 0)] {
        let filter = ActivityFilter { kinds: kinds.clone(), budgets, ..ActivityFilter::default() };
        let rows = list(&handle, Who::Main, filter, EVERY).await?.rows;
        let rows: Vec<_> = rows.into_iter().filter(is_top_up).collect();
        same("rows", rows.len(), expected)?;
        for row in rows {
            same("its detail", &row.detail, &ActivityDetail::TopUp { payment, number: Some(1) })?;
            let amount = session.amount.minor;
            let found = (row.kind, row.status, row.budget, row.amount, row.impacted, row.created_at);
            let status = ActivityStatus::Complete;
            same("a row", found, (kinds[0], status, Who::Main.budget(), amount, amount, after(60)))?;
            let key = ActivityKey::BudgetMovement(row.id);
            same("found", handle.activities.find(&Who::Main.account()?, key).await?, Some(row))?;
        }
    }
    Ok(())
}

async fn pages_do_not_overlap(handle: Handle) -> CheckResult {
    let expected = create_movements(&handle).await?;
    for limit in [1, 4, 7, 1000] {
        let mut seen = Vec::new();
        let mut offset = 0;
        while seen.len() < expected.len() {
            let page = list(&handle, Who::Main, ActivityFilter::default(), PageRequest { limit, offset }).await?;
            same("rows of a page", page.rows.is_empty(), false)?;
            seen.extend(page.rows);
            offset += limit;
        }
        same(&format!("pages of {limit}, put together"), &seen, &expected)?;
    }
    Ok(())
}

async fn count_ignores_the_page(handle: Handle) -> CheckResult {
    let all = create_movements(&handle).await?;
    let count = i64::try_from(all.len()).unwrap_or(-1);
    for (limit, offset, rows) in [(1, 0, 1), (5, count - 2, 2), (10, count, 0), (1, i64::MAX, 0), (1000, 0, all.len())]
    {
        let page = list(&handle, Who::Main, ActivityFilter::default(), PageRequest { limit, offset }).await?;
        same(&format!("count and rows of {limit} from {offset}"), (page.count, page.rows.len()), (count, rows))?;
    }
    Ok(())
}

async fn filters_by_every_member(handle: Handle) -> CheckResult {
    let all = create_movements(&handle).await?;
    let none = ActivityFilter::default();
    let mut filters = vec![none.clone()];
    filters.extend(ActivityType::ALL.iter().map(|kind| ActivityFilter { kinds: vec![*kind], ..none.clone() }));
    filters.extend(ActivityType::ALL.iter().map(|kind| ActivityFilter { excluded: vec![*kind], ..none.clone() }));
    filters.extend(ActivityStatus::ALL.iter().map(|status| ActivityFilter { statuses: vec![*status], ..none.clone() }));
    let kinds = vec![ActivityType::Card, ActivityType::Load, ActivityType::BatchPayment];
    filters.push(ActivityFilter { kinds: kinds.clone(), excluded: vec![ActivityType::Load], ..none.clone() });
    let statuses = vec![ActivityStatus::Complete, ActivityStatus::Pending, ActivityStatus::Open];
    filters.push(ActivityFilter { kinds, statuses, ..none.clone() });
    filters.push(ActivityFilter { excluded: ActivityType::ALL.to_vec(), ..none.clone() });
    let budgets = [Who::Main.budget(), Who::Main.second_budget(), Who::Other.budget()];
    filters.extend(budgets.map(|budget| ActivityFilter { budgets: vec![budget], ..none.clone() }));
    filters.push(ActivityFilter { budgets: budgets.to_vec(), ..none.clone() });
    let cards = [Who::Main.card(), Who::Main.yen_card(), Who::Other.card()];
    filters.extend(cards.map(|card| ActivityFilter { card: Some(card), ..none.clone() }));
    filters.push(ActivityFilter { people: vec![PersonId(uuid(99, 1))], ..none.clone() });
    filters.extend([gbp()?, jpy()?].map(|currency| ActivityFilter { currency: Some(currency), ..none.clone() }));
    let times = [-1, 0, 1, 2, 3].map(|micros| noon() + TimeDelta::microseconds(micros));
    filters.extend(times.map(|from| ActivityFilter { from: Some(from), ..none.clone() }));
    filters.extend(times.map(|to| ActivityFilter { to: Some(to), ..none.clone() }));
    let pounds = Some(gbp()?);
    filters.extend(times.map(|at| ActivityFilter { from: Some(at), to: Some(at), currency: pounds, ..none.clone() }));
    let declined = vec![ActivityStatus::Declined];
    filters.push(ActivityFilter {
        statuses: declined.clone(),
        card: Some(Who::Main.card()),
        budgets: vec![Who::Main.budget()],
        ..none.clone()
    });
    filters.push(ActivityFilter { statuses: declined, kinds: vec![ActivityType::Deposit], ..none });
    for filter in filters {
        let expected: Vec<_> = all.iter().filter(|row| filter.matches(row)).cloned().collect();
        let count = i64::try_from(expected.len()).unwrap_or(-1);
        for page in [EVERY, PageRequest { limit: 3, offset: 1 }] {
            let found = list(&handle, Who::Main, filter.clone(), page).await?;
            same(&format!("the count of {filter:?}"), found.count, count)?;
            let offset = usize::try_from(page.offset).unwrap_or(0);
            let expected: Vec<_> =
                expected.iter().skip(offset).take(usize::try_from(page.limit).unwrap_or(0)).cloned().collect();
            same(&format!("{page:?} of {filter:?}"), found.rows, expected)?;
        }
    }
    Ok(())
}

async fn list_has_one_row_per_chain(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let at = noon() + TimeDelta::microseconds(123_457);
    let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "10")?, stamp_at(1, at))?;
    let sent = expect_new(handle.cards.first_message(command).await)?;
    let command = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "9999")?, stamp_at(2, at))?;
    let declined = expect_new(handle.cards.first_message(command).await)?;
    let declined = expect_some("a declined chain", Activity::of_chain(declined, vec![], None, None))?;
    let filter = ActivityFilter { card: Some(Who::Main.card()), ..ActivityFilter::default() };
    let account = Who::Main.account()?;
    let chain = async || {
        let seen = expect_some("the message", crate::observe::chain(&handle, &account, token(1)).await?)?;
        expect_some("the chain", seen.chain)
    };
    let open = Activity::of_chain(sent.clone(), vec![], Some(&chain().await?), None);
    let expected = vec![declined.clone(), expect_some("an open chain", open)?];
    same("the chains", list(&handle, Who::Main, filter.clone(), EVERY).await?.rows, expected)?;
    // A part is cleared, and the rest is reversed.
    let part = expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 3, clearing("4", false)?)?).await)?;
    let reversal = FollowUp::Reversal { amount: None };
    let rest = expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 4, reversal)?).await)?;
    let ended = florin_domain::card::CardTransaction { state: TransactionState::Completed, ..sent };
    let ended = Activity::of_chain(ended, vec![rest, part], Some(&chain().await?), None);
    let ended = expect_some("an ended chain", ended)?;
    same("its amount", (ended.status, ended.amount), (ActivityStatus::Complete, Minor(400)))?;
    same("the chains", list(&handle, Who::Main, filter, EVERY).await?.rows, vec![declined, ended])
}

async fn shows_the_owners_of_cards(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let person = expect_new(handle.people.create(create_person(Who::Main, 1, "ada@example.com")?).await)?.person.id;
    let command = issue_to_person(Who::Main, 1, person, &[(Who::Main.budget(), true)])?;
    let card = expect_new(handle.card_management.create(command).await)?.record.card.id;
    let command = first(Who::Main, card, message(FirstKind::Purchase, "1")?, stamp(1))?;
    expect_new(handle.cards.first_message(command).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "1")?).await)?;
    for (people, expected) in [(vec![], 2), (vec![person], 1), (vec![PersonId(uuid(99, 1))], 0)] {
        let filter = ActivityFilter { people, kinds: vec![ActivityType::Card], ..ActivityFilter::default() };
        let found = list(&handle, Who::Main, filter, EVERY).await?;
        same(
            "the numbers of rows",
            (found.count, found.rows.len()),
            (expected, usize::try_from(expected).unwrap_or_default()),
        )?;
        let owned = found.rows.iter().filter(|row| row.card() == Some(card));
        same("the owner", owned.map(Activity::person).all(|owner| owner == Some(person)), true)?;
    }
    Ok(())
}

async fn searches_counterparties_references_and_numbers(handle: Handle) -> CheckResult {
    let all = create_movements(&handle).await?;
    let mut texts: Vec<String> =
        all.iter().flat_map(|row| [row.counterparty(), row.reference()]).flatten().map(str::to_owned).collect();
    same("whether there are no texts to search for", texts.is_empty(), false)?;
    // Parts of the texts in upper case, and texts with characters that are special in SQL patterns.
    texts.extend(texts.clone().iter().map(|text| text.to_ascii_uppercase().chars().skip(1).collect()));
    texts.extend(["%", "_", "\\", "'", "nowhere to be found", "999999"].map(str::to_owned));
    let numbers: Vec<_> = all.iter().flat_map(Activity::numbers).collect();
    same("the number of numbers", numbers.len(), 8)?;
    texts.extend(numbers.iter().map(i64::to_string));
    texts.sort();
    texts.dedup();
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        let search = ActivitySearch::parse(&text).map_err(|flaw| Failure::new(flaw.message))?;
        let filter = ActivityFilter { search: Some(search), ..ActivityFilter::default() };
        let expected: Vec<_> = all.iter().filter(|row| filter.matches(row)).cloned().collect();
        same(&format!("rows with {text:?}"), list(&handle, Who::Main, filter, EVERY).await?.rows, expected)?;
    }
    Ok(())
}

async fn list_has_credits_with_what_was_sent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 1, "200.05", gbp()?)?).await)?;
    let filter = ActivityFilter { kinds: vec![ActivityType::Deposit], ..ActivityFilter::default() };
    let rows = list(&handle, Who::Main, filter, EVERY).await?.rows;
    same("the number of deposits", rows.len(), 4)?;
    let id = ActivityId(crate::commands::journal_id(1).0);
    let found = expect_some("the credit", rows.iter().find(|row| row.id == id))?;
    let expected = (done.amount, done.amount, gbp()?, Who::Main.budget(), done.created_at, ActivityStatus::Complete);
    same(
        "the credit",
        (found.amount, found.impacted, found.currency, found.budget, found.created_at, found.status),
        expected,
    )?;
    let detail = ActivityDetail::Credit(Some(Box::new(CreditDetail::from(&done))));
    same("what was sent", &found.detail, &detail)?;
    let funding = rows.iter().filter(|row| row.detail == ActivityDetail::Credit(None)).count();
    same("the credits that funded the budgets", funding, 3)
}

async fn list_has_both_sides_of_transfers(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let ends = (Who::Main.budget(), Who::Main.second_budget());
    let done = expect_new(handle.transfers.transfer(transfer(Who::Main, 1, ends, "20.05")?).await)?;
    let [paid, received] = expect_some("both sides", Activity::of_transfer(&done.transfer))?;
    let kinds = vec![ActivityType::Unload, ActivityType::Load];
    for (budget, side) in [(ends.0, paid), (ends.1, received)] {
        let filter = ActivityFilter { kinds: kinds.clone(), budgets: vec![budget], ..ActivityFilter::default() };
        let found = list(&handle, Who::Main, filter, EVERY).await?;
        same("the transfer", (found.count, found.rows), (1, vec![side]))?;
    }
    Ok(())
}

async fn list_has_payments_from_their_confirmation_on(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let filter = ActivityFilter { kinds: vec![ActivityType::BatchPayment], ..ActivityFilter::default() };
    let count = async || Ok::<_, Failure>(list(&handle, Who::Main, filter.clone(), EVERY).await?.count);
    expect_new(
        handle
            .management
            .create(create(Who::Main, empty(Who::Main, 3, noon())?, Some(NewPayments::of(300_000, 4)))?)
            .await,
    )?;
    same("before the confirmation", count().await?, 0)?;
    let batch = add_confirmed_batch(&handle, Who::Main, 1, 6).await?;
    same("after a confirmation", count().await?, 6)?;
    let lease = claim_one(&handle, 1, after(90)).await?;
    handle.processing.start(start(&lease, 5000)).await?;
    handle.processing.start_payments(start_payments(&lease, 2, 6000)).await?;
    let rows = list(&handle, Who::Main, filter.clone(), EVERY).await?.rows;
    let at = expect_some("its confirmation", batch.state.confirmation())?.at;
    let stored = crate::payments::content(&handle, Who::Main, batch_id(1)).await?.payments;
    let mut expected: Vec<_> = stored
        .into_iter()
        .filter_map(|payment| Activity::of_payment(payment, PaymentNumbers::default(), Some(at)))
        .collect();
    expected.sort_by_key(Activity::order);
    same("when the money was reserved", rows.iter().all(|row| row.created_at == at), true)?;
    same("the payments", rows, expected)
}

async fn list_has_cancelled_payments_of_confirmed_batches(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(
        handle
            .management
            .create(create(Who::Main, empty(Who::Main, 3, noon())?, Some(NewPayments::of(300_000, 4)))?)
            .await,
    )?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(3), 7000)?).await)?;
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    expect_new(handle.management.cancel(cancel(Who::Main, batch_id(1), 8000)?).await)?;
    let filter = ActivityFilter { kinds: vec![ActivityType::BatchPayment], ..ActivityFilter::default() };
    let rows = list(&handle, Who::Main, filter, EVERY).await?.rows;
    let seen: Vec<_> = rows.iter().map(|row| (row.status, row.impacted)).collect();
    same("those of the confirmed batch", seen, vec![(ActivityStatus::Cancelled, Minor::ZERO); 2])
}

async fn finds_what_the_list_has_and_nothing_else(handle: Handle) -> CheckResult {
    let all = create_movements(&handle).await?;
    let account = Who::Main.account()?;
    for row in all {
        same("the found movement", handle.activities.find(&account, key_of(&row)).await?, Some(row))?;
    }
    // An unconfirmed payment, a journal transaction that is not a credit, and an unknown id.
    let hold = crate::commands::journal_id(1000);
    for id in [payment_id(300_000).0, hold.0, uuid(99, 1)] {
        let keys = [ActivityKey::BudgetMovement(ActivityId(id)), ActivityKey::Payment(PaymentId(id))];
        for key in keys.into_iter().chain([ActivityKey::Transaction(TransactionToken(id)), ActivityKey::Number(9999)]) {
            same(&format!("{key:?}"), handle.activities.find(&account, key).await?, None)?;
        }
    }
    Ok(())
}

async fn finds_numbers_and_any_message_of_a_chain(handle: Handle) -> CheckResult {
    let all = create_movements(&handle).await?;
    let account = Who::Main.account()?;
    let mut numbers = Vec::new();
    for row in all {
        for number in row.numbers() {
            numbers.push(number);
            let found = handle.activities.find(&account, ActivityKey::Number(number)).await?;
            same("by its number", found.as_ref(), Some(&row))?;
        }
        let tokens = match &row.detail {
            ActivityDetail::Card(chain) => chain.follow_ups.iter().map(|message| message.token).collect(),
            ActivityDetail::Payment { payment, .. } => {
                let key = ActivityKey::Transaction(TransactionToken(payment.id.0));
                same("a payment is no transaction", handle.activities.find(&account, key).await?, None)?;
                vec![]
            }
            _ => vec![TransactionToken(row.id.0)],
        };
        for token in tokens {
            let found = handle.activities.find(&account, ActivityKey::Transaction(token)).await?;
            same("as a transaction", found.as_ref(), Some(&row))?;
        }
    }
    numbers.sort_unstable();
    // Two credits, both sides of a transfer, a top-up, two payments, and the return of one of them.
    same("the numbers, without gaps", numbers, (1..=8).collect::<Vec<_>>())
}

async fn foreign_movements_are_absent(handle: Handle) -> CheckResult {
    create_movements(&handle).await?;
    for (who, other) in [(Who::Main, Who::Other), (Who::Other, Who::Main)] {
        let account = who.account()?;
        same("accounts", all_movements(&handle, who).await?.iter().all(|row| row.account == account), true)?;
        for row in all_movements(&handle, other).await? {
            same("a foreign movement", handle.activities.find(&account, key_of(&row)).await?, None)?;
        }
        let filter = ActivityFilter { budgets: vec![other.budget()], ..ActivityFilter::default() };
        same("of a foreign budget", list(&handle, who, filter, EVERY).await?.count, 0)?;
    }
    Ok(())
}
