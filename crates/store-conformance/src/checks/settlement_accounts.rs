//! Checks of settlement accounts and payees.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{add_refund, add_session, pay_session, refund_step};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::merchants::{
    administer, approve_payee, approve_settlement_account, change_settlement_accounts, checkout_id, create_checkout,
    create_payee, delete_settlement_account, edit_checkout, edit_settlement_account, open_settlement_account, payee_id,
    payee_members, settlement_account_id,
};
use crate::observe::Observation;
use crate::payments::after;
use crate::seed_data::{Who, bank, noon, profile, seed_store, settlement_account};
use florin_domain::checkout::{PayerDecision, RefundAction};
use florin_domain::ids::{PayeeId, SettlementAccountId};
use florin_domain::merchant::{
    Approval, ApprovalStatus, CheckoutEdit, CheckoutTarget, CreatePayeeRefusal, CreatePayeeSituation, MerchantCurrency,
    MerchantPermission, OperatorEdit, PayeeFilter, SettlementAccount, SettlementAccountEdit, SettlementAccountOverview,
    SettlementRefusal, SettlementSituation,
};
use florin_domain::page::PageRequest;
use florin_ports::{CreatePayeeCommand, SettlementCommand};
use std::sync::Arc;

checks! {
    "settlement_accounts.change.is_shown_the_whole_merchant" => change_is_shown_the_whole_merchant,
    "settlement_accounts.change.stores_every_member" => stores_every_member,
    "settlement_accounts.change.keeps_a_bank_off_the_list" => keeps_a_bank_off_the_list,
    "settlement_accounts.change.moves_the_default" => moves_the_default,
    "settlement_accounts.change.deletes" => change_deletes,
    "settlement_accounts.change.knows_what_sessions_and_refunds_await" => knows_what_sessions_and_refunds_await,
    "settlement_accounts.change.refusal_changes_nothing" => refusal_changes_nothing,
    "settlement_accounts.change.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "settlement_accounts.list.newest_first_with_checkouts" => list_newest_first_with_checkouts,
    "tenancy.settlement_accounts.show_one_account_only" => settlement_accounts_show_one_account_only,
    "payees.create.the_same_bank_details_are_the_same_payee" => the_same_bank_details_are_the_same_payee,
    "payees.create.counts_those_of_the_account" => payees_counted,
    "payees.approve.is_stored_once" => approve_is_stored_once,
    "payees.list.newest_first_with_filters_and_counts" => payees_listed,
    "tenancy.payees.show_one_account_only" => foreign_payees,
}

async fn find(handle: &Handle, id: SettlementAccountId) -> Result<SettlementAccountOverview, Failure> {
    expect_some("the settlement account", handle.settlement_accounts.find(&Who::Main.account()?, id).await?)
}

async fn change(handle: &Handle, command: SettlementCommand) -> Result<Option<SettlementAccountOverview>, Failure> {
    expect_new(handle.settlement_accounts.change(command).await)
}

async fn change_is_shown_the_whole_merchant(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, None)?).await)?;
    let expected = (profile(Who::Main)?, vec![settlement_account(Who::Main)?], Some(bank(2, "Second")?));
    let target = CheckoutTarget { checkout: checkout_id(1), currency: crate::seed_data::gbp()?, named_account: None };
    // The rule refuses with `TooMany` if it is shown the whole merchant, and with `Absent` if not.
    let decide = Arc::new(move |found: &SettlementSituation| {
        let is_whole = (&found.profile, &found.accounts, &found.bank) == (&expected.0, &expected.1, &expected.2);
        if is_whole && found.targets == [target] {
            Err(SettlementRefusal::TooMany)
        } else {
            Err(SettlementRefusal::Absent)
        }
    });
    let command =
        SettlementCommand { bank: Some(bank(2, "Second")?.id), ..change_settlement_accounts(Who::Main, decide)? };
    let refusal = refused(handle.settlement_accounts.change(command).await)?;
    same("what the rule is shown", refusal, SettlementRefusal::TooMany)
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = expect_some("the new one", change(&handle, open_settlement_account(Who::Main, 1)?).await?)?;
    same("its approval", (made.account.approval, made.account.is_default), (ApprovalStatus::Pending, false))?;
    same("what is found", find(&handle, settlement_account_id(1)).await?, made.clone())?;
    let bank = bank(2, "Second")?;
    let edit = SettlementAccountEdit { name: Some(None), bank: Some(Some(bank.id.clone())), make_default: false };
    let command = edit_settlement_account(Who::Main, settlement_account_id(1), edit, after(7))?;
    let done = expect_some("the changed one", change(&handle, command).await?)?;
    let account = SettlementAccount { name: None, bank: Some(bank.id.clone()), updated_at: after(7), ..made.account };
    let expected = SettlementAccountOverview { account, bank: Some(bank), ..made };
    same("the answer", &done, &expected)?;
    same("what is stored", find(&handle, settlement_account_id(1)).await?, expected)
}

async fn keeps_a_bank_off_the_list(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (id, first) = (Who::Main.settlement_account(), bank(1, "First")?);
    same("its bank", find(&handle, id).await?.bank, Some(first.clone()))?;
    handle.registry.replace_banks(vec![bank(2, "Second")?]).await?;
    same("a bank that was removed", find(&handle, id).await?.bank, None)?;
    let edit = SettlementAccountEdit { name: Some(None), ..SettlementAccountEdit::default() };
    let done = change(&handle, edit_settlement_account(Who::Main, id, edit, after(7))?).await?;
    same("the answer", expect_some("the changed one", done)?.bank, None)?;
    let renamed = bank(1, "First again")?;
    handle.registry.replace_banks(vec![renamed.clone()]).await?;
    same("its bank, listed again", find(&handle, id).await?.bank, Some(renamed.clone()))?;
    let page = handle.settlement_accounts.list(&Who::Main.account()?, PageRequest::default()).await?;
    same("the bank in the list", page.rows.first().and_then(|row| row.bank.clone()), Some(renamed))
}

async fn moves_the_default(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    change(&handle, open_settlement_account(Who::Main, 1)?).await?;
    let id = settlement_account_id(1);
    change(&handle, approve_settlement_account(Who::Main, id, Approval::Approve, after(3))?).await?;
    let approved = find(&handle, id).await?.account;
    let facts = (approved.approval, approved.is_default, approved.updated_at);
    same("the approved one", facts, (ApprovalStatus::Approved, false, after(3)))?;
    for (now_default, was_default) in [(id, Who::Main.settlement_account()), (Who::Main.settlement_account(), id)] {
        let edit = SettlementAccountEdit { make_default: true, ..SettlementAccountEdit::default() };
        change(&handle, edit_settlement_account(Who::Main, now_default, edit, after(4))?).await?;
        let pair = (find(&handle, now_default).await?.account, find(&handle, was_default).await?.account);
        same("the default", (pair.0.is_default, pair.1.is_default), (true, false))?;
    }
    Ok(())
}

async fn change_deletes(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    change(&handle, open_settlement_account(Who::Main, 1)?).await?;
    let id = settlement_account_id(1);
    change(&handle, approve_settlement_account(Who::Main, id, Approval::Approve, after(3))?).await?;
    let gone = change(&handle, delete_settlement_account(Who::Main, Who::Main.settlement_account())?).await?;
    same("the answer", gone, None)?;
    let left = handle.settlement_accounts.list(&mine, PageRequest::default()).await?;
    let facts: Vec<_> = left.rows.iter().map(|row| (row.account.id, row.account.is_default)).collect();
    same("what is left", (left.count, facts), (1, vec![(id, true)]))?;
    let theirs = handle.settlement_accounts.list(&Who::Other.account()?, PageRequest::default()).await?;
    same("the settlement accounts of the other account", theirs.count, 1)?;
    // The bank details are free again.
    let request = settlement_account(Who::Main)?;
    let decide = Arc::new(move |found: &SettlementSituation| {
        let mut accounts = found.accounts.clone();
        accounts.push(SettlementAccount { is_default: false, ..request.clone() });
        let changed = Some(request.id);
        Ok(florin_domain::merchant::SettlementChange { accounts, changed })
    });
    change(&handle, change_settlement_accounts(Who::Main, decide)?).await.map(drop)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mine = Who::Main.settlement_account();
    for (what, command, refusal) in [
        (
            "an unknown bank",
            edit_settlement_account(
                Who::Main,
                mine,
                SettlementAccountEdit { bank: Some(Some(bank(99, "None")?.id)), ..SettlementAccountEdit::default() },
                after(1),
            )?,
            SettlementRefusal::UnknownBank,
        ),
        (
            "a second decision",
            approve_settlement_account(Who::Main, mine, Approval::Reject, after(1))?,
            SettlementRefusal::Decided(ApprovalStatus::Approved),
        ),
        (
            "a foreign one",
            delete_settlement_account(Who::Main, Who::Other.settlement_account())?,
            SettlementRefusal::Absent,
        ),
    ] {
        let claim = Some(claim_on_settlement("key", "{}")?);
        let command = SettlementCommand { claim, ..command };
        same(what, refused(handle.settlement_accounts.change(command).await)?, refusal)?;
    }
    before.still_holds("refused changes", &handle).await?;
    let nobody = florin_domain::ids::AccountId::parse("F99")?;
    let command = SettlementCommand { account: nobody, ..open_settlement_account(Who::Main, 1)? };
    absent("an account without a profile", &handle.settlement_accounts.change(command).await)
}

fn claim_on_settlement(
    key: &str,
    body: &str,
) -> Result<florin_ports::IdempotencyClaim<Option<SettlementAccountOverview>>, Failure> {
    claim(Who::Main, key, body)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let with_key = |number, body: &str| {
        let claim = Some(claim_on_settlement("key", body)?);
        Ok::<_, Failure>(SettlementCommand { claim, ..open_settlement_account(Who::Main, number)? })
    };
    let made = change(&handle, with_key(1, "{}")?).await?;
    let answer = replayed(handle.settlement_accounts.change(with_key(2, "{}")?).await)?;
    same("the answer", answer.body, format!("{made:?}"))?;
    let first = mismatch(handle.settlement_accounts.change(with_key(3, "[]")?).await)?;
    same("the first request", first, request("{}"))?;
    let page = handle.settlement_accounts.list(&Who::Main.account()?, PageRequest::default()).await?;
    same("the number of settlement accounts", page.count, 2)
}

async fn list_newest_first_with_checkouts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in [2, 1] {
        change(&handle, open_settlement_account(Who::Main, number)?).await?;
    }
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, None)?).await)?;
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 2, Some(Who::Main.settlement_account()))?).await)?;
    let mine = Who::Main.account()?;
    let ids = async |limit, offset| {
        let page = handle.settlement_accounts.list(&mine, PageRequest { limit, offset }).await?;
        Ok::<_, Failure>((page.count, page.rows.into_iter().map(|row| row.account.id).collect::<Vec<_>>()))
    };
    let all = vec![settlement_account_id(2), settlement_account_id(1), Who::Main.settlement_account()];
    same("all", ids(9, 0).await?, (3, all.clone()))?;
    same("a page", ids(1, 1).await?, (3, all[1..2].to_vec()))?;
    same("past the end", ids(1, 3).await?, (3, vec![]))?;
    let page = handle.settlement_accounts.list(&mine, PageRequest::default()).await?;
    for listed in page.rows {
        let (id, is_default) = (listed.account.id, listed.account.is_default);
        let expected = if is_default { vec![checkout_id(2), checkout_id(1)] } else { vec![] };
        same("its checkouts in the list", &listed.checkouts, &expected)?;
        same("its checkouts", find(&handle, id).await?.checkouts, expected)?;
    }
    Ok(())
}

async fn settlement_accounts_show_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let theirs = Who::Other.settlement_account();
    same("a foreign settlement account", handle.settlement_accounts.find(&Who::Main.account()?, theirs).await?, None)?;
    for who in [Who::Main, Who::Other] {
        let page = handle.settlement_accounts.list(&who.account()?, PageRequest::default()).await?;
        let own: Vec<_> = page.rows.into_iter().map(|row| row.account).collect();
        same("the rows of one account", (page.count, own), (1, vec![settlement_account(who)?]))?;
    }
    Ok(())
}

async fn knows_what_sessions_and_refunds_await(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let own = settlement_account_id(1);
    change(&handle, open_settlement_account(Who::Main, 1)?).await?;
    change(&handle, approve_settlement_account(Who::Main, own, Approval::Approve, after(1))?).await?;
    let edit = SettlementAccountEdit { bank: Some(Some(bank(2, "")?.id)), ..SettlementAccountEdit::default() };
    change(&handle, edit_settlement_account(Who::Main, own, edit, after(2))?).await?;
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, Some(own))?).await)?;
    add_session(&handle, Who::Main, checkout_id(1), 1).await?;
    let edit = CheckoutEdit { settlement_account: Some(None), ..CheckoutEdit::default() };
    expect_new(handle.checkouts.edit(edit_checkout(Who::Main, checkout_id(1), edit, after(6))?).await)?;
    let delete = async || {
        let command = delete_settlement_account(Who::Main, own)?;
        Ok::<_, Failure>(handle.settlement_accounts.change(command).await)
    };
    same("while a session is OPEN", refused(delete().await?)?, SettlementRefusal::AwaitsPayments)?;
    let payment = expect_some("the payment", pay_session(&handle, Who::Main, 1).await?.state.payment())?;
    add_refund(&handle, Who::Main, payment, 1).await?;
    same("while a refund is not final", refused(delete().await?)?, SettlementRefusal::AwaitsPayments)?;
    let left = refund_step(Who::Main, 1, RefundAction::AtBank(PayerDecision::Leave), (9, after(200)))?;
    expect_new(handle.merchant_payments.act(left).await)?;
    same("the result", expect_new(delete().await?)?, None)
}

async fn payees_counted(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for number in [1, 2] {
        expect_new(handle.payees.create(create_payee(Who::Main, number)?).await)?;
    }
    let count = |situation: &CreatePayeeSituation| Err(CreatePayeeRefusal::TooMany { max: situation.payees });
    let command = CreatePayeeCommand { decide: Arc::new(count), ..create_payee(Who::Main, 3)? };
    same("the payees", refused(handle.payees.create(command).await)?, CreatePayeeRefusal::TooMany { max: 3 })
}

async fn the_same_bank_details_are_the_same_payee(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let made = expect_new(handle.payees.create(create_payee(Who::Main, 1)?).await)?;
    same("the new payee", (made.is_new, made.payee.approval), (true, ApprovalStatus::Pending))?;
    let found = expect_some("the payee", handle.payees.find(&mine, payee_id(1)).await?)?;
    same("what is found", payee_members(&found), payee_members(&made.payee))?;
    let second = CreatePayeeCommand { details: made.payee.details.clone(), ..create_payee(Who::Main, 2)? };
    let known = expect_new(handle.payees.create(second).await)?;
    same("the same bank details", (known.is_new, known.payee.id), (false, payee_id(1)))?;
    let theirs = expect_new(handle.payees.create(create_payee(Who::Other, 1)?).await)?;
    same("the payee on another account", theirs.is_new, true)?;
    let operator =
        OperatorEdit { status: None, permissions: [(MerchantPermission::CreateTopUpCheckouts, true)].into() };
    expect_new(handle.merchants.change(administer(Who::Main, operator)?).await)?;
    let third = expect_new(handle.payees.create(create_payee(Who::Main, 3)?).await)?;
    same("with the permission", third.payee.approval, ApprovalStatus::Approved)?;
    let nobody = florin_domain::ids::AccountId::parse("F99")?;
    let command = CreatePayeeCommand { account: nobody, ..create_payee(Who::Main, 4)? };
    absent("an account without a profile", &handle.payees.create(command).await)?;
    let with_key = |number| {
        let claim = Some(claim(Who::Main, "key", "{}")?);
        Ok::<_, Failure>(CreatePayeeCommand { claim, ..create_payee(Who::Main, number)? })
    };
    let made = expect_new(handle.payees.create(with_key(5)?).await)?;
    let answer = replayed(handle.payees.create(with_key(6)?).await)?;
    same("the answer", answer.body, format!("{made:?}"))?;
    same("the payee of the repeated request", handle.payees.find(&mine, payee_id(6)).await?, None)
}

async fn approve_is_stored_once(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, id) = (Who::Main.account()?, Who::Main.payee());
    let before = expect_some("the payee", handle.payees.find(&mine, id).await?)?;
    let done = expect_new(handle.payees.approve(approve_payee(Who::Main, id, Approval::Reject, after(3))?).await)?;
    same("the decision", (done.approval, done.updated_at), (ApprovalStatus::Rejected, after(3)))?;
    let found = expect_some("the payee", handle.payees.find(&mine, id).await?)?;
    same("what is stored", payee_members(&found), payee_members(&done))?;
    same("the rest", (found.name, found.created_at), (before.name, noon()))?;
    refused(handle.payees.approve(approve_payee(Who::Main, id, Approval::Approve, after(4))?).await)?;
    for (what, payee) in [("no such payee", payee_id(9)), ("a foreign payee", Who::Other.payee())] {
        let command = approve_payee(Who::Main, payee, Approval::Approve, after(5))?;
        absent(what, &handle.payees.approve(command).await)?;
    }
    Ok(())
}

async fn payees_listed(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for (number, seconds) in [(1, 2), (3, 1), (2, 1)] {
        let mut command = create_payee(Who::Main, number)?;
        let decide = command.decide;
        command.decide = Arc::new(move |situation| {
            let mut created = decide(situation)?;
            created.payee.created_at = after(seconds);
            Ok(created)
        });
        expect_new(handle.payees.create(command).await)?;
    }
    expect_new(handle.payees.approve(approve_payee(Who::Main, payee_id(3), Approval::Approve, after(3))?).await)?;
    let list = async |filter: PayeeFilter, limit, offset| {
        let page = handle.payees.list(&mine, filter, PageRequest { limit, offset }).await?;
        Ok::<_, Failure>((page.count, page.rows.into_iter().map(|row| row.id).collect::<Vec<PayeeId>>()))
    };
    let all = vec![payee_id(1), payee_id(3), payee_id(2), Who::Main.payee()];
    same("all", list(PayeeFilter::default(), 9, 0).await?, (4, all.clone()))?;
    same("a page", list(PayeeFilter::default(), 2, 1).await?, (4, all[1..3].to_vec()))?;
    same("past the end", list(PayeeFilter::default(), 1, 4).await?, (4, vec![]))?;
    let pounds = PayeeFilter { currency: Some(MerchantCurrency::Gbp), approval: None };
    same("payees in pounds", list(pounds, 9, 0).await?, (3, all[..3].to_vec()))?;
    let approved = PayeeFilter { approval: Some(ApprovalStatus::Approved), ..pounds };
    same("approved payees in pounds", list(approved, 9, 0).await?, (1, vec![payee_id(3)]))?;
    let euros = PayeeFilter { currency: Some(MerchantCurrency::Eur), approval: Some(ApprovalStatus::Pending) };
    same("pending payees in euros", list(euros, 9, 0).await?, (1, vec![Who::Main.payee()]))?;
    Ok(())
}

async fn foreign_payees(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    same("a foreign payee", handle.payees.find(&mine, Who::Other.payee()).await?, None)?;
    let page = handle.payees.list(&mine, PayeeFilter::default(), PageRequest::default()).await?;
    let ids: Vec<_> = page.rows.iter().map(|row| row.id).collect();
    same("the rows of one account", (page.count, ids), (1, vec![Who::Main.payee()]))
}
