//! Checks of the creation of sessions and top-ups.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::{
    add_checkout, add_session, add_top_up, checkout_session_id, create_session, create_top_up, reference,
    session_request, top_up_request,
};
use crate::commands::{answer_of, claim, request};
use crate::expect::{absent, expect_new, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::merchants::{approve_payee, create_payee, payee_id};
use crate::observe::Observation;
use crate::payments::after;
use crate::seed_data::{Who, account, checkout, parent_of, seed_store, settlement_account};
use crate::together::{Work, race};
use florin_domain::access::Account;
use florin_domain::checkout::{
    CheckoutSession, CreateSessionRefusal, CreateSessionSituation, CreateTopUpRefusal, CreatedSession, PageTokenHash,
    PaymentReference, SessionPurpose, SessionRequest, SessionState, SessionTarget, TopUpRequest,
};
use florin_domain::ids::{AccountId, CheckoutId};
use florin_domain::merchant::Approval;
use florin_domain::text::Text;
use florin_ports::{CreateSessionCommand, CreateTopUpCommand, FoundSession, WriteError, Written};
use std::collections::BTreeSet;
use std::sync::Arc;

checks! {
    "checkout_sessions.create.is_shown_the_checkout_and_stores_every_member" =>
        create_is_shown_the_checkout_and_stores_every_member,
    "checkout_sessions.create.is_shown_the_payee" => create_is_shown_the_payee,
    "checkout_sessions.create_top_up.stores_every_member" => top_up,
    "checkout_sessions.create.a_known_key_returns_the_same_session" => a_known_key_returns_the_same_session,
    "checkout_sessions.create.taken_references_are_shown" => taken_references_are_shown,
    "checkout_sessions.create.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "checkout_sessions.create.concurrent_requests_are_decided_sequentially" =>
        concurrent_requests_are_decided_sequentially,
    "tenancy.checkout_sessions.create_with_ids_of_one_account_only" =>
        checkout_sessions_create_with_ids_of_one_account_only,
}

/// Creates an account of my client without a merchant profile.
async fn account_without_profile(handle: &Handle) -> Result<AccountId, Failure> {
    let fresh = Account { id: AccountId::parse("F9")?, merchant: false, ..account(Who::Main)? };
    handle.registry.add_account(fresh.clone(), parent_of(&fresh)?).await?;
    Ok(fresh.id)
}

/// Returns a session as it is found without a payment.
const fn unpaid(session: CheckoutSession) -> FoundSession {
    FoundSession { session, last: None, attempts: 0 }
}

async fn create_is_shown_the_checkout_and_stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, checkout) = (Who::Main.account()?, add_checkout(&handle, Who::Main, 1).await?);
    let shown = handle.checkouts.find(&mine, checkout).await?;
    let mut command = create_session(Who::Main, checkout, session_request(Who::Main, 1)?)?;
    let (rule, accounts) = (command.decide, vec![settlement_account(Who::Main)?]);
    command.decide = Arc::new(move |situation: &CreateSessionSituation| {
        let seen = (&situation.checkout, &situation.settlement_accounts);
        let is_new = situation.known.is_none() && situation.payee.is_none() && situation.taken.is_empty();
        if seen == (&shown, &accounts) && is_new { rule(situation) } else { Err(CreateSessionRefusal::NoReference) }
    });
    let done = expect_new(handle.checkout_sessions.create(command).await)?;
    same("whether it is new", done.is_new, true)?;
    let session = done.session;
    same("its state", session.state, SessionState::Open { has_begun: false })?;
    same("when it is due", session.due_at(), Some(session.expires_at))?;
    let found = handle.checkout_sessions.find(&mine, session.id).await?;
    same("what is found", found, Some(unpaid(session.clone())))?;
    let shown = handle.checkout_sessions.with_token(session.token).await?;
    same("the session of the page", shown, Some(unpaid(session)))?;
    same("an unknown page", handle.checkout_sessions.with_token(PageTokenHash([9; 32])).await?, None)
}

async fn create_is_shown_the_payee(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.payees.create(create_payee(Who::Main, 1)?).await)?;
    let target = SessionTarget::TopUp(payee_id(1));
    let request = || Ok::<_, Failure>(SessionRequest { target: target.clone(), ..session_request(Who::Main, 1)? });
    let top_ups = checkout(Who::Main, 1)?.id;
    let refusal = refused(handle.checkout_sessions.create(create_session(Who::Main, top_ups, request()?)?).await)?;
    let pending = florin_domain::merchant::ApprovalStatus::Pending;
    same("a payee who is not approved", refusal, CreateSessionRefusal::PayeeNotApproved(pending))?;
    handle.payees.approve(approve_payee(Who::Main, payee_id(1), Approval::Approve, after(1))?).await?;
    let done = expect_new(handle.checkout_sessions.create(create_session(Who::Main, top_ups, request()?)?).await)?;
    let purpose = SessionPurpose::Payee { checkout: top_ups, payee: payee_id(1) };
    same("the purpose", &done.session.purpose, &purpose)?;
    let found = handle.checkout_sessions.find(&Who::Main.account()?, done.session.id).await?;
    same("what is found", found, Some(unpaid(done.session)))
}

async fn top_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let done = add_top_up(&handle, Who::Main, 1).await?;
    same("the purpose", &done.purpose, &SessionPurpose::Budget(Who::Main.budget()))?;
    let found = handle.checkout_sessions.find(&mine, done.id).await?;
    same("what is found", found, Some(unpaid(done.clone())))?;
    same("the page", handle.checkout_sessions.with_token(done.token).await?, Some(unpaid(done)))
}

async fn a_known_key_returns_the_same_session(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let first = add_session(&handle, Who::Main, checkout, 1).await?;
    let key = || Text::parse("key 1");
    let mut second = session_request(Who::Main, 2)?;
    second.draft.terms.idempotency_key = key()?;
    let repeated = expect_new(handle.checkout_sessions.create(create_session(Who::Main, checkout, second)?).await)?;
    same("the same session", repeated, CreatedSession { session: first, is_new: false })?;
    let mine = Who::Main.account()?;
    same("the second id", handle.checkout_sessions.find(&mine, checkout_session_id(2)).await?, None)?;
    // Top-ups do not share idempotency keys with sessions of checkouts.
    let mut top_up = top_up_request(Who::Main, 3)?;
    top_up.draft.terms.idempotency_key = key()?;
    let top_up = expect_new(handle.checkout_sessions.create_top_up(create_top_up(Who::Main, top_up)?).await)?;
    same("a top-up with the key", (top_up.is_new, top_up.session.id), (true, checkout_session_id(3)))?;
    let mut repeated = top_up_request(Who::Main, 4)?;
    repeated.draft.terms.idempotency_key = key()?;
    let repeated = expect_new(handle.checkout_sessions.create_top_up(create_top_up(Who::Main, repeated)?).await)?;
    same("the same top-up", repeated, CreatedSession { is_new: false, ..top_up })?;
    // Keys are compared exactly.
    let mut other = session_request(Who::Main, 5)?;
    other.draft.terms.idempotency_key = Text::parse("KEY 1")?;
    let other = expect_new(handle.checkout_sessions.create(create_session(Who::Main, checkout, other)?).await)?;
    same("another key", other.is_new, true)?;
    // The other account does not share idempotency keys with mine.
    let theirs = add_checkout(&handle, Who::Other, 6).await?;
    let mut request = session_request(Who::Other, 6)?;
    request.draft.terms.idempotency_key = key()?;
    let theirs = expect_new(handle.checkout_sessions.create(create_session(Who::Other, theirs, request)?).await)?;
    same("the key on the other account", theirs.is_new, true)
}

async fn taken_references_are_shown(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let theirs = add_checkout(&handle, Who::Other, 2).await?;
    add_session(&handle, Who::Main, checkout, 1).await?;
    let session = async |who, checkout, number, references: &[u128]| {
        let mut request = session_request(who, number)?;
        request.draft.references = references.iter().map(|number| reference(*number)).collect();
        Ok::<_, Failure>(handle.checkout_sessions.create(create_session(who, checkout, request)?).await)
    };
    let second = expect_new(session(Who::Main, checkout, 2, &[1, 2]).await?)?;
    same("the first free one", second.session.payment_reference, reference(2))?;
    let refusal = refused(session(Who::Main, checkout, 3, &[2, 1]).await?)?;
    same("a request with taken references only", refusal, CreateSessionRefusal::NoReference)?;
    let mut top_up = top_up_request(Who::Main, 4)?;
    top_up.draft.references = vec![reference(1), reference(4)];
    let top_up = expect_new(handle.checkout_sessions.create_top_up(create_top_up(Who::Main, top_up)?).await)?;
    same("the reference of a top-up", top_up.session.payment_reference, reference(4))?;
    let fifth = expect_new(session(Who::Main, checkout, 5, &[4, 5]).await?)?;
    same("a reference that no top-up has", fifth.session.payment_reference, reference(5))?;
    let other = expect_new(session(Who::Other, theirs, 6, &[1]).await?)?;
    same("on the other account", other.session.payment_reference, reference(1))
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = add_checkout(&handle, Who::Main, 1).await?;
    let session = |number, body| {
        let claim = Some(claim(Who::Main, "session", body)?);
        let command = create_session(Who::Main, checkout, session_request(Who::Main, number)?)?;
        Ok::<_, Failure>(CreateSessionCommand { claim, ..command })
    };
    let sessions = &handle.checkout_sessions;
    let done = expect_new(sessions.create(session(1, "{}")?).await)?;
    same("the answer", replayed(sessions.create(session(2, "{}")?).await)?, answer_of(&done))?;
    same("the first request", mismatch(sessions.create(session(2, "[]")?).await)?, request("{}"))?;
    let top_up = |number, body| {
        let claim = Some(claim(Who::Main, "top-up", body)?);
        Ok::<_, Failure>(CreateTopUpCommand { claim, ..create_top_up(Who::Main, top_up_request(Who::Main, number)?)? })
    };
    let done = expect_new(sessions.create_top_up(top_up(3, "{}")?).await)?;
    same("the answer", replayed(sessions.create_top_up(top_up(4, "{}")?).await)?, answer_of(&done))?;
    same("the first request", mismatch(sessions.create_top_up(top_up(4, "[]")?).await)?, request("{}"))?;
    let mine = Who::Main.account()?;
    for number in [2, 4] {
        same("what a repeat created", sessions.find(&mine, checkout_session_id(number)).await?, None)?;
    }
    Ok(())
}

type Created = Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>>;

fn creation(handle: &Handle, command: CreateSessionCommand) -> Work<Created> {
    let sessions = Arc::clone(&handle.checkout_sessions);
    Box::pin(async move { sessions.create(command).await })
}

async fn concurrent_requests_are_decided_sequentially(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout: CheckoutId = add_checkout(&handle, Who::Main, 1).await?;
    let references: Vec<PaymentReference> = (1..=10).map(reference).collect();
    let work = |key: Option<&str>, number| {
        let mut request = session_request(Who::Main, number)?;
        request.draft.references.clone_from(&references);
        if let Some(key) = key {
            request.draft.terms.idempotency_key = Text::parse(key)?;
        }
        Ok::<_, Failure>(creation(&handle, create_session(Who::Main, checkout, request)?))
    };
    let same_key = (1..=8).map(|number| work(Some("one key"), number)).collect::<Result<_, _>>()?;
    let answers = race(same_key).await?.into_iter().map(expect_new).collect::<Result<Vec<_>, _>>()?;
    let ids: BTreeSet<_> = answers.iter().map(|created| created.session.id).collect();
    let new = answers.iter().filter(|created| created.is_new).count();
    same("sessions under one key, and new ones", (ids.len(), new), (1, 1))?;
    let own_keys = (11..=18).map(|number| work(None, number)).collect::<Result<_, _>>()?;
    let answers = race(own_keys).await?.into_iter().map(expect_new).collect::<Result<Vec<_>, _>>()?;
    let given: BTreeSet<_> = answers.iter().map(|created| created.session.payment_reference.clone()).collect();
    same("references of concurrent sessions", given.len(), 8)
}

async fn checkout_sessions_create_with_ids_of_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (plain, theirs) = (account_without_profile(&handle).await?, add_checkout(&handle, Who::Other, 1).await?);
    let before = Observation::take(&handle, 1).await?;
    let sessions = &handle.checkout_sessions;
    let command = || create_session(Who::Main, theirs, session_request(Who::Main, 1)?);
    same("a foreign checkout", refused(sessions.create(command()?).await)?, CreateSessionRefusal::NoCheckout)?;
    let target = SessionTarget::TopUp(Who::Other.payee());
    let request = SessionRequest { target, ..session_request(Who::Main, 1)? };
    let to_them = create_session(Who::Main, checkout(Who::Main, 1)?.id, request)?;
    same("a foreign payee", refused(sessions.create(to_them).await)?, CreateSessionRefusal::NoPayee)?;
    let request = TopUpRequest { budget: Who::Other.budget(), ..top_up_request(Who::Main, 1)? };
    let refusal = refused(sessions.create_top_up(create_top_up(Who::Main, request)?).await)?;
    same("a foreign budget", refusal, CreateTopUpRefusal::NoBudget)?;
    let no_merchant = CreateSessionCommand { account: plain.clone(), ..command()? };
    absent("a session without a profile", &sessions.create(no_merchant).await)?;
    let no_merchant = create_top_up(Who::Main, top_up_request(Who::Main, 1)?)?;
    let no_merchant = CreateTopUpCommand { account: plain, ..no_merchant };
    absent("a top-up without a profile", &sessions.create_top_up(no_merchant).await)?;
    before.still_holds("refused creations", &handle).await
}
