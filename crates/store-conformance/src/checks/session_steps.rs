//! Checks of the steps of sessions and top-ups.

use super::events::kinds;
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_session, add_top_up, approval, checkout_session_id, drawn_id, pay, payer_bank, shipping, step,
};
use crate::commands::{answer_of, claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right, credit_situation};
use crate::payments::after;
use crate::seed_data::{Who, gbp, seed_store};
use crate::together::{Work, race};
use chrono::TimeDelta;
use florin_domain::checkout::{
    BankAnswer, BankReport, BankReportResult, CheckoutSession, DueItem, MerchantPayment, MerchantPaymentFilter,
    MerchantPaymentState, MerchantPaymentStatus, PayerDecision, PaymentFailure, PaymentSort, SessionAction,
    SessionRefusal, SessionState, SessionStatus,
};
use florin_domain::event::{EventFilter, EventKind};
use florin_domain::ids::{MerchantOrderId, MerchantPaymentId};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{Due, FoundSession, SessionCommand, WriteError, Written};
use std::collections::BTreeMap;
use std::sync::Arc;

checks! {
    "checkout_sessions.act.stores_the_whole_decision" => stores_the_whole_decision,
    "checkout_sessions.act.stores_every_state" => stores_every_state,
    "checkout_sessions.act.keeps_payments_that_failed" => keeps_payments_that_failed,
    "checkout_sessions.find.has_the_payment_that_is_not_final" => find_has_the_payment_that_is_not_final,
    "checkout_sessions.act.of_a_top_up_credits_the_budget" => act_of_a_top_up_credits_the_budget,
    "checkout_sessions.act.refusal_stores_nothing" => refusal_stores_nothing,
    "checkout_sessions.act.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "checkout_sessions.act.one_of_concurrent_approvals_counts" => one_of_concurrent_approvals_counts,
    "checkout_sessions.act.of_cancellations_and_payments_one_wins" => act_of_cancellations_and_payments_one_wins,
    "checkout_sessions.act.of_expiry_and_approval_one_wins" => in_time_or_late,
    "checkout_sessions.act.stores_when_the_bank_is_asked_again" => stores_when_the_bank_is_asked_again,
    "checkout_sessions.act.top_ups_of_one_budget_add_up" => top_ups_of_one_budget_add_up,
}

async fn find(handle: &Handle, number: u128) -> Result<FoundSession, Failure> {
    let found = handle.checkout_sessions.find(&Who::Main.account()?, checkout_session_id(number)).await?;
    expect_some("the session", found)
}

/// Returns the payments of my sessions, oldest first.
async fn payments(handle: &Handle) -> Result<Vec<MerchantPayment>, Failure> {
    let (filter, page) = (MerchantPaymentFilter::default(), PageRequest { limit: 100, offset: 0 });
    let mine = Who::Main.account()?;
    let found = handle.merchant_payments.list(&mine, filter, PaymentSort::OldestFirst, page).await?;
    let mut payments = Vec::new();
    for row in found.rows {
        let payment = handle.merchant_payments.find(&mine, row.id).await?;
        payments.push(expect_some("a listed payment", payment)?.payment);
    }
    Ok(payments)
}

async fn apply_step(handle: &Handle, command: SessionCommand) -> Result<CheckoutSession, Failure> {
    expect_new(handle.checkout_sessions.act(command).await)
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let new = add_session(&handle, Who::Main, checkout, 1).await?;
    let later = approval(after(500));
    let action = pay(Some(shipping()?), later)?;
    let done = apply_step(&handle, step(Who::Main, 1, action, (1, after(9)))?).await?;
    let expected = CheckoutSession {
        state: SessionState::Processing { due_at: after(500) },
        shipping: Some(shipping()?),
        updated_at: after(9),
        ..new
    };
    same("the answer", &done, &expected)?;
    let found = find(&handle, 1).await?;
    let pending = expect_some("its payment", found.pending().cloned())?;
    same("what is found", (found.session, found.attempts), (expected.clone(), 1))?;
    let id = MerchantPaymentId(drawn_id(1, 0));
    let confirmed = BankAnswer::Report(BankReport { at: after(500), result: BankReportResult::Confirmed });
    let state = MerchantPaymentState::Pending { initiated_at: after(9), answer: Some(confirmed) };
    same("the payment", (pending.id, pending.state, &pending.bank), (id, state, &payer_bank()?))?;
    same("events", kinds(&handle).await?, BTreeMap::new())?;
    let done = apply_step(&handle, step(Who::Main, 1, SessionAction::Due, (2, after(600)))?).await?;
    let order = Some(MerchantOrderId(drawn_id(2, 0)));
    let expected = CheckoutSession {
        state: SessionState::Completed { payment: id, order, completed_at: after(500) },
        updated_at: after(500),
        ..expected
    };
    same("the completed session", &done, &expected)?;
    let state = MerchantPaymentState::Completed { initiated_at: after(9), completed_at: after(500) };
    let completed = MerchantPayment { state, ..pending };
    let found = FoundSession { session: expected, last: Some(completed.clone()), attempts: 1 };
    same("what is found", find(&handle, 1).await?, found)?;
    same("the payments", payments(&handle).await?, vec![completed])?;
    // The seeded merchant has the permission `reconciliation`, so its completed payments are reconciled, too.
    let events = [(EventKind::MerchantCheckoutSessionCompleted, 1), (EventKind::MerchantPaymentReconciled, 1)];
    same("events", kinds(&handle).await?, events.into())?;
    let balance = balances(&handle, Who::Main, gbp()?).await?;
    same("the budget", balance, Balances::new(Minor(9_500), Minor(0), Minor(0))?)?;
    books_are_right(&handle).await
}

async fn stores_every_state(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let begin = || (SessionAction::Begin, after(20));
    let expire = || (SessionAction::Due, after(3_600));
    let cases = [
        (vec![], SessionState::Open { has_begun: false }),
        (vec![begin()], SessionState::Open { has_begun: true }),
        (vec![(SessionAction::MerchantCancels, after(20))], SessionState::Cancelled { has_begun: false }),
        (vec![begin(), (SessionAction::PayerCancels, after(21))], SessionState::Cancelled { has_begun: true }),
        (vec![expire()], SessionState::Expired),
        (vec![begin(), expire()], SessionState::Abandoned),
    ];
    for (number, (actions, state)) in (1..).zip(cases) {
        let mut session = add_session(&handle, Who::Main, checkout, number).await?;
        for (action, now) in actions {
            session = apply_step(&handle, step(Who::Main, number, action, (number, now))?).await?;
        }
        same("the answer", session.state, state)?;
        same("what is found", find(&handle, number).await?.session, session)?;
    }
    Ok(())
}

/// While a world's clock is frozen, all payments of a session have the same time.
async fn find_has_the_payment_that_is_not_final(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let token = add_session(&handle, Who::Main, checkout, 1).await?.token;
    apply_step(&handle, step(Who::Main, 1, SessionAction::Ship(shipping()?), (9, after(4)))?).await?;
    for series in [3, 1, 2] {
        apply_step(&handle, step(Who::Main, 1, SessionAction::ChooseBank(payer_bank()?), (series, after(5)))?).await?;
        let found = find(&handle, 1).await?;
        let pending = found.pending().map(|payment| payment.id);
        same("the payment", pending, Some(MerchantPaymentId(drawn_id(series, 0))))?;
        same("the session of the page", handle.checkout_sessions.with_token(token).await?, Some(found))?;
    }
    same("the number of payments", find(&handle, 1).await?.attempts, 3)
}

async fn keeps_payments_that_failed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    add_session(&handle, Who::Main, checkout, 1).await?;
    apply_step(&handle, step(Who::Main, 1, SessionAction::Ship(shipping()?), (9, after(4)))?).await?;
    let bank = payer_bank()?;
    apply_step(&handle, step(Who::Main, 1, SessionAction::ChooseBank(bank.clone()), (1, after(5)))?).await?;
    // Choosing another bank gives up the first payment.
    apply_step(&handle, step(Who::Main, 1, SessionAction::ChooseBank(bank), (2, after(6)))?).await?;
    let second = MerchantPaymentId(drawn_id(2, 0));
    let rejected = SessionAction::AtBank(second, PayerDecision::Reject);
    let session = apply_step(&handle, step(Who::Main, 1, rejected, (3, after(7)))?).await?;
    let found = find(&handle, 1).await?;
    same("the session", (session.status(), found.pending(), found.attempts), (SessionStatus::Open, None, 2))?;
    same("its last payment", found.last.map(|payment| payment.id), Some(second))?;
    let timed_out = BankReportResult::Failed(PaymentFailure::TimedOut);
    let approved = PayerDecision::Approve(BankAnswer::Report(BankReport { at: after(20), result: timed_out }));
    apply_step(&handle, step(Who::Main, 1, pay(None, approved)?, (4, after(8)))?).await?;
    apply_step(&handle, step(Who::Main, 1, SessionAction::Due, (5, after(30)))?).await?;
    let facts: Vec<_> = payments(&handle).await?.into_iter().map(|payment| (payment.id.0, payment.state)).collect();
    let failed = |initiated_at, reason, reported_at| MerchantPaymentState::Failed { initiated_at, reason, reported_at };
    let expected = vec![
        (drawn_id(1, 0), MerchantPaymentState::Cancelled { initiated_at: Some(after(5)) }),
        (drawn_id(2, 0), failed(after(6), PaymentFailure::RejectedByBank, None)),
        (drawn_id(4, 0), failed(after(8), PaymentFailure::TimedOut, Some(after(20)))),
    ];
    same("the payments", facts, expected)?;
    same("events", kinds(&handle).await?, [(EventKind::MerchantPaymentFailed, 2)].into())
}

async fn act_of_a_top_up_credits_the_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let number =
        async || Ok::<_, Failure>(credit_situation(&handle, &mine, Who::Main.budget()).await?.map(|seen| seen.number));
    let next = expect_some("the next number", number().await?)?;
    add_top_up(&handle, Who::Main, 1).await?;
    same("the number after the creation", number().await?, Some(next))?;
    let action = pay(None, approval(after(9)))?;
    let session = apply_step(&handle, step(Who::Main, 1, action, (1, after(9)))?).await?;
    same("the session", (session.status(), session.state.order()), (SessionStatus::Completed, None))?;
    let balance = balances(&handle, Who::Main, gbp()?).await?;
    same("the budget", balance, Balances::new(Minor(10_500), Minor(0), Minor(0))?)?;
    same("the next number", number().await?, Some(next + 1))?;
    let events =
        handle.events.list(super::events::reach(Who::Main)?, EventFilter::default(), PageRequest::default()).await?;
    same("events", kinds(&handle).await?, [(EventKind::BoxCredited, 1)].into())?;
    let text = format!("number: {next}");
    same("whether the event has the number", events.rows.iter().all(|event| event.body.contains(&text)), true)?;
    same("the other budget", balances(&handle, Who::Other, gbp()?).await?.available(), Minor(9_500))?;
    books_are_right(&handle).await
}

async fn refusal_stores_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    add_session(&handle, Who::Main, checkout, 1).await?;
    let cancel = || step(Who::Main, 1, SessionAction::MerchantCancels, (1, after(5)));
    apply_step(&handle, cancel()?).await?;
    let before = Observation::take(&handle, 1).await?;
    let claimed = || Ok::<_, Failure>(SessionCommand { claim: Some(claim(Who::Main, "k", "{}")?), ..cancel()? });
    let refusal = refused(handle.checkout_sessions.act(claimed()?).await)?;
    same("the refusal", refusal, SessionRefusal::NotOpen(SessionStatus::Cancelled))?;
    let pay = step(Who::Main, 1, pay(Some(shipping()?), approval(after(6)))?, (2, after(6)))?;
    refused(handle.checkout_sessions.act(pay).await)?;
    let nobody = step(Who::Main, 404, SessionAction::Due, (3, after(6)))?;
    absent("an unknown session", &handle.checkout_sessions.act(nobody).await)?;
    before.still_holds("refused steps", &handle).await?;
    // The key of the refused request is free.
    add_session(&handle, Who::Main, checkout, 2).await?;
    let command = step(Who::Main, 2, SessionAction::MerchantCancels, (4, after(7)))?;
    let command = SessionCommand { claim: Some(claim(Who::Main, "k", "{}")?), ..command };
    apply_step(&handle, command).await.map(drop)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_top_up(&handle, Who::Main, 1).await?;
    let command = |body, series| {
        let action = pay(None, approval(after(9)))?;
        let claim = Some(claim(Who::Main, "k", body)?);
        Ok::<_, Failure>(SessionCommand { claim, ..step(Who::Main, 1, action, (series, after(9)))? })
    };
    let done = apply_step(&handle, command("{}", 1)?).await?;
    same("the answer", replayed(handle.checkout_sessions.act(command("{}", 2)?).await)?, answer_of(&done))?;
    same("the first request", mismatch(handle.checkout_sessions.act(command("[]", 3)?).await)?, request("{}"))?;
    same("the budget", balances(&handle, Who::Main, gbp()?).await?.available(), Minor(10_500))
}

pub(super) type SessionResult = Result<Written<CheckoutSession>, WriteError<SessionRefusal>>;

pub(super) fn work(handle: &Handle, command: SessionCommand) -> Work<SessionResult> {
    let sessions = Arc::clone(&handle.checkout_sessions);
    Box::pin(async move { sessions.act(command).await })
}

async fn one_of_concurrent_approvals_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_top_up(&handle, Who::Main, 1).await?;
    apply_step(&handle, step(Who::Main, 1, SessionAction::ChooseBank(payer_bank()?), (1, after(5)))?).await?;
    let mut all = Vec::new();
    for number in 10..18 {
        let action = SessionAction::AtBank(MerchantPaymentId(drawn_id(1, 0)), approval(after(9)));
        all.push(work(&handle, step(Who::Main, 1, action, (number, after(9)))?));
    }
    for answer in race(all).await? {
        same("the status", expect_new(answer)?.status(), SessionStatus::Completed)?;
    }
    let balance = balances(&handle, Who::Main, gbp()?).await?;
    same("the budget", balance, Balances::new(Minor(10_500), Minor(0), Minor(0))?)?;
    same("events", kinds(&handle).await?, [(EventKind::BoxCredited, 1)].into())?;
    books_are_right(&handle).await
}

async fn act_of_cancellations_and_payments_one_wins(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    for session in 1..=4 {
        add_session(&handle, Who::Main, checkout, session).await?;
        let mut all = Vec::new();
        for number in 0..3 {
            let series = session * 100 + number * 10;
            let pay = pay(Some(shipping()?), approval(after(9)))?;
            all.push(work(&handle, step(Who::Main, session, pay, (series, after(9)))?));
            all.push(work(&handle, step(Who::Main, session, SessionAction::MerchantCancels, (series + 1, after(9)))?));
        }
        let mut winners = Vec::new();
        for answer in race(all).await? {
            match answer {
                Ok(Written::New(session)) => winners.push(session),
                Err(WriteError::Refused(SessionRefusal::NotOpen(_))) => {}
                other => return Err(Failure::new(format!("neither a winner nor a refusal: {other:?}"))),
            }
        }
        same("winners", winners.len(), 1)?;
        let found = find(&handle, session).await?;
        same("the session", winners.pop(), Some(found.session.clone()))?;
        let count = payments(&handle).await?.iter().filter(|payment| payment.session == found.session.id).count();
        let is_paid = found.session.status() == SessionStatus::Completed;
        same("its payments", (count, found.pending()), (usize::from(is_paid), None))?;
    }
    books_are_right(&handle).await
}

/// Two instances have slightly different clocks: for one the session has expired, for the other it has not.
async fn in_time_or_late(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    for number in 1..=4 {
        let expires_at = add_session(&handle, Who::Main, checkout, number).await?.expires_at;
        for action in [SessionAction::Ship(shipping()?), SessionAction::ChooseBank(payer_bank()?)] {
            apply_step(&handle, step(Who::Main, number, action, (number, after(9)))?).await?;
        }
        let mut all = Vec::new();
        for place in 0..4 {
            let series = number * 100 + place * 10;
            let early = expires_at - TimeDelta::microseconds(1);
            let approve = SessionAction::AtBank(MerchantPaymentId(drawn_id(number, 0)), approval(early));
            all.push(work(&handle, step(Who::Main, number, approve, (series, early))?));
            all.push(work(&handle, step(Who::Main, number, SessionAction::Due, (series + 1, expires_at))?));
        }
        let mut seen = Vec::new();
        for answer in race(all).await? {
            seen.push(expect_new(answer)?.status());
        }
        let found = find(&handle, number).await?;
        let expected = match found.session.status() {
            SessionStatus::Completed => MerchantPaymentStatus::Completed,
            SessionStatus::Abandoned => MerchantPaymentStatus::Cancelled,
            other => return Err(Failure::new(format!("neither paid nor over: {other:?}"))),
        };
        same("what every instance saw", seen, vec![found.session.status(); 8])?;
        let own = payments(&handle).await?.into_iter().filter(|payment| payment.session == found.session.id);
        same("its payment", own.map(|payment| payment.status()).collect::<Vec<_>>(), vec![expected])?;
    }
    books_are_right(&handle).await
}

async fn stores_when_the_bank_is_asked_again(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    add_top_up(&handle, Who::Main, 1).await?;
    let ask = |at| PayerDecision::Approve(BankAnswer::AskAgain(at));
    let done = apply_step(&handle, step(Who::Main, 1, pay(None, ask(after(70)))?, (1, after(9)))?).await?;
    same("the answer", done.state, SessionState::Processing { due_at: after(70) })?;
    same("what is found", find(&handle, 1).await?.session, done.clone())?;
    let mine = Who::Main.account()?;
    let due = async |now| Ok::<_, Failure>(handle.checkout_sessions.due(Some(mine.clone()), now, 9).await?);
    same("due before", due(after(69)).await?, vec![])?;
    same("due", due(after(70)).await?, vec![Due { at: after(70), item: DueItem::Session(mine.clone(), done.id) }])?;
    let payment = MerchantPaymentId(drawn_id(1, 0));
    let later = SessionAction::BankSays(payment, ask(after(99)), after(70));
    let asked = apply_step(&handle, step(Who::Main, 1, later, (2, after(70)))?).await?;
    let expected = SessionState::Processing { due_at: after(99) };
    same("the next time at which the bank is asked", asked.state, expected)?;
    same("due then", due(after(98)).await?, vec![])?;
    let confirmed = SessionAction::BankSays(payment, approval(after(99)), after(99));
    let paid = apply_step(&handle, step(Who::Main, 1, confirmed, (3, after(99)))?).await?;
    let completed = SessionState::Completed { payment, order: None, completed_at: after(99) };
    same("the session in the end", paid.state, completed)?;
    books_are_right(&handle).await
}

async fn top_ups_of_one_budget_add_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut all = Vec::new();
    for number in 1..=10 {
        add_top_up(&handle, Who::Main, number).await?;
        let action = pay(None, approval(after(20)))?;
        all.push(work(&handle, step(Who::Main, number, action, (number, after(20)))?));
    }
    for answer in race(all).await? {
        expect_new(answer)?;
    }
    same("the budget", balances(&handle, Who::Main, gbp()?).await?.available(), Minor(19_500))?;
    super::events::without_gaps(&super::events::stored(&handle).await?)?;
    books_are_right(&handle).await
}
