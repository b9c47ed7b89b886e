//! Payment batches: tenancy, repeats, texts, many rows, events, two handles, and the sandbox's bank.

use super::contention::second;
use crate::check::{Failure, Proof, checks};
use crate::commands::{answer_of, claim as claimed};
use crate::expect::{absent, fresh, holds, mismatch, replayed, same, there};
use crate::factory::Handle;
use crate::observe::{Observation, audited, balances};
use crate::payments::{
    Fill, after, alert, batch_id, cancel, claim, confirm, confirmed, content, create, empty, leased, payment_id,
    record, start, statuses, take, upload,
};
use crate::world::{Who, gbp, jpy, noon, seeded, world};
use florin_domain::batch::{
    AlertCode, AlertFilter, BankAddressInput, BatchFilter, EmailInput, PaymentBatch, PaymentBatchStatus, PaymentFilter,
    PaymentInput, PaymentOutcome, PaymentStatus, PostalAddressInput, RecipientInput,
};
use florin_domain::event::EventKind;
use florin_domain::ids::PaymentId;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{AcceptedPayment, EditBatchCommand};
use std::collections::BTreeMap;
use std::sync::Arc;

checks! {
    "tenancy.batch_management.foreign_batches_are_absent" => foreign_to_change,
    "tenancy.batch_reading.foreign_batches_are_absent" => foreign_to_read,
    "repeats.batch_management.replay_gives_the_stored_answer" => repeats,
    "texts.payments_round_trip" => texts,
    "payments.ten_thousand_round_trip" => many,
    "events.are_stored_with_their_cause_and_only_then" (Events) => events,
    "durable.payments_seen_by_a_second_handle" (Reopen) => durable,
    "contention.two_handles.each_payment_is_taken_once" (Reopen) => taken_once,
    "contention.two_handles.one_claim_gets_a_batch" (Reopen) => claimed_once,
    "contention.two_handles.uploads_and_confirmations_take_turns" (Reopen) => turns,
    "contention.two_handles.the_bank_accepts_once" (Reopen) => accepted_once,
    "sandbox_bank.accept.remembers_the_first" => accepted,
}

fn renamed(batch: &PaymentBatch) -> PaymentBatch {
    PaymentBatch { name: "Mine now".into(), ..batch.clone() }
}

fn edit(who: Who, number: u128) -> Result<EditBatchCommand, Failure> {
    Ok(EditBatchCommand { account: who.account()?, batch: batch_id(number), decide: Arc::new(renamed), repeat: None })
}

async fn foreign_to_change(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let fill = Some(Fill::of(900, 3).with_faults(&[1]));
    fresh(handle.management.create(create(Who::Other, empty(Who::Other, 1, noon())?, fill)?).await)?;
    confirmed(&handle, Who::Other, 2, 2).await?;
    let before = Observation::take(&handle, 0).await?;
    for id in [batch_id(1), batch_id(2), batch_id(99)] {
        absent("an upload", &handle.management.upload(upload(Who::Mine, id, Fill::of(1, 1))?).await)?;
        absent("an edit", &handle.management.edit(EditBatchCommand { batch: id, ..edit(Who::Mine, 1)? }).await)?;
        absent("a cancellation", &handle.management.cancel(cancel(Who::Mine, id, 1)?).await)?;
        absent("a confirmation", &handle.batches.confirm(confirm(Who::Mine, id, 1)?).await)?;
    }
    before.still_holds("what was asked of foreign batches", &handle).await
}

async fn foreign_to_read(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let fill = Some(Fill::of(900, 3).with_faults(&[1]));
    fresh(handle.management.create(create(Who::Other, empty(Who::Other, 1, noon())?, fill)?).await)?;
    let (mine, page) = (Who::Mine.account()?, PageRequest::default());
    for id in [batch_id(1), Who::Other.batch(), batch_id(99)] {
        let of = |what: &str| format!("{what} of {id}");
        let (payments, alerts) = (PaymentFilter::default(), AlertFilter::default());
        same(&of("find"), handle.reading.find(&mine, id).await?, None)?;
        same(&of("payments"), handle.reading.payments(&mine, id, payments.clone(), page).await?, None)?;
        same(&of("alerts"), handle.reading.alerts(&mine, id, alerts, page).await?, None)?;
        same(&of("content"), handle.reading.content(&mine, id, payments).await?, None)?;
        same(&of("funds"), handle.reading.funds(&mine, id).await?, None)?;
        let filter = BatchFilter { ids: vec![id], include_hidden: true, ..BatchFilter::default() };
        let listed = handle.reading.list(&mine, filter, page).await?;
        same(&of("list"), (listed.count, listed.rows.len()), (0, 0))?;
    }
    let every = BatchFilter { include_hidden: true, ..BatchFilter::default() };
    same("my batches", handle.reading.list(&mine, every, page).await?.count, 2)
}

async fn repeats(handle: Handle) -> Proof {
    seeded(&handle).await?;
    // A second run of the decision would take other ids: what is replayed has none of them.
    let command = |first| -> Result<_, Failure> {
        let mut command = create(Who::Mine, empty(Who::Mine, 1, noon())?, Some(Fill::of(first, 2)))?;
        command.repeat = Some(claimed(Who::Mine, "create", "{}")?);
        Ok(command)
    };
    let done = fresh(handle.management.create(command(1)?).await)?;
    same("the answer", replayed(handle.management.create(command(50)?).await)?, answer_of(&done))?;
    let command = |body: &str, first| -> Result<_, Failure> {
        let mut command = upload(Who::Mine, batch_id(1), Fill::of(first, 3))?;
        command.repeat = Some(claimed(Who::Mine, "upload", body)?);
        Ok(command)
    };
    let done = fresh(handle.management.upload(command("{}", 100)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    same("the answer", replayed(handle.management.upload(command("{}", 200)?).await)?, answer_of(&done))?;
    mismatch(handle.management.upload(command("[]", 200)?).await)?;
    before.still_holds("a repeated upload", &handle).await?;
    let command = || -> Result<_, Failure> {
        Ok(EditBatchCommand { repeat: Some(claimed(Who::Mine, "edit", "{}")?), ..edit(Who::Mine, 1)? })
    };
    let done = fresh(handle.management.edit(command()?).await)?;
    same("the answer", replayed(handle.management.edit(command()?).await)?, answer_of(&done))?;
    let command = |ids| -> Result<_, Failure> {
        let mut command = cancel(Who::Mine, batch_id(1), ids)?;
        command.repeat = Some(claimed(Who::Mine, "cancel", "{}")?);
        Ok(command)
    };
    let done = fresh(handle.management.cancel(command(1)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    same("the answer", replayed(handle.management.cancel(command(50)?).await)?, answer_of(&done))?;
    before.still_holds("a repeated cancellation", &handle).await
}

/// Texts that stores may stumble over. NUL never reaches one.
const TEXTS: [&str; 7] = [
    "",
    " ' \" \\ % _ ; -- ",
    "{\"json\": [1]}",
    "Zoë Ünïcødé",
    "e\u{301} \u{1F469}\u{200D}\u{1F4BB}",
    "\u{1}\t\r\n\u{7f}",
    "\\u0000 \u{feff}\u{202e}",
];

fn everything(text: &str) -> PaymentInput {
    let some = || Some(text.to_owned());
    let (amount, currency_code, funding_budget_id, purpose_code) = (some(), some(), some(), some());
    let (purpose, reference, external_id) = (some(), some(), some());
    let email = EmailInput { name: some(), email: some() };
    let address = PostalAddressInput {
        address_type: some(),
        street_name: some(),
        building_number: some(),
        building_name: some(),
        postcode: some(),
        city: some(),
        region: some(),
        country_code: some(),
    };
    let bank_address = BankAddressInput {
        bank_name: some(),
        branch: some(),
        building_name: some(),
        building_number: some(),
        street_name: some(),
        city: some(),
        region: some(),
        postcode: some(),
        country_code: some(),
    };
    let recipient = RecipientInput {
        id: some(),
        default_reference: some(),
        kind: some(),
        name: some(),
        display_name: some(),
        subscribed_emails: vec![email, EmailInput::default()],
        account_identifier: some(),
        bank_identifier: some(),
        secondary_bank_identifier: some(),
        intermediary_bank_identifier: some(),
        payment_network: some(),
        address: Some(address),
        bank_address: Some(bank_address),
    };
    PaymentInput { amount, currency_code, funding_budget_id, purpose_code, purpose, reference, external_id, recipient }
}

async fn texts(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let long = TEXTS.concat().repeat(500);
    let texts: Vec<_> = TEXTS.into_iter().chain([long.as_str()]).collect();
    let recipient = RecipientInput { address: Some(PostalAddressInput::default()), ..RecipientInput::default() };
    let mut inputs = vec![PaymentInput::default(), PaymentInput { recipient, ..PaymentInput::default() }];
    inputs.extend(texts.iter().map(|text| everything(text)));
    let alerts: Vec<_> = texts.iter().map(|text| alert(AlertCode::TextInvalid, Some(0), noon(), text)).collect();
    let fill = Fill { inputs: inputs.clone(), alerts: alerts.clone(), faulty: vec![0], ..Fill::of(1, 0) };
    let mut batch = empty(Who::Mine, 1, noon())?;
    batch.name = TEXTS.concat();
    fresh(handle.management.create(create(Who::Mine, batch, Some(fill))?).await)?;
    let found = content(&handle, Who::Mine, batch_id(1)).await?;
    same("the name", found.batch.name, TEXTS.concat())?;
    same("the inputs", found.payments.into_iter().map(|payment| payment.input).collect::<Vec<_>>(), inputs)?;
    same("the alerts", found.alerts, alerts)?;
    for (number, text) in (1..).zip(texts).filter(|_| handle.serves_sandbox) {
        let (id, amount) = (payment_id(number), Minor(1).of(gbp()?));
        let payment = AcceptedPayment { id, amount, reference: Some(text.into()), accepted_at: noon() };
        handle.bank.accept(payment.clone()).await?;
        same("an accepted payment", handle.bank.find(id).await?, Some(payment))?;
    }
    Ok(())
}

async fn many(handle: Handle) -> Proof {
    const COUNT: u32 = 10_000;
    handle.seeding.seed(world(10_000_000)?).await?;
    let mut fill = Fill::of(1, COUNT).with_faults(&(0..COUNT).collect::<Vec<_>>());
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, Some(fill.clone()))?).await)?;
    let found = content(&handle, Who::Mine, batch_id(1)).await?;
    same("payments", statuses(&found.payments), vec![(PaymentStatus::Created, 10_000)])?;
    holds("the alerts are not those that were stored", found.alerts == fill.alerts)?;
    (fill.faulty, fill.alerts, fill.first) = (vec![], vec![], 50_000);
    fresh(handle.management.upload(upload(Who::Mine, batch_id(1), fill.clone())?).await)?;
    let found = content(&handle, Who::Mine, batch_id(1)).await?;
    same("payments", statuses(&found.payments), vec![(PaymentStatus::Validated, 10_000)])?;
    same("alerts", found.alerts.len(), 0)?;
    holds("inputs differ", found.payments.iter().map(|payment| &payment.input).eq(&fill.inputs))?;
    holds("indexes differ", found.payments.iter().map(|payment| payment.index).eq(0..COUNT))?;
    let page = PageRequest { limit: 2, offset: 9_999 };
    let last = handle.reading.payments(&Who::Mine.account()?, batch_id(1), PaymentFilter::default(), page).await?;
    let last = there("the batch", last)?;
    same("the last page", (last.count, last.rows.iter().map(|row| row.index).collect::<Vec<_>>()), (10_000, vec![0]))?;
    audited(&handle).await
}

async fn events(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let log = there("the log", handle.events.clone())?;
    let seen = || async {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for event in log.events().await? {
            holds("an event of nobody", event.account == Who::Mine.account()? && event.subject.batch == batch_id(1))?;
            *kinds.entry(event.kind.as_str().into()).or_default() += 1;
        }
        Ok::<_, Failure>(kinds)
    };
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    let mut happened = |kind: EventKind, times| {
        wanted.insert(kind.as_str().into(), times);
        wanted.clone()
    };
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, Some(Fill::of(1, 4)))?).await)?;
    same("after the making", seen().await?, happened(EventKind::PaymentBatchCreated, 1))?;
    // Refused, absent, failed half-way, repeated: nothing happens.
    crate::expect::store_failed(
        handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, None)?).await,
    )?;
    absent("a cancellation", &handle.management.cancel(cancel(Who::Other, batch_id(1), 1)?).await)?;
    let command = || -> Result<_, Failure> {
        let mut command = confirm(Who::Mine, batch_id(1), 10)?;
        command.repeat = Some(claimed(Who::Mine, "k", "{}")?);
        Ok(command)
    };
    fresh(handle.batches.confirm(command()?).await)?;
    let after_confirm = happened(EventKind::PaymentBatchOrderCreated, 2);
    same("after the confirmation", seen().await?, after_confirm.clone())?;
    replayed(handle.batches.confirm(command()?).await)?;
    crate::expect::refused(handle.batches.confirm(confirm(Who::Mine, batch_id(1), 20)?).await)?;
    same("after a repeat and a refusal", seen().await?, after_confirm)?;
    let lease = leased(&handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 30)).await?;
    same("after the start", seen().await?, happened(EventKind::PaymentBatchProcessing, 1))?;
    let taken = handle.processing.take(take(&lease, 9, 40)).await?;
    same("after the taking", seen().await?, happened(EventKind::PaymentCreated, 4))?;
    let ids: Vec<_> = taken.iter().map(|payment| payment.id).collect();
    handle.processing.record(record(&lease, &ids, PaymentOutcome::Completed, None, 50)).await?;
    same("after the end", seen().await?, happened(EventKind::PaymentBatchCompleted, 1))?;
    let back = PaymentOutcome::Returned(florin_domain::batch::FailureReason::AccountClosed);
    handle.processing.record(record(&lease, &ids[..1], back, None, 70)).await?;
    same("after a return", seen().await?, happened(EventKind::PaymentReturned, 1))?;
    let of_payments = log.events().await?.into_iter().filter(|event| event.kind == EventKind::PaymentCreated);
    let mut told: Vec<_> = of_payments.filter_map(|event| event.subject.payment).collect();
    told.sort_unstable();
    same("the payments they tell of", told, ids)
}

async fn durable(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let fill = Fill::of(1, 3).with_faults(&[1]);
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, 1, noon())?, Some(fill))?).await)?;
    confirmed(&handle, Who::Mine, 2, 4).await?;
    let lease = leased(&handle, 1, after(80)).await?;
    handle.processing.start(start(&lease, 10)).await?;
    let taken = handle.processing.take(take(&lease, 2, 20)).await?;
    let before = Observation::take(&handle, 0).await?;
    let other = second(&handle).await?;
    before.still_holds("to be opened again", &other).await?;
    // The lease is the store's, not the handle's.
    same("a claim", other.processing.claim(claim(2, after(81), 9)).await?, vec![])?;
    same("due", other.processing.due(&lease, after(120), 9).await?, taken)?;
    same("the rest", other.processing.take(take(&lease, 9, 30)).await?.len(), 2)
}

/// A worker: claims, takes three at a time, pays, lets go; until there is nothing left.
async fn work(handle: Handle, name: u128) -> Result<Vec<PaymentId>, Failure> {
    let mut sent = Vec::new();
    for round in 0..400_u128 {
        let ids = name * 1_000_000 + round * 100;
        let until_now = after(80 + i64::try_from(round).unwrap_or(0));
        // Short leases: the other one takes over what this one holds, sometimes.
        let mut command = claim(name * 1_000 + round, until_now, 1);
        command.until = until_now + chrono::TimeDelta::seconds(2);
        let Some(lease) = handle.processing.claim(command).await?.pop() else {
            if content(&handle, Who::Mine, batch_id(1)).await?.batch.status == PaymentBatchStatus::Completed {
                return Ok(sent);
            }
            tokio::task::yield_now().await;
            continue;
        };
        // Whoever comes second is refused, or has lost its lease.
        let _ = handle.processing.start(start(&lease, ids)).await;
        let Ok(taken) = handle.processing.take(take(&lease, 3, ids + 10)).await else { continue };
        sent.extend(taken.iter().map(|payment| payment.id));
        let mut open: Vec<_> =
            handle.processing.due(&lease, after(9_999), 9).await?.iter().map(|payment| payment.id).collect();
        open.extend(taken.iter().map(|payment| payment.id));
        let _ = handle.processing.record(record(&lease, &open, PaymentOutcome::Completed, None, ids + 50)).await;
        handle.processing.release(&lease).await?;
    }
    Err(Failure::new("the batch does not come to its end"))
}

async fn taken_once(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let other = second(&handle).await?;
    confirmed(&handle, Who::Mine, 1, 40).await?;
    let before = balances(&handle, Who::Mine, gbp()?).await?;
    let workers = [handle.clone(), other.clone(), handle.clone(), other];
    let workers: Vec<_> = (1..).zip(workers).map(|(name, handle)| tokio::spawn(work(handle, name))).collect();
    let mut sent = Vec::new();
    for worker in workers {
        sent.extend(worker.await.map_err(|error| Failure::new(error.to_string()))??);
    }
    sent.sort_unstable();
    let found = content(&handle, Who::Mine, batch_id(1)).await?;
    same("payments taken", sent, found.payments.iter().map(|payment| payment.id).collect::<Vec<_>>())?;
    same("their states", statuses(&found.payments), vec![(PaymentStatus::Completed, 40)])?;
    let now = balances(&handle, Who::Mine, gbp()?).await?;
    same("available and reserved", (now.available(), now.reserved()), (before.available(), Minor::ZERO))?;
    audited(&handle).await
}

async fn claimed_once(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let other = second(&handle).await?;
    for number in 1..=6 {
        confirmed(&handle, Who::Mine, number, 1).await?;
    }
    let claims = (1..=24).zip([&handle, &other].into_iter().cycle()).map(|(number, handle)| {
        let processing = handle.processing.clone();
        tokio::spawn(async move { processing.claim(claim(number, after(80), 1)).await })
    });
    let mut got = Vec::new();
    for claim in claims.collect::<Vec<_>>() {
        got.extend(claim.await.map_err(|error| Failure::new(error.to_string()))??.into_iter().map(|lease| lease.batch));
    }
    // A claim passes over what another is just claiming: what is left is got by the next.
    got.extend(handle.processing.claim(claim(99, after(80), 9)).await?.into_iter().map(|lease| lease.batch));
    got.sort_unstable();
    same("batches that were claimed", got, (1..=6).map(batch_id).collect::<Vec<_>>())
}

async fn turns(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let other = second(&handle).await?;
    for round in 1..=12_u128 {
        let base = round * 1_000;
        let fill = Some(Fill::of(base, 1));
        fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, round, noon())?, fill)?).await)?;
        // Two payments are paid from both budgets, one from the first only.
        let (uploading, confirming) = (other.management.clone(), handle.batches.clone());
        let upload = upload(Who::Mine, batch_id(round), Fill::of(base + 500, 2))?;
        let upload = tokio::spawn(async move { uploading.upload(upload).await });
        let confirm = confirm(Who::Mine, batch_id(round), base)?;
        let confirm = tokio::spawn(async move { confirming.confirm(confirm).await });
        let uploaded = upload.await.map_err(|error| Failure::new(error.to_string()))?;
        let confirmed = fresh(confirm.await.map_err(|error| Failure::new(error.to_string()))?)?;
        let found = content(&handle, Who::Mine, batch_id(round)).await?;
        same("the batch", &found.batch, &confirmed)?;
        same("payments", found.payments.len(), if uploaded.is_ok() { 2 } else { 1 })?;
        same("orders", found.batch.orders.len(), found.payments.len())?;
        same("states", statuses(&found.payments), vec![(PaymentStatus::Confirmed, found.payments.len())])?;
        audited(&handle).await?;
        fresh(handle.management.cancel(cancel(Who::Mine, batch_id(round), base + 100)?).await)?;
    }
    audited(&handle).await
}

async fn accepted_once(handle: Handle) -> Proof {
    let other = second(&handle).await?;
    let attempts = (0..60).zip([&handle, &other].into_iter().cycle()).map(|(number, handle)| {
        let bank = handle.bank.clone();
        let (id, amount) = (payment_id(number % 6), Minor(i64::try_from(number).unwrap_or(0) + 1));
        tokio::spawn(async move {
            let payment = AcceptedPayment { id, amount: amount.of(gbp()?), reference: None, accepted_at: noon() };
            Ok::<_, Failure>(bank.accept(payment).await?)
        })
    });
    for attempt in attempts.collect::<Vec<_>>() {
        let told = attempt.await.map_err(|error| Failure::new(error.to_string()))??;
        same("what is remembered", handle.bank.find(told.id).await?, Some(told))?;
    }
    Ok(())
}

async fn accepted(handle: Handle) -> Proof {
    same("an unknown payment", handle.bank.find(payment_id(1)).await?, None)?;
    let first =
        AcceptedPayment { id: payment_id(1), amount: Minor(5).of(jpy()?), reference: None, accepted_at: after(1) };
    same("the first", handle.bank.accept(first.clone()).await?, first.clone())?;
    let reference = Some("another".into());
    let again = AcceptedPayment { amount: Minor(6).of(gbp()?), reference, accepted_at: after(2), ..first.clone() };
    same("the second", handle.bank.accept(again.clone()).await?, first.clone())?;
    same("what is remembered", handle.bank.find(payment_id(1)).await?, Some(first))?;
    let other = AcceptedPayment { id: payment_id(2), ..again };
    same("another one", handle.bank.accept(other.clone()).await?, other)
}
