//! Checks of finding and listing sessions, and of finding sessions and refunds with due changes.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_paid_session, add_refund, add_session, add_top_up, approval, checkout_session_id, create_session,
    create_top_up, page_token, pay, pay_session, refund_id, session_request, shipping, step, top_up_request,
};
use crate::expect::{absent, expect_new, expect_some, same};
use crate::factory::Handle;
use crate::merchants::{approve_payee, create_payee, payee_id};
use crate::observe::Observation;
use crate::payments::after;
use crate::seed_data::{Who, checkout, day, noon, seed_store};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::checkout::{
    BankAnswer, BankReport, BankReportResult, DueItem, PayerDecision, PaymentFailure, SessionAction, SessionFilter,
    SessionRequest, SessionStatus, SessionTarget,
};
use florin_domain::ids::MerchantOrderId;
use florin_domain::merchant::{Approval, CheckoutType};
use florin_domain::page::PageRequest;
use florin_domain::world::ClockChange;
use florin_ports::Due;
use uuid::Uuid;

checks! {
    "checkout_sessions.list.newest_first_in_pages_without_top_ups" => list_newest_first_in_pages_without_top_ups,
    "checkout_sessions.list.by_each_filter" => list_by_each_filter,
    "checkout_sessions.list.days_include_both_ends" => days_include_both_ends,
    "checkout_sessions.with_order.finds_the_completed_session" => finds_the_completed_session,
    "tenancy.checkout_sessions.are_found_and_changed_on_one_account_only" =>
        checkout_sessions_are_found_and_changed_on_one_account_only,
    "checkout_sessions.due.earliest_first_up_to_the_maximum" => due_earliest_first_up_to_the_maximum,
    "checkout_sessions.due.again_in_the_place_of_its_new_time" => due_again_in_the_place_of_its_new_time,
    "checkout_sessions.due.accounts_with_their_own_timeline_separately" (Sandbox) => own_time,
    "checkout_sessions.due_accounts.by_their_own_clocks" (Sandbox) => due_accounts_by_their_own_clocks,
}

/// Returns the count and the numbers of my matching sessions.
async fn numbers(handle: &Handle, filter: SessionFilter, page: PageRequest) -> Result<(i64, Vec<u128>), Failure> {
    let found = handle.checkout_sessions.list(&Who::Main.account()?, filter, page).await?;
    let first = checkout_session_id(0).0.as_u128();
    Ok((found.count, found.rows.iter().map(|session| session.id.0.as_u128() - first).collect()))
}

async fn list_newest_first_in_pages_without_top_ups(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    // Sessions 3 and 4 have the same time.
    for (number, at) in [(2, after(9)), (4, after(5)), (3, after(5)), (5, after(1))] {
        let mut request = session_request(Who::Main, number)?;
        request.draft.now = at;
        expect_new(handle.checkout_sessions.create(create_session(Who::Main, checkout, request)?).await)?;
    }
    add_top_up(&handle, Who::Main, 6).await?;
    let theirs = add_checkout(&handle, Who::Other, 7).await?;
    add_session(&handle, Who::Other, theirs, 7).await?;
    let all = numbers(&handle, SessionFilter::default(), PageRequest::default()).await?;
    same("all sessions", all, (4, vec![2, 4, 3, 5]))?;
    let page = PageRequest { limit: 2, offset: 1 };
    same("a page", numbers(&handle, SessionFilter::default(), page).await?, (4, vec![4, 3]))?;
    let top_ups = SessionFilter { checkout_type: Some(CheckoutType::TopUp), ..SessionFilter::default() };
    same("sessions for payees", numbers(&handle, top_ups, page).await?, (0, vec![]))
}

async fn list_by_each_filter(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (one, two) = (add_checkout(&handle, Who::Main, 1).await?, add_checkout(&handle, Who::Main, 2).await?);
    for (checkout, number) in [(one, 1), (one, 2), (two, 3), (two, 4)] {
        add_session(&handle, Who::Main, checkout, number).await?;
    }
    expect_new(handle.payees.create(create_payee(Who::Main, 1)?).await)?;
    handle.payees.approve(approve_payee(Who::Main, payee_id(1), Approval::Approve, after(1))?).await?;
    let request = SessionRequest { target: SessionTarget::TopUp(payee_id(1)), ..session_request(Who::Main, 5)? };
    let top_ups = checkout(Who::Main, 1)?.id;
    expect_new(handle.checkout_sessions.create(create_session(Who::Main, top_ups, request)?).await)?;
    pay_session(&handle, Who::Main, 2).await?;
    let cancel = step(Who::Main, 3, SessionAction::MerchantCancels, (3, after(60)))?;
    expect_new(handle.checkout_sessions.act(cancel).await)?;
    let any = SessionFilter::default;
    let reference = |text: &str| SessionFilter { merchant_reference: Some(text.into()), ..any() };
    for (what, filter, expected) in [
        ("a checkout", SessionFilter { checkout: Some(two), ..any() }, vec![4, 3]),
        ("SHOPPING", SessionFilter { checkout_type: Some(CheckoutType::Shopping), ..any() }, vec![4, 3, 2, 1]),
        ("TOP_UP", SessionFilter { checkout_type: Some(CheckoutType::TopUp), ..any() }, vec![5]),
        ("OPEN", SessionFilter { status: Some(SessionStatus::Open), ..any() }, vec![5, 4, 1]),
        ("COMPLETED", SessionFilter { status: Some(SessionStatus::Completed), ..any() }, vec![2]),
        ("CANCELLED", SessionFilter { status: Some(SessionStatus::Cancelled), ..any() }, vec![3]),
        ("a reference", reference("Zamówienie ✓ 4"), vec![4]),
        ("a part of a reference", reference("Zamówienie"), vec![]),
        ("a reference in other letters", reference("zamówienie ✓ 4"), vec![]),
        ("two filters", SessionFilter { checkout: Some(one), ..reference("Zamówienie ✓ 4") }, vec![]),
    ] {
        let count = i64::try_from(expected.len()).unwrap_or_default();
        same(what, numbers(&handle, filter, PageRequest::default()).await?, (count, expected))?;
    }
    Ok(())
}

async fn days_include_both_ends(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let midnight = noon() - TimeDelta::hours(12);
    let moment = TimeDelta::microseconds(1);
    for (number, at) in [
        (1, midnight - moment),
        (2, midnight),
        (3, midnight + TimeDelta::days(1) - moment),
        (4, midnight + TimeDelta::days(1)),
    ] {
        let mut request = session_request(Who::Main, number)?;
        request.draft.now = at;
        expect_new(handle.checkout_sessions.create(create_session(Who::Main, checkout, request)?).await)?;
    }
    let between = async |from, to| {
        numbers(&handle, SessionFilter { from, to, ..SessionFilter::default() }, PageRequest::default()).await
    };
    let first = Some(day(2026, 9, 1));
    same("sessions of one day", between(first, first).await?, (2, vec![3, 2]))?;
    same("sessions from a day on", between(first, None).await?, (3, vec![4, 3, 2]))?;
    same("sessions until a day", between(None, first).await?, (3, vec![3, 2, 1]))?;
    same("sessions of a later day", between(Some(day(2026, 9, 3)), None).await?, (0, vec![]))
}

async fn finds_the_completed_session(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    add_session(&handle, Who::Main, checkout, 1).await?;
    add_session(&handle, Who::Main, checkout, 2).await?;
    let session = pay_session(&handle, Who::Main, 2).await?;
    let order = expect_some("the order", session.state.order())?;
    let sessions = &handle.checkout_sessions;
    same("with the order", sessions.with_order(&Who::Main.account()?, order).await?, Some(session))?;
    same("on the other account", sessions.with_order(&Who::Other.account()?, order).await?, None)?;
    let unknown = MerchantOrderId(Uuid::from_u128(1));
    same("with an unknown order", sessions.with_order(&Who::Main.account()?, unknown).await?, None)
}

async fn checkout_sessions_are_found_and_changed_on_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let theirs = add_checkout(&handle, Who::Other, 1).await?;
    add_session(&handle, Who::Other, theirs, 1).await?;
    add_top_up(&handle, Who::Other, 2).await?;
    let before = Observation::take(&handle, 1).await?;
    let mine = Who::Main.account()?;
    for number in [1, 2] {
        same("a foreign session", handle.checkout_sessions.find(&mine, checkout_session_id(number)).await?, None)?;
        for action in [SessionAction::Due, SessionAction::MerchantCancels] {
            let command = step(Who::Main, number, action, (1, after(30)))?;
            absent("a step of a foreign session", &handle.checkout_sessions.act(command).await)?;
        }
    }
    before.still_holds("steps of foreign sessions", &handle).await?;
    let my_checkout = add_checkout(&handle, Who::Main, 3).await?;
    add_session(&handle, Who::Main, my_checkout, 3).await?;
    for (who, of) in [(Who::Other, 1), (Who::Main, 3)] {
        let (account, id) = (who.account()?, checkout_session_id(of));
        let found = handle.checkout_sessions.with_token(page_token(&account, id.0)).await?;
        let found = expect_some("the session of a page", found)?.session;
        same("the session of a page", (found.account, found.id), (account, id))?;
    }
    Ok(())
}

const fn minutes(number: i64) -> TimeDelta {
    TimeDelta::minutes(number)
}

async fn due_earliest_first_up_to_the_maximum(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, theirs) = (Who::Main.account()?, Who::Other.account()?);
    let (my_checkout, their_checkout) =
        (add_checkout(&handle, Who::Main, 1).await?, add_checkout(&handle, Who::Other, 2).await?);
    let open = async |who, checkout, number, lifetime| {
        let mut request = session_request(who, number)?;
        (request.draft.terms.lifetime, request.draft.now) = (lifetime, noon());
        expect_new(handle.checkout_sessions.create(create_session(who, checkout, request)?).await)
    };
    open(Who::Main, my_checkout, 1, minutes(9)).await?;
    open(Who::Main, my_checkout, 2, minutes(7)).await?;
    open(Who::Other, their_checkout, 3, minutes(8)).await?;
    let mut top_up = top_up_request(Who::Main, 4)?;
    (top_up.draft.terms.lifetime, top_up.draft.now) = (minutes(6), noon());
    expect_new(handle.checkout_sessions.create_top_up(create_top_up(Who::Main, top_up)?).await)?;
    // The bank of session 5 reports five minutes after noon. Session 6 is final, and only its refund is due.
    open(Who::Main, my_checkout, 5, minutes(1)).await?;
    let action = pay(Some(shipping()?), approval(noon() + minutes(5)))?;
    expect_new(handle.checkout_sessions.act(step(Who::Main, 5, action, (5, after(10)))?).await)?;
    let refunded_payment = add_paid_session(&handle, Who::Main, my_checkout, 6).await?;
    let refund = add_refund(&handle, Who::Main, refunded_payment.id, 7).await?;
    let until = expect_some("when the refund is due", refund.refund_due_at())?;
    let session = |account: &florin_domain::ids::AccountId, number, due_after| {
        let item = DueItem::Session(account.clone(), checkout_session_id(number));
        Due { at: noon() + minutes(due_after), item }
    };
    let all = [
        session(&mine, 5, 5),
        session(&mine, 4, 6),
        session(&mine, 2, 7),
        session(&theirs, 3, 8),
        session(&mine, 1, 9),
        Due { at: until, item: DueItem::Refund(mine.clone(), refund_id(7)) },
    ];
    let due = async |account: Option<&florin_domain::ids::AccountId>, now: DateTime<Utc>, max| {
        Ok::<_, Failure>(handle.checkout_sessions.due(account.cloned(), now, max).await?)
    };
    let moment = TimeDelta::microseconds(1);
    same("everything", due(None, until, 100).await?, all.to_vec())?;
    same("a moment before the refund is due", due(None, until - moment, 100).await?, all[..5].to_vec())?;
    same("the first two", due(None, until, 2).await?, all[..2].to_vec())?;
    same(
        "at the exact time when the second item is due",
        due(None, noon() + minutes(6), 100).await?,
        all[..2].to_vec(),
    )?;
    same("before anything is due", due(None, noon() + minutes(5) - moment, 100).await?, vec![])?;
    same("due items of one account", due(Some(&theirs), until, 100).await?, vec![session(&theirs, 3, 8)])?;
    let of_mine: Vec<_> = all.iter().filter(|one| **one != session(&theirs, 3, 8)).cloned().collect();
    same("due items of the other account", due(Some(&mine), until, 100).await?, of_mine)?;
    // After its due change is applied, the session is not due any more.
    expect_new(handle.checkout_sessions.act(step(Who::Main, 5, SessionAction::Due, (51, until))?).await)?;
    expect_new(handle.checkout_sessions.act(step(Who::Main, 4, SessionAction::Due, (52, until))?).await)?;
    same("what is left", due(None, until, 100).await?, all[2..].to_vec())
}

/// The payment of session 1 fails before that of session 2 is confirmed. After that, session 1 expires.
async fn due_again_in_the_place_of_its_new_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, checkout) = (Who::Main.account()?, add_checkout(&handle, Who::Main, 1).await?);
    let result = BankReportResult::Failed(PaymentFailure::TimedOut);
    let failing = PayerDecision::Approve(BankAnswer::Report(BankReport { at: noon() + minutes(10), result }));
    for (number, decision) in [(1, failing), (2, approval(noon() + minutes(15)))] {
        let mut request = session_request(Who::Main, number)?;
        request.draft.now = noon();
        expect_new(handle.checkout_sessions.create(create_session(Who::Main, checkout, request)?).await)?;
        let paying = step(Who::Main, number, pay(Some(shipping()?), decision)?, (number, after(9)))?;
        expect_new(handle.checkout_sessions.act(paying).await)?;
    }
    let mut steps = Vec::new();
    let late = noon() + minutes(60);
    let first_due = async || {
        let due = handle.checkout_sessions.due(Some(mine.clone()), late, 9).await?;
        Ok::<_, Failure>(due.into_iter().next())
    };
    while let Some(Due { item, .. }) = first_due().await? {
        same("whether three steps are enough", steps.len() < 3, true)?;
        let number = if item == DueItem::Session(mine.clone(), checkout_session_id(1)) { 1 } else { 2 };
        let session =
            expect_some("the session", handle.checkout_sessions.find(&mine, checkout_session_id(number)).await?)?;
        let at = expect_some("when it is due", session.session.due_at())?;
        let series = 50 + u128::try_from(steps.len()).unwrap_or_default();
        let done =
            expect_new(handle.checkout_sessions.act(step(Who::Main, number, SessionAction::Due, (series, at))?).await)?;
        steps.push((number, at, done.status()));
    }
    let expected = vec![
        (1, noon() + minutes(10), SessionStatus::Open),
        (2, noon() + minutes(15), SessionStatus::Completed),
        (1, noon() + minutes(20), SessionStatus::Abandoned),
    ];
    same("the steps", steps, expected)?;
    let events = super::events::stored(&handle).await?;
    same("events in the order of their times", events.is_sorted_by_key(|event| event.occurred_at), true)?;
    same("the number of events", events.len(), 4)
}

async fn own_time(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, theirs) = (Who::Main.account()?, Who::Other.account()?);
    for (who, number) in [(Who::Main, 1), (Who::Other, 2)] {
        let checkout = add_checkout(&handle, who, number).await?;
        let payment = add_paid_session(&handle, who, checkout, number).await?;
        add_refund(&handle, who, payment.id, number).await?;
        add_session(&handle, who, checkout, number + 10).await?;
    }
    expect_new(handle.timelines.set_clock(super::timelines::change(Who::Main, ClockChange::Freeze)?).await)?;
    let late = noon() + TimeDelta::days(1);
    let items = async |account| {
        let due = handle.checkout_sessions.due(account, late, 100).await?;
        Ok::<Vec<_>, Failure>(due.into_iter().map(|due| due.item).collect())
    };
    let by_real_time = items(None).await?;
    let expected = [DueItem::Refund(theirs.clone(), refund_id(2)), DueItem::Session(theirs, checkout_session_id(12))];
    same("due by real time", by_real_time, expected.to_vec())?;
    let by_its_own = items(Some(mine.clone())).await?;
    let expected = [DueItem::Refund(mine.clone(), refund_id(1)), DueItem::Session(mine, checkout_session_id(11))];
    same("due by its own time", by_its_own, expected.to_vec())
}

/// Uses accounts with their own clocks: one is frozen before anything is due, and then advanced; one is ahead of real
/// time.
async fn due_accounts_by_their_own_clocks(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, theirs) = (Who::Main.account()?, Who::Other.account()?);
    for (who, number) in [(Who::Main, 1), (Who::Other, 2)] {
        let checkout = add_checkout(&handle, who, number).await?;
        add_session(&handle, who, checkout, number).await?;
    }
    let due = async |real| {
        let found = handle.checkout_sessions.due_accounts(real).await?;
        Ok::<_, Failure>(found.into_iter().map(|own| (own.account, own.timeline.clock)).collect::<Vec<_>>())
    };
    let move_clock = async |who, change| {
        let command = super::timelines::change(who, change)?;
        Ok::<_, Failure>(expect_new(handle.timelines.set_clock(command).await)?.clock)
    };
    let late = noon() + TimeDelta::days(1);
    same("due accounts when none has its own clock", due(late).await?, vec![])?;
    move_clock(Who::Main, ClockChange::Freeze).await?;
    same("due accounts while a clock is frozen before the due time", due(late).await?, vec![])?;
    let frozen = move_clock(Who::Main, ClockChange::AdvanceBy(TimeDelta::days(2))).await?;
    let ahead = move_clock(Who::Other, ClockChange::AdvanceBy(TimeDelta::hours(1))).await?;
    same(
        "the account whose clock is frozen after the due time",
        due(noon() - TimeDelta::hours(1)).await?,
        vec![(mine.clone(), frozen)],
    )?;
    let both = vec![(mine.clone(), frozen), (theirs.clone(), ahead)];
    same("the due accounts", due(noon()).await?, both)?;
    expect_new(handle.checkout_sessions.act(step(Who::Other, 2, SessionAction::Due, (51, late))?).await)?;
    same("the due accounts after one session has expired", due(noon()).await?, vec![(mine, frozen)])
}
