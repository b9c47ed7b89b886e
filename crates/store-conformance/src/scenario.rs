//! A scenario that uses every command of every port on one account, and records every answer.

use crate::check::Failure;
use crate::checkout_sessions::{
    add_checkout, add_paid_session, add_session, approval, create_refund, create_top_up, pay, payer_bank,
    refund_request, refund_step, step, top_up_request,
};
use crate::commands::{
    RIGHT, SANDBOX, amount, claim, clearing, confirm, confirm_batch, credit, credit_with_everything, expiry, first,
    follow_up, message, open, stamp, token,
};
use crate::disputes::{act_on_dispute, evidence, open_dispute};
use crate::expect::expect_some;
use crate::factory::Handle;
use crate::management::{
    budget_id, card_id, change, change_state, control_budget, create_budget, create_budget_of_person,
    create_budget_with_features, edit_budget, issue, issue_to_person, limit, order_physical, remove_limit, replacement,
    set_controls, set_hold_lives, set_over_clearing, set_pin, some_lives, transfer,
};
use crate::merchants::{
    approve_payee, approve_settlement_account, checkout_id, create_checkout, create_payee, delete_settlement_account,
    edit_checkout, edit_profile, edit_settlement_account, open_settlement_account, payee_id, settlement_account_id,
};
use crate::observe::without_account;
use crate::payments::{
    NewPayments, after, batch_id, cancel, claim as lease, confirm as confirm_without_mfa, create, empty, payment_id,
    record, rename, start, start_payments, upload,
};
use crate::people::{create_person, edit_person, person_id, persona_id};
use crate::seed_data::{Who, gbp, jpy, noon};
use chrono::TimeDelta;
use florin_domain::batch::{FailureReason, PaymentOutcome};
use florin_domain::budget::{BudgetEdit, BudgetFeature, BudgetStatus};
use florin_domain::card::decide::{Extras, FirstKind, FirstMessage, FollowUp};
use florin_domain::card::{
    CardChangeRequest, CardName, CardState, ControlledCountry, Controls, DisputeAction, DisputeOutcome, EntryMode,
    LimitWindow, OverClearing, PointOfSale,
};
use florin_domain::checkout::{PayerDecision, RefundAction, RefundRequest, SessionAction};
use florin_domain::merchant::{
    Approval, CheckoutEdit, CheckoutStatus, Locale, MerchantName, ProfileEdit, SettlementAccountEdit,
};
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::people::{PersonEdit, Role};
use florin_domain::text::Text;
use florin_ports::{CreditCommand, FirstMessageCommand};
use std::fmt::Debug;

/// Number of messages and MFA sessions that an observation of a scenario reads by their numbers. Debits and disputes
/// have greater numbers; the lists show them.
pub(crate) const NUMBERS: u128 = 40;

/// Answers of a scenario, without the account id.
pub(crate) struct Answers {
    who: Who,
    values: Values,
    texts: Vec<String>,
}

/// The amounts and strings that a scenario uses. Both sets use the same ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Usual,
    Others,
}

impl Values {
    /// Returns the value for this set.
    const fn pick<T: Copy>(self, usual: T, other: T) -> T {
        match self {
            Self::Usual => usual,
            Self::Others => other,
        }
    }
}

impl Answers {
    const fn of(who: Who, values: Values) -> Self {
        Self { who, values, texts: Vec::new() }
    }

    /// Records an answer. Refusals are recorded too; a failure of the store fails the check.
    #[track_caller]
    pub(crate) fn add(&mut self, what: &str, answer: impl Debug) -> Result<(), Failure> {
        let text = without_account(&format!("{what}: {answer:?}"), self.who)?;
        if text.contains("Err(Store(") || text.contains("Err(Absent)") || text.contains("Err(LeaseLost)") {
            return Err(Failure::new(text));
        }
        self.texts.push(text);
        Ok(())
    }
}

/// Runs the whole scenario. Numbers of new records start at `base`, a multiple of 100.
pub(crate) async fn play(handle: &Handle, who: Who, base: u128) -> Result<Vec<String>, Failure> {
    play_with(handle, who, base, Values::Usual).await
}

/// Runs the whole scenario with these values.
pub(crate) async fn play_with(handle: &Handle, who: Who, base: u128, values: Values) -> Result<Vec<String>, Failure> {
    let mut answers = Answers::of(who, values);
    manage_budgets_and_cards(handle, &mut answers, base).await?;
    set_up_merchant(handle, &mut answers, base).await?;
    take_payments(handle, &mut answers, base).await?;
    send_messages(handle, &mut answers, base).await?;
    dispute_messages(handle, &mut answers, base).await?;
    credit_and_transfer(handle, &mut answers, base).await?;
    fill_batches(handle, &mut answers, base).await?;
    confirm_with_mfa(handle, &mut answers, base).await?;
    process_batch(handle, &mut answers, base).await?;
    change_card_settings(handle, &mut answers).await?;
    Ok(answers.texts)
}

/// Sets how long later holds last, and which clearings are refused.
async fn change_card_settings(handle: &Handle, answers: &mut Answers) -> Result<(), Failure> {
    let (who, cards, values) = (answers.who, &handle.card_management, answers.values);
    let lives = some_lives(values.pick(3, 5))?;
    answers.add("settings", cards.set_settings(set_hold_lives(who, lives)?).await)?;
    let over_clearing = values.pick(OverClearing::Network, OverClearing::Accept);
    answers.add("settings", cards.set_settings(set_over_clearing(who, over_clearing)?).await)
}

/// Creates budgets and cards, and changes cards and limits.
async fn manage_budgets_and_cards(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, cards, values) = (answers.who, &handle.card_management, answers.values);
    let parent = Some(who.budget());
    answers.add("budget", handle.budgets.create(create_budget(who, base + 1, parent, vec![jpy()?, gbp()?])?).await)?;
    let only_cards = [BudgetFeature::BudgetCards];
    answers.add(
        "budget",
        handle.budgets.create(create_budget_with_features(who, base + 2, None, vec![gbp()?], &only_cards)?).await,
    )?;
    let edit = BudgetEdit {
        name: Some(Text::parse(values.pick("Zwölf", "another name"))?),
        status: Some(BudgetStatus::Active),
        low_balance: Some(Some(amount(values.pick("7", "8"))?)),
        ..BudgetEdit::default()
    };
    answers.add("budget", handle.budgets.edit(edit_budget(who, budget_id(base + 1), edit, after(7))?).await)?;
    create_and_change_person(handle, answers, base).await?;
    answers.add("card", cards.create(issue(who, base + 3, budget_id(base + 2), false)?).await)?;
    answers.add("card", cards.create(issue(who, base + 4, who.budget(), true)?).await)?;
    for (state, reason) in [
        (CardState::Active, values.pick(" ", "another reason")),
        (CardState::Suspended, " lost "),
        (CardState::Active, "Gefunden ✓"),
    ] {
        answers.add("state", cards.change(change_state(who, card_id(base + 3), state, reason)?).await)?;
    }
    for (window, amount) in
        [(LimitWindow::Day, "9"), (LimitWindow::Week, "50"), (LimitWindow::Day, values.pick("12", "13"))]
    {
        let command = limit(who, card_id(base + 4), (window, amount, Some(5)), noon())?;
        answers.add("limit", cards.set_limit(command).await)?;
    }
    let command = remove_limit(who, card_id(base + 4), LimitWindow::Week)?;
    answers.add("removed limit", cards.remove_limit(command).await)?;
    let request = CardChangeRequest {
        name: Some(CardName::parse(values.pick("Renamed ✓", "Otherwise"))?),
        ..CardChangeRequest::nothing(who.client(), noon())
    };
    answers.add("changed card", cards.change(change(who, card_id(base + 4), request)?).await)?;
    let country = |code| {
        Ok::<_, Failure>(Controls {
            blocked_countries: Some(vec![ControlledCountry::parse(values.pick("USA", code))?]),
            ..Controls::default()
        })
    };
    answers.add("controls", cards.change(set_controls(who, card_id(base + 4), country("CAN")?)?).await)?;
    answers.add("PIN", cards.change(set_pin(who, card_id(base + 3), [values.pick(1, 2); 32])?).await)?;
    let command = control_budget(who, budget_id(base + 1), country("MEX")?)?;
    answers.add("controls", handle.budgets.edit(command).await)?;
    answers.add("physical card", cards.order_physical(order_physical(who, card_id(base + 3), base + 8)?).await)?;
    answers.add("replaced card", cards.replace(replacement(who, card_id(base + 4), base + 5)?).await)
}

/// Changes the merchant, and creates and changes a checkout, settlement accounts and a payee.
async fn set_up_merchant(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, values) = (answers.who, answers.values);
    let edit =
        ProfileEdit { name: Some(MerchantName::parse(values.pick("Kauppa ✓", "Other"))?), ..ProfileEdit::default() };
    answers.add("profile", handle.merchants.change(edit_profile(who, edit)?).await)?;
    let accounts = &handle.settlement_accounts;
    for number in [1, 2] {
        answers.add("settlement account", accounts.change(open_settlement_account(who, base + number)?).await)?;
    }
    let approval = values.pick(Approval::Approve, Approval::Reject);
    let command = approve_settlement_account(who, settlement_account_id(base + 1), approval, after(11))?;
    answers.add("approval", accounts.change(command).await)?;
    let edit = SettlementAccountEdit {
        name: Some(Some(Text::parse(values.pick("Ægir", "Other"))?)),
        ..SettlementAccountEdit::default()
    };
    let command = edit_settlement_account(who, settlement_account_id(base + 1), edit, after(12))?;
    answers.add("settlement account", accounts.change(command).await)?;
    let command = delete_settlement_account(who, settlement_account_id(base + 2))?;
    answers.add("deleted settlement account", accounts.change(command).await)?;
    let payee = create_payee(who, base + 1)?;
    answers.add("payee", handle.payees.create(payee).await)?;
    let command = approve_payee(who, payee_id(base + 1), approval, after(13))?;
    answers.add("approval", handle.payees.approve(command).await)?;
    let named = Some(who.settlement_account());
    answers.add("checkout", handle.checkouts.create(create_checkout(who, base + 1, named)?).await)?;
    let edit = CheckoutEdit {
        status: Some(CheckoutStatus::Deactivated),
        locale: Some(Some(Locale::parse(values.pick("cy", "en-GB"))?)),
        ..CheckoutEdit::default()
    };
    answers.add("checkout", handle.checkouts.edit(edit_checkout(who, checkout_id(base + 1), edit, after(14))?).await)
}

/// Creates sessions and top-ups in several statuses, and refunds.
async fn take_payments(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, sessions, payments) = (answers.who, &handle.checkout_sessions, &handle.merchant_payments);
    let checkout = add_checkout(handle, who, base + 2).await?;
    answers.add("open session", add_session(handle, who, checkout, base + 1).await)?;
    let payment = add_paid_session(handle, who, checkout, base + 2).await?;
    answers.add("payment", &payment)?;
    let reason = Some(Text::parse(answers.values.pick("Zwrot ✓", "another reason"))?);
    for number in [1, 2] {
        let request = RefundRequest { reason: reason.clone(), ..refund_request(who, base + number)? };
        answers.add("refund", payments.create_refund(create_refund(who, payment.id, request)?).await)?;
    }
    let now = after(3_000);
    let decision = answers.values.pick(approval(now), PayerDecision::Leave);
    let command = refund_step(who, base + 1, RefundAction::AtBank(decision), (base + 3, now))?;
    answers.add("refund", payments.act(command).await)?;
    for (number, action) in [
        (4, pay(None, answers.values.pick(approval(now), PayerDecision::Reject))?),
        (5, SessionAction::ChooseBank(payer_bank()?)),
        (6, SessionAction::PayerCancels),
    ] {
        let mut request = top_up_request(who, base + number)?;
        request.draft.terms.lifetime = TimeDelta::days(2);
        answers.add("top-up", sessions.create_top_up(create_top_up(who, request)?).await)?;
        let command = step(who, base + number, action, (base + number, now))?;
        answers.add("top-up", sessions.act(command).await)?;
    }
    Ok(())
}

/// Creates and changes a person with an individual budget.
async fn create_and_change_person(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, values) = (answers.who, answers.values);
    let email = format!("{base}@{}.example", values.pick("usual", "other"));
    answers.add("person", handle.people.create(create_person(who, base + 1, &email)?).await)?;
    let edit = PersonEdit {
        first_name: Some(Text::parse(values.pick("Ægir", "Other"))?),
        role: Some(values.pick(Role::Payer, Role::Viewer)),
        ..PersonEdit::default()
    };
    answers.add("person", handle.people.edit(edit_person(who, person_id(base + 1), edit, after(8))?).await)?;
    let own = create_budget_of_person(who, base + 6, persona_id(base + 1), vec![gbp()?])?;
    answers.add("budget", handle.budgets.create(own).await)?;
    let budgets = [(who.budget(), values.pick(true, false)), (budget_id(base + 6), true)];
    let card = issue_to_person(who, base + 7, person_id(base + 1), &budgets)?;
    answers.add("individual card", handle.card_management.create(card).await)?;
    let request = CardChangeRequest {
        person: Some(values.pick(who.person(), person_id(base + 1))),
        ..CardChangeRequest::nothing(who.client(), noon())
    };
    answers.add("owner", handle.card_management.change(change(who, card_id(base + 7), request)?).await)
}

/// Sends card messages of every kind, including a declined one and an expiring hold.
async fn send_messages(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, cards, values) = (answers.who, &handle.cards, answers.values);
    let firsts = [
        (5, who.card(), FirstKind::Purchase, values.pick("10", "11")),
        (6, who.card(), FirstKind::Purchase, values.pick("9999", "8888")),
        (7, card_id(base + 4), FirstKind::Purchase, values.pick("5", "5.50")),
        (8, who.card(), FirstKind::Atm, values.pick("3", "2")),
        (9, who.card(), FirstKind::Refund, "4"),
        (10, who.yen_card(), FirstKind::Purchase, values.pick("100", "200")),
    ];
    for (number, card, kind, text) in firsts {
        let claim = Some(claim(who, &format!("message-{}", base + number), "{}")?);
        let command = first(who, card, message(kind, text)?, stamp(base + number))?;
        answers.add("message", cards.first_message(FirstMessageCommand { claim, ..command }).await)?;
    }
    let pos =
        PointOfSale { entry_mode: Some(values.pick(EntryMode::Chip, EntryMode::Keyed)), ..PointOfSale::default() };
    let extras = Extras { cash_back: Some(amount("0.75")?), pos: Some(pos), ..Extras::default() };
    let debit = FirstMessage { extras, ..message(FirstKind::Debit, values.pick("1", "2"))? };
    answers.add("debit", cards.first_message(first(who, who.card(), debit, stamp(base + 60))?).await)?;
    let follow_ups = [
        (61, 60, FollowUp::DebitReversal { amount: Some(amount("0.50")?) }),
        (11, 5, FollowUp::Incremental { amount: amount(values.pick("2", "1"))?, decline: None }),
        (12, 5, clearing(values.pick("4", "3"), false)?),
        (13, 5, FollowUp::Advice { amount: amount("9999")? }),
        (14, 7, clearing("6", true)?),
        (15, 8, FollowUp::Reversal { amount: Some(amount("1")?) }),
        (16, 9, FollowUp::RefundClearing { amount: amount("4")? }),
    ];
    for (number, named, message) in follow_ups {
        let command = follow_up(who, token(base + named), base + number, message)?;
        answers.add("follow-up", cards.follow_up(command).await)?;
    }
    let late = noon() + TimeDelta::days(40);
    answers.add("expiry", cards.expire(expiry(who, token(base + 10), base + 17, late)?).await)
}

/// Disputes a debit and a clearing.
async fn dispute_messages(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, disputes, values) = (answers.who, &handle.disputes, answers.values);
    for (number, of, amount) in [(62, 60, "0.10"), (63, 12, values.pick("1", "2")), (64, 12, "0.50")] {
        let command = open_dispute(who, token(base + of), amount, base + number)?;
        answers.add("dispute", disputes.open(command).await)?;
    }
    let lost = DisputeAction::Resolve(values.pick(DisputeOutcome::Lost, DisputeOutcome::Won));
    for (dispute, action, number) in [
        (62, evidence(values.pick("Zwölf ✓", "other"))?, 65),
        (62, DisputeAction::Credit, 66),
        (63, DisputeAction::Credit, 67),
        (63, lost, 68),
        (64, DisputeAction::Resolve(DisputeOutcome::Won), 69),
    ] {
        let command = act_on_dispute(who, base + dispute, action, base + number)?;
        answers.add("dispute", disputes.act(command).await)?;
    }
    Ok(())
}

/// Sends credits and transfers.
async fn credit_and_transfer(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, values) = (answers.who, answers.values);
    let claim = Some(claim(who, &format!("credit-{base}"), "{}")?);
    let command = CreditCommand { claim, ..credit(who, base + 18, values.pick("7", "8"), gbp()?)? };
    answers.add("credit", handle.credits.credit(command).await)?;
    answers.add(
        "credit",
        handle.credits.credit(credit_with_everything(who, base + 19, values.pick("texts", "others"))?).await,
    )?;
    let ends = (who.budget(), who.second_budget());
    answers.add(
        "transfer",
        handle.transfers.transfer(transfer(who, base + 20, ends, values.pick("20.05", "10.05"))?).await,
    )?;
    let ends = (who.second_budget(), budget_id(base + 1));
    answers
        .add("transfer", handle.transfers.transfer(transfer(who, base + 21, ends, values.pick("1.00", "2.00"))?).await)
}

/// Creates batches, uploads to them again, renames, confirms and cancels them.
async fn fill_batches(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, batches, ids, values) = (answers.who, &handle.management, base * 10_000, answers.values);
    let faulty = NewPayments::of(ids, 4).with_faults(values.pick(&[1], &[0, 1]));
    answers.add("batch", batches.create(create(who, empty(who, base + 1, noon())?, Some(faulty))?).await)?;
    let again = NewPayments::of(ids + 10, 3).with_faults(values.pick(&[2], &[1, 2]));
    answers.add("upload", batches.upload(upload(who, batch_id(base + 1), again)?).await)?;
    answers.add(
        "edit",
        batches.edit(rename(who, batch_id(base + 1), values.pick(" renamed ", "other"), after(9))?).await,
    )?;
    for (number, first) in [(2, 20), (3, 30), (4, 40)] {
        let new_payments = Some(NewPayments::of(ids + first, values.pick(4, 5)));
        answers.add("batch", batches.create(create(who, empty(who, base + number, noon())?, new_payments)?).await)?;
    }
    for (number, first) in [(2, 100), (3, 200)] {
        let command = confirm_without_mfa(who, batch_id(base + number), ids + first)?;
        answers.add("confirmation", handle.batches.confirm(command).await)?;
    }
    answers.add("cancellation", batches.cancel(cancel(who, batch_id(base + 3), ids + 300)?).await)
}

/// Opens MFA sessions, sends wrong and right tokens, and confirms a batch with payments and one without.
async fn confirm_with_mfa(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, totp, batch) = (answers.who, MfaProviderName::Totp, batch_id(base + 4));
    for (number, provider) in [(22, SANDBOX), (23, totp)] {
        let mut command = open(who, base + number, provider)?;
        command.batch = batch;
        answers.add("session", handle.mfa.open(command).await)?;
    }
    answers.add("session", handle.mfa.open(open(who, base + 24, SANDBOX)?).await)?;
    let ids = base * 10_000 + 400;
    let step = i64::try_from(base).unwrap_or_default();
    for (session, proof) in [
        (22, (SANDBOX, MfaVerdict::Wrong)),
        (23, (totp, MfaVerdict::Wrong)),
        (23, (totp, MfaVerdict::Correct { step: Some(step) })),
    ] {
        let command = confirm_batch(who, batch, base + session, ids, proof)?;
        answers.add("confirmation", handle.batches.confirm(command).await)?;
    }
    let command = confirm(who, base + 24, ids + 100, (SANDBOX, RIGHT))?;
    answers.add("confirmation", handle.batches.confirm(command).await)
}

/// Processes the second batch: some payments become final, one is returned, one has not been sent.
async fn process_batch(handle: &Handle, answers: &mut Answers, base: u128) -> Result<(), Failure> {
    let (who, processing, ids) = (answers.who, &handle.processing, base * 10_000);
    let mine = |lease: &florin_ports::Lease| who.account().is_ok_and(|account| lease.account == account);
    let leases = processing.claim(lease(base, after(90), 100)).await?;
    for lease in &leases {
        if lease.batch != batch_id(base + 2) || !mine(lease) {
            processing.release(lease).await?;
        }
    }
    let own = |lease: &florin_ports::Lease| lease.batch == batch_id(base + 2) && mine(lease);
    let lease = expect_some("a lease", leases.into_iter().find(own))?;
    answers.add("start", processing.start(start(&lease, ids + 600)).await)?;
    answers.add("payments", processing.start_payments(start_payments(&lease, 3, ids + 700)).await)?;
    answers.add("due", processing.due(&lease, after(9_999), 2).await)?;
    let failed = PaymentOutcome::Failed(FailureReason::NameMismatch);
    let returned = PaymentOutcome::Returned(FailureReason::AccountClosed);
    for (place, outcome, again) in
        [(0, PaymentOutcome::Completed, Some(after(500))), (1, failed, None), (0, returned, None)]
    {
        let (paid, ids) = ([payment_id(ids + 20 + place)], ids + 800 + 100 * place + u128::from(again.is_none()) * 50);
        answers.add("report", processing.record(record(&lease, &paid, outcome, again, ids)).await)?;
    }
    answers.add("renewal", processing.renew(&lease, after(200)).await)?;
    processing.release(&lease).await?;
    Ok(())
}
