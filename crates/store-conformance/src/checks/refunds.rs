//! Checks of payments of sessions, and of refunds.

use super::events::kinds;
use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_paid_session, add_refund, add_session, add_top_up, approval, create_refund, page_token, pay,
    pay_session, payer_bank, refund_id, refund_request, refund_row, refund_step, shipping, step,
};
use crate::commands::{answer_of, claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::merchants::{
    approve_settlement_account, checkout_id, create_checkout, delete_settlement_account, edit_checkout,
    edit_settlement_account, open_settlement_account, settlement_account_id,
};
use crate::observe::{Observation, books_are_right};
use crate::payments::after;
use crate::seed_data::{Who, bank, gbp, noon, seed_data, seed_store};
use crate::together::{Work, race};
use chrono::TimeDelta;
use florin_domain::checkout::{
    BankAnswer, BankReport, BankReportResult, DueItem, ListedPayment, MerchantPayment, MerchantPaymentFilter,
    MerchantPaymentKind, MerchantPaymentState, MerchantPaymentStatus, PageTokenHash, PayerDecision, PaymentOverview,
    PaymentSort, PaymentsSummary, RefundAction, RefundPart, RefundRefusal, RefundRequest, RefundStatus, SessionAction,
};
use florin_domain::event::EventKind;
use florin_domain::ids::MerchantPaymentId;
use florin_domain::merchant::{Approval, Bank, BankId, CheckoutEdit, CheckoutType, SettlementAccountEdit};
use florin_domain::money::{Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::{CreateRefundCommand, Due, FoundRefund, RefundCommand, WriteError, Written};
use std::sync::Arc;

checks! {
    "merchant_payments.find.shows_what_the_session_says" => shows_what_the_session_says,
    "merchant_payments.find.refundable_by_refunds_bank_and_settlement_account" =>
        refundable_by_refunds_bank_and_settlement_account,
    "merchant_payments.list.by_each_filter" => list_by_each_filter,
    "merchant_payments.list.in_both_orders_in_pages" => list_in_both_orders_in_pages,
    "merchant_payments.list.refundable_like_each_payment" => listed_refundable,
    "merchant_payments.list.shows_the_order_of_a_session_that_was_paid_later" => paid_later,
    "merchant_payments.summary.sums_completed_ones" => sums_completed_ones,
    "merchant_payments.create_refund.stores_every_member" => stores_every_member,
    "merchant_payments.create_refund.of_100_on_10_pounds_exactly_10_pass" =>
        create_refund_of_100_on_10_pounds_exactly_10_pass,
    "merchant_payments.create_refund.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "merchant_payments.act.stores_the_whole_decision" => stores_the_whole_decision,
    "merchant_payments.act.stores_when_the_bank_is_asked_again" => stores_when_the_bank_is_asked_again,
    "merchant_payments.act.refusal_stores_nothing" => refusal_stores_nothing,
    "tenancy.merchant_payments.of_one_account_only" => merchant_payments_of_one_account_only,
}

const PAGE: PageRequest = PageRequest { limit: 100, offset: 0 };

async fn find(handle: &Handle, id: MerchantPaymentId) -> Result<PaymentOverview, Failure> {
    expect_some("the payment", handle.merchant_payments.find(&Who::Main.account()?, id).await?)
}

/// Creates checkout 1 and session 1 on my account, and pays the session.
pub(super) async fn create_purchase(handle: &Handle) -> Result<MerchantPayment, Failure> {
    seed_store(handle).await?;
    let checkout = add_checkout(handle, Who::Main, 1).await?;
    add_paid_session(handle, Who::Main, checkout, 1).await
}

/// Builds a command that authorises refund `number` at the bank, which confirms immediately.
fn authorise(number: u128) -> Result<RefundCommand, Failure> {
    let now = after(300 + i64::try_from(number).unwrap_or_default());
    refund_step(Who::Main, number, RefundAction::AtBank(approval(now)), (1_000 + number, now))
}

async fn shows_what_the_session_says(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?;
    let mine = Who::Main.account()?;
    let session = expect_some("the session", handle.checkout_sessions.find(&mine, payment.session).await?)?.session;
    let expected = PaymentOverview {
        checkout_type: CheckoutType::Shopping,
        order: session.state.order(),
        merchant_reference: session.merchant_reference,
        is_refundable: true,
        payment: payment.clone(),
    };
    same("the payment", find(&handle, payment.id).await?, expected.clone())?;
    let refund = add_refund(&handle, Who::Main, payment.id, 1).await?;
    let overview = PaymentOverview { payment: refund.clone(), is_refundable: false, ..expected };
    same("its refund", find(&handle, refund.id).await?, overview)?;
    add_top_up(&handle, Who::Main, 2).await?;
    let action = pay(None, approval(after(9)))?;
    let session = expect_new(handle.checkout_sessions.act(step(Who::Main, 2, action, (2, after(9)))?).await)?;
    let top_up = find(&handle, expect_some("its payment", session.state.payment())?).await?;
    let facts = (top_up.checkout_type, top_up.order, top_up.merchant_reference, top_up.is_refundable);
    same("the payment of a top-up", facts, (CheckoutType::TopUp, None, None, false))
}

async fn refundable_by_refunds_bank_and_settlement_account(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    data.banks.push(Bank { supports_refunds: false, ..bank(3, "Third")? });
    handle.seeding.seed(data).await?;
    // The checkout has a separate settlement account, without a bank at first.
    let own = settlement_account_id(1);
    let change = async |command| expect_new(handle.settlement_accounts.change(command).await);
    change(open_settlement_account(Who::Main, 1)?).await?;
    change(approve_settlement_account(Who::Main, own, Approval::Approve, after(1))?).await?;
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, Some(own))?).await)?;
    let payment = add_paid_session(&handle, Who::Main, checkout_id(1), 1).await?.id;
    let is_refundable = async || Ok::<_, Failure>(find(&handle, payment).await?.is_refundable);
    let refund = async |number| {
        let command = create_refund(Who::Main, payment, refund_request(Who::Main, number)?)?;
        Ok::<_, Failure>(handle.merchant_payments.create_refund(command).await)
    };
    let set_bank = async |bank: BankId| {
        let edit = SettlementAccountEdit { bank: Some(Some(bank)), ..SettlementAccountEdit::default() };
        change(edit_settlement_account(Who::Main, own, edit, after(2))?).await
    };
    same("without a bank", is_refundable().await?, false)?;
    same("without a bank", refused(refund(1).await?)?, RefundRefusal::NoBank)?;
    set_bank(bank(3, "")?.id).await?;
    same("by a bank without refunds", is_refundable().await?, false)?;
    same("by a bank without refunds", refused(refund(1).await?)?, RefundRefusal::BankWithoutRefunds)?;
    set_bank(bank(2, "")?.id).await?;
    same("by a bank with refunds", is_refundable().await?, true)?;
    let request = RefundRequest { amount: Minor(1_000).of(gbp()?), ..refund_request(Who::Main, 1)? };
    expect_new(handle.merchant_payments.create_refund(create_refund(Who::Main, payment, request)?).await)?;
    same("after a refund of all of it", is_refundable().await?, false)?;
    same(
        "after a refund of all of it",
        refused(refund(2).await?)?,
        RefundRefusal::AboveRemainder(Minor(0).of(gbp()?)),
    )?;
    let left = refund_step(Who::Main, 1, RefundAction::AtBank(PayerDecision::Leave), (9, after(5)))?;
    expect_new(handle.merchant_payments.act(left).await)?;
    same("after the refund was cancelled", is_refundable().await?, true)?;
    let edit = CheckoutEdit { settlement_account: Some(None), ..CheckoutEdit::default() };
    expect_new(handle.checkouts.edit(edit_checkout(Who::Main, checkout_id(1), edit, after(6))?).await)?;
    change(delete_settlement_account(Who::Main, own)?).await?;
    same("after the settlement account was deleted", is_refundable().await?, false)?;
    same(
        "after the settlement account was deleted",
        refused(refund(2).await?)?,
        RefundRefusal::SettlementAccountDeleted,
    )
}

/// Creates the completed payments of sessions 1 and 2, the pending payment of top-up 3, the completed payment of top-up
/// 4, and a completed and an open refund of the first payment. Returns their ids.
async fn create_sales(handle: &Handle) -> Result<[MerchantPaymentId; 6], Failure> {
    let first = create_purchase(handle).await?.id;
    let second = add_paid_session(handle, Who::Main, checkout_id(1), 2).await?.id;
    add_top_up(handle, Who::Main, 3).await?;
    let choose = step(Who::Main, 3, SessionAction::ChooseBank(payer_bank()?), (3, after(200)))?;
    expect_new(handle.checkout_sessions.act(choose).await)?;
    add_top_up(handle, Who::Main, 4).await?;
    let action = pay(None, approval(after(201)))?;
    let topped_up = expect_new(handle.checkout_sessions.act(step(Who::Main, 4, action, (4, after(201)))?).await)?;
    for number in [250, 251] {
        add_refund(handle, Who::Main, first, number).await?;
    }
    expect_new(handle.merchant_payments.act(authorise(250)?).await)?;
    let theirs = add_checkout(handle, Who::Other, 9).await?;
    add_paid_session(handle, Who::Other, theirs, 9).await?;
    let pending = MerchantPaymentId(crate::checkout_sessions::drawn_id(3, 0));
    let top_up = expect_some("the payment of the top-up", topped_up.state.payment())?;
    Ok([first, second, pending, top_up, refund_row(250), refund_row(251)])
}

/// Returns the count and the ids of my matching payments.
async fn listed(
    handle: &Handle,
    filter: MerchantPaymentFilter,
    (sort, page): (PaymentSort, PageRequest),
) -> Result<(i64, Vec<MerchantPaymentId>), Failure> {
    let found = handle.merchant_payments.list(&Who::Main.account()?, filter, sort, page).await?;
    for row in &found.rows {
        same("a row", row, &ListedPayment::from(find(handle, row.id).await?))?;
    }
    Ok((found.count, found.rows.iter().map(|row| row.id).collect()))
}

async fn list_by_each_filter(handle: Handle) -> CheckResult {
    let [first, second, pending, top_up, refund, open_refund] = create_sales(&handle).await?;
    let any = MerchantPaymentFilter::default;
    let session = crate::checkout_sessions::checkout_session_id(2);
    let day = Some(noon().date_naive());
    let (before, later) = (Some(noon().date_naive() - TimeDelta::days(1)), day.map(|day| day + TimeDelta::days(1)));
    let reference = |text: &str| MerchantPaymentFilter { merchant_reference: Some(text.into()), ..any() };
    let kind = |kind| MerchantPaymentFilter { kind: Some(kind), ..any() };
    let status = |status| MerchantPaymentFilter { status: Some(status), ..any() };
    let of_type = |of| MerchantPaymentFilter { checkout_type: Some(of), ..any() };
    let all = vec![first, second, pending, top_up, refund, open_refund];
    for (what, filter, expected) in [
        ("no filter", any(), all.clone()),
        ("the day", MerchantPaymentFilter { from: day, to: day, ..any() }, all),
        ("until the day before", MerchantPaymentFilter { to: before, ..any() }, vec![]),
        ("from the day after", MerchantPaymentFilter { from: later, ..any() }, vec![]),
        ("payments", kind(MerchantPaymentKind::Payment), vec![first, second, pending, top_up]),
        ("refunds", kind(MerchantPaymentKind::Refund), vec![refund, open_refund]),
        ("SHOPPING", of_type(CheckoutType::Shopping), vec![first, second, refund, open_refund]),
        ("TOP_UP", of_type(CheckoutType::TopUp), vec![pending, top_up]),
        ("PENDING", status(MerchantPaymentStatus::Pending), vec![pending, open_refund]),
        ("COMPLETED", status(MerchantPaymentStatus::Completed), vec![first, second, top_up, refund]),
        ("FAILED", status(MerchantPaymentStatus::Failed), vec![]),
        ("a session", MerchantPaymentFilter { session: Some(session), ..any() }, vec![second]),
        ("a reference", reference("Zamówienie ✓ 1"), vec![first, refund, open_refund]),
        ("another case", reference("ZAMÓWIENIE ✓ 1"), vec![]),
        ("refunds of a payment", MerchantPaymentFilter { refunded: Some(first), ..any() }, vec![refund, open_refund]),
        ("refunds of none", MerchantPaymentFilter { refunded: Some(second), ..any() }, vec![]),
        ("two filters", MerchantPaymentFilter { session: Some(session), ..reference("Zamówienie ✓ 1") }, vec![]),
    ] {
        let count = i64::try_from(expected.len()).unwrap_or_default();
        let found = listed(&handle, filter, (PaymentSort::OldestFirst, PAGE)).await?;
        same(what, found, (count, expected))?;
    }
    Ok(())
}

async fn list_in_both_orders_in_pages(handle: Handle) -> CheckResult {
    let first = create_purchase(&handle).await?.id;
    // All have the same time.
    for number in [3, 2, 4] {
        let request = RefundRequest { now: after(250), ..refund_request(Who::Main, number)? };
        expect_new(handle.merchant_payments.create_refund(create_refund(Who::Main, first, request)?).await)?;
    }
    let mut expected = vec![first, refund_row(2), refund_row(3), refund_row(4)];
    let any = MerchantPaymentFilter::default;
    let oldest = PaymentSort::OldestFirst;
    same("oldest first", listed(&handle, any(), (oldest, PAGE)).await?, (4, expected.clone()))?;
    let page = PageRequest { limit: 2, offset: 1 };
    same("a page", listed(&handle, any(), (oldest, page)).await?, (4, expected[1..3].to_vec()))?;
    expected.reverse();
    let newest = PaymentSort::NewestFirst;
    same("newest first", listed(&handle, any(), (newest, PAGE)).await?, (4, expected.clone()))?;
    same("a page", listed(&handle, any(), (newest, page)).await?, (4, expected[1..3].to_vec()))
}

async fn listed_refundable(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?;
    let facts = async || {
        let found = listed(&handle, MerchantPaymentFilter::default(), (PaymentSort::OldestFirst, PAGE)).await?;
        Ok::<_, Failure>((found.0, find(&handle, payment.id).await?.is_refundable))
    };
    same("without refunds", facts().await?, (1, true))?;
    let request = RefundRequest { amount: Minor(1_000).of(gbp()?), ..refund_request(Who::Main, 1)? };
    expect_new(handle.merchant_payments.create_refund(create_refund(Who::Main, payment.id, request)?).await)?;
    same("with a refund of all of it", facts().await?, (2, false))?;
    let left = refund_step(Who::Main, 1, RefundAction::AtBank(PayerDecision::Leave), (9, after(305)))?;
    expect_new(handle.merchant_payments.act(left).await)?;
    same("with a cancelled refund", facts().await?, (2, true))
}

/// A payment that failed shows the order that a later payment of its session created.
async fn paid_later(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    add_session(&handle, Who::Main, checkout, 1).await?;
    let rejected = pay(Some(shipping()?), PayerDecision::Reject)?;
    expect_new(handle.checkout_sessions.act(step(Who::Main, 1, rejected, (500, after(9)))?).await)?;
    let orders = async || {
        let (mine, filter) = (Who::Main.account()?, MerchantPaymentFilter::default());
        let found = handle.merchant_payments.list(&mine, filter, PaymentSort::OldestFirst, PAGE).await?;
        Ok::<_, Failure>(found.rows.iter().map(|row| (row.status, row.order)).collect::<Vec<_>>())
    };
    same("after the failure", orders().await?, vec![(MerchantPaymentStatus::Failed, None)])?;
    // The session knows from the first payment where to ship to.
    let approved = step(Who::Main, 1, pay(None, approval(after(600)))?, (1, after(600)))?;
    let session = expect_new(handle.checkout_sessions.act(approved).await)?;
    let order = expect_some("the order", session.state.order())?;
    let expected = vec![(MerchantPaymentStatus::Failed, Some(order)), (MerchantPaymentStatus::Completed, Some(order))];
    same("after the second payment", orders().await?, expected)
}

async fn sums_completed_ones(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    same("the sums of no payments", handle.merchant_payments.summary(&mine).await?, vec![])?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let payment = add_paid_session(&handle, Who::Main, checkout, 1).await?.id;
    add_paid_session(&handle, Who::Main, checkout, 2).await?;
    add_session(&handle, Who::Main, checkout, 3).await?;
    for number in [1, 2, 3] {
        add_refund(&handle, Who::Main, payment, number).await?;
    }
    for number in [1, 2] {
        expect_new(handle.merchant_payments.act(authorise(number)?).await)?;
    }
    let mut yen = crate::checkout_sessions::top_up_request(Who::Main, 4)?;
    yen.draft.terms.amount = Minor(700).of(crate::seed_data::jpy()?);
    let yen = crate::checkout_sessions::create_top_up(Who::Main, yen)?;
    expect_new(handle.checkout_sessions.create_top_up(yen).await)?;
    let action = pay(None, approval(after(9)))?;
    expect_new(handle.checkout_sessions.act(step(Who::Main, 4, action, (4, after(9)))?).await)?;
    let expected = vec![
        PaymentsSummary { currency: gbp()?, paid: Total(2_000), refunded: Total(200), count: 2 },
        PaymentsSummary { currency: crate::seed_data::jpy()?, paid: Total(700), refunded: Total(0), count: 1 },
    ];
    same("the sums", handle.merchant_payments.summary(&mine).await?, expected)?;
    same("the sums of the other account", handle.merchant_payments.summary(&Who::Other.account()?).await?, vec![])
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?;
    let (mine, ports) = (Who::Main.account()?, &handle.merchant_payments);
    let done = add_refund(&handle, Who::Main, payment.id, 250).await?;
    let part = RefundPart {
        id: refund_id(250),
        payment: payment.id,
        reason: Some("Zwrot ✓ 250".into()),
        token: page_token(&mine, refund_id(250).0),
        authorise_before: after(250) + TimeDelta::minutes(20),
    };
    let expected = MerchantPayment {
        id: refund_row(250),
        state: MerchantPaymentState::AwaitingAuthorisation,
        amount: Minor(100).of(gbp()?),
        created_at: after(250),
        refund: Some(part.clone()),
        ..payment.clone()
    };
    same("the answer", &done, &expected)?;
    same("what is found", ports.find_refund(&mine, refund_id(250)).await?, Some(expected.clone()))?;
    same("among the payments", find(&handle, refund_row(250)).await?.payment, expected)?;
    same(
        "the refund of the page",
        ports.refund_with_token(part.token).await?,
        Some(FoundRefund { account: mine, refund: refund_id(250) }),
    )?;
    same("the refund of an unknown page", ports.refund_with_token(PageTokenHash([9; 32])).await?, None)?;
    same("the session of the page", handle.checkout_sessions.with_token(part.token).await?, None)?;
    let of_refund = create_refund(Who::Main, refund_row(250), refund_request(Who::Main, 251)?)?;
    same("a refund of a refund", refused(ports.create_refund(of_refund).await)?, RefundRefusal::NotRefundable)?;
    let nothing = create_refund(Who::Main, refund_row(404), refund_request(Who::Main, 251)?)?;
    absent("a refund of an unknown payment", &ports.create_refund(nothing).await)
}

async fn stores_when_the_bank_is_asked_again(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?;
    let mine = Who::Main.account()?;
    add_refund(&handle, Who::Main, payment.id, 1).await?;
    let ask = |at| PayerDecision::Approve(BankAnswer::AskAgain(at));
    let sent = refund_step(Who::Main, 1, RefundAction::AtBank(ask(after(400))), (1_001, after(300)))?;
    let sent = expect_new(handle.merchant_payments.act(sent).await)?;
    same("the answer", (sent.refund_status(), sent.refund_due_at()), (RefundStatus::Pending, Some(after(400))))?;
    let found = handle.merchant_payments.find_refund(&mine, refund_id(1)).await?;
    same("what is found", found, Some(sent))?;
    let due = async |now| Ok::<_, Failure>(handle.checkout_sessions.due(Some(mine.clone()), now, 9).await?);
    same("due before", due(after(399)).await?, vec![])?;
    same(
        "due",
        due(after(400)).await?,
        vec![Due { at: after(400), item: DueItem::Refund(mine.clone(), refund_id(1)) }],
    )?;
    let says = RefundAction::BankSays(approval(after(401)), after(401));
    let done = expect_new(handle.merchant_payments.act(refund_step(Who::Main, 1, says, (1_002, after(401)))?).await)?;
    same(
        "the refund in the end",
        (done.refund_status(), done.state.completed_at()),
        (RefundStatus::Completed, Some(after(401))),
    )?;
    same("what is found", handle.merchant_payments.find_refund(&mine, refund_id(1)).await?, Some(done))?;
    books_are_right(&handle).await
}

pub(super) type Refunded = Result<Written<MerchantPayment>, WriteError<RefundRefusal>>;

pub(super) fn work(handle: &Handle, command: CreateRefundCommand) -> Work<Refunded> {
    let ports = Arc::clone(&handle.merchant_payments);
    Box::pin(async move { ports.create_refund(command).await })
}

/// Checks the answers to 100 refunds of a tenth of a payment: ten pass, and the others are refused.
pub(super) fn expect_ten_of_100(answers: Vec<Refunded>) -> CheckResult {
    let (mut passed, mut refused) = (0, 0);
    for answer in answers {
        match answer {
            Ok(Written::New(_)) => passed += 1,
            Err(WriteError::Refused(RefundRefusal::AboveRemainder(_))) => refused += 1,
            other => return Err(Failure::new(format!("neither refunded nor refused: {other:?}"))),
        }
    }
    same("refunded and refused", (passed, refused), (10, 90))
}

async fn create_refund_of_100_on_10_pounds_exactly_10_pass(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?.id;
    let command = |number| create_refund(Who::Main, payment, refund_request(Who::Main, number)?);
    let all = (0..100).map(|number| Ok(work(&handle, command(number)?))).collect::<Result<_, Failure>>()?;
    expect_ten_of_100(race(all).await?)?;
    let filter = MerchantPaymentFilter { refunded: Some(payment), ..MerchantPaymentFilter::default() };
    same("the refunds", listed(&handle, filter, (PaymentSort::NewestFirst, PAGE)).await?.0, 10)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?.id;
    let command = |number, body| {
        let claim = Some(claim(Who::Main, "refund", body)?);
        let command = create_refund(Who::Main, payment, refund_request(Who::Main, number)?)?;
        Ok::<_, Failure>(CreateRefundCommand { claim, ..command })
    };
    let ports = &handle.merchant_payments;
    let done = expect_new(ports.create_refund(command(1, "{}")?).await)?;
    same("the answer", replayed(ports.create_refund(command(2, "{}")?).await)?, answer_of(&done))?;
    same("the first request", mismatch(ports.create_refund(command(2, "[]")?).await)?, request("{}"))?;
    same("a second refund", ports.find_refund(&Who::Main.account()?, refund_id(2)).await?, None)?;
    let claimed =
        |body| Ok::<_, Failure>(RefundCommand { claim: Some(claim(Who::Main, "step", body)?), ..authorise(1)? });
    let done = expect_new(ports.act(claimed("{}")?).await)?;
    same("the answer", replayed(ports.act(claimed("{}")?).await)?, answer_of(&done))?;
    same("the first request", mismatch(ports.act(claimed("[]")?).await)?, request("{}"))
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?.id;
    let refund = add_refund(&handle, Who::Main, payment, 1).await?;
    let before = kinds(&handle).await?;
    let (mine, ports) = (Who::Main.account()?, &handle.merchant_payments);
    let at_bank = RefundAction::AtBank(approval(after(60)));
    let done = expect_new(ports.act(refund_step(Who::Main, 1, at_bank, (10, after(30)))?).await)?;
    let confirmed = BankAnswer::Report(BankReport { at: after(60), result: BankReportResult::Confirmed });
    let state = MerchantPaymentState::Pending { initiated_at: after(30), answer: Some(confirmed) };
    let expected = MerchantPayment { state, ..refund };
    same("the answer", (&done, done.refund_status()), (&expected, RefundStatus::Pending))?;
    same("what is found", ports.find_refund(&mine, refund_id(1)).await?, Some(expected.clone()))?;
    same("events", kinds(&handle).await?, before.clone())?;
    let done = expect_new(ports.act(refund_step(Who::Main, 1, RefundAction::Due, (11, after(90)))?).await)?;
    let state = MerchantPaymentState::Completed { initiated_at: after(30), completed_at: after(60) };
    let expected = MerchantPayment { state, ..expected };
    same("the completed refund", &done, &expected)?;
    same("what is found", ports.find_refund(&mine, refund_id(1)).await?, Some(expected))?;
    let mut after = before;
    after.insert(EventKind::MerchantRefundCompleted, 1);
    same("events", kinds(&handle).await?, after)?;
    books_are_right(&handle).await
}

async fn refusal_stores_nothing(handle: Handle) -> CheckResult {
    let payment = create_purchase(&handle).await?.id;
    add_refund(&handle, Who::Main, payment, 1).await?;
    expect_new(handle.merchant_payments.act(authorise(1)?).await)?;
    let before = Observation::take(&handle, 1).await?;
    let refusal = refused(handle.merchant_payments.act(authorise(1)?).await)?;
    same("the refusal", refusal, RefundRefusal::NotAwaiting(RefundStatus::Completed))?;
    let above = RefundRequest { amount: Minor(901).of(gbp()?), ..refund_request(Who::Main, 2)? };
    let refusal = refused(handle.merchant_payments.create_refund(create_refund(Who::Main, payment, above)?).await)?;
    same("above what is left", refusal, RefundRefusal::AboveRemainder(Minor(900).of(gbp()?)))?;
    absent("an unknown refund", &handle.merchant_payments.act(authorise(404)?).await)?;
    before.still_holds("refused decisions about refunds", &handle).await
}

async fn merchant_payments_of_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Other, 1).await?;
    add_session(&handle, Who::Other, checkout, 1).await?;
    let theirs = expect_some("their payment", pay_session(&handle, Who::Other, 1).await?.state.payment())?;
    add_refund(&handle, Who::Other, theirs, 1).await?;
    let before = Observation::take(&handle, 1).await?;
    let (mine, ports) = (Who::Main.account()?, &handle.merchant_payments);
    same("a foreign payment", ports.find(&mine, theirs).await?, None)?;
    same("a foreign refund", ports.find_refund(&mine, refund_id(1)).await?, None)?;
    let listed = ports.list(&mine, MerchantPaymentFilter::default(), PaymentSort::NewestFirst, PAGE).await?;
    same("the list", (listed.count, listed.rows), (0, vec![]))?;
    let command = create_refund(Who::Main, theirs, refund_request(Who::Main, 2)?)?;
    absent("a refund of a foreign payment", &ports.create_refund(command).await)?;
    absent("a decision about a foreign refund", &ports.act(authorise(1)?).await)?;
    before.still_holds("foreign payments", &handle).await
}
