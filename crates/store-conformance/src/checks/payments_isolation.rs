//! Checks of payment batches: tenancy, repeats, texts and many rows.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{answer_of, claim as claimed};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::payments::{
    NewPayments, add_confirmed_batch, alert, batch_id, cancel, confirm, content, create, empty, payment_id, statuses,
    upload,
};
use crate::seed_data::{Who, gbp, noon, seed_data, seed_store};
use florin_domain::batch::{
    AlertCode, AlertFilter, BankAddressInput, BatchFilter, EmailInput, PaymentBatch, PaymentFilter, PaymentInput,
    PaymentStatus, PostalAddressInput, RecipientInput,
};
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_ports::{AcceptedPayment, EditBatchCommand};
use std::sync::Arc;

checks! {
    "tenancy.batch_management.foreign_batches_are_absent" => foreign_to_change,
    "tenancy.batch_reading.foreign_batches_are_absent" => foreign_to_read,
    "repeats.batch_management.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "texts.payments_round_trip" => payments_round_trip,
    "payments.ten_thousand_round_trip" => ten_thousand_round_trip,
}

fn renamed(batch: &PaymentBatch) -> PaymentBatch {
    PaymentBatch { name: "Mine now".into(), ..batch.clone() }
}

fn edit(who: Who, number: u128) -> Result<EditBatchCommand, Failure> {
    Ok(EditBatchCommand { account: who.account()?, batch: batch_id(number), decide: Arc::new(renamed), claim: None })
}

async fn foreign_to_change(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = Some(NewPayments::of(900, 3).with_faults(&[1]));
    expect_new(handle.management.create(create(Who::Other, empty(Who::Other, 1, noon())?, new_payments)?).await)?;
    add_confirmed_batch(&handle, Who::Other, 2, 2).await?;
    let before = Observation::take(&handle, 0).await?;
    for id in [batch_id(1), batch_id(2), batch_id(99)] {
        absent("an upload", &handle.management.upload(upload(Who::Main, id, NewPayments::of(1, 1))?).await)?;
        absent("an edit", &handle.management.edit(EditBatchCommand { batch: id, ..edit(Who::Main, 1)? }).await)?;
        absent("a cancellation", &handle.management.cancel(cancel(Who::Main, id, 1)?).await)?;
        absent("a confirmation", &handle.batches.confirm(confirm(Who::Main, id, 1)?).await)?;
    }
    before.still_holds("commands on batches of another account", &handle).await
}

async fn foreign_to_read(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new_payments = Some(NewPayments::of(900, 3).with_faults(&[1]));
    expect_new(handle.management.create(create(Who::Other, empty(Who::Other, 1, noon())?, new_payments)?).await)?;
    let (mine, page) = (Who::Main.account()?, PageRequest::default());
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

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // A second decision would use other ids, which must not appear in the replay.
    let command = |first| -> Result<_, Failure> {
        let mut command = create(Who::Main, empty(Who::Main, 1, noon())?, Some(NewPayments::of(first, 2)))?;
        command.claim = Some(claimed(Who::Main, "create", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.management.create(command(1)?).await)?;
    same("the answer", replayed(handle.management.create(command(50)?).await)?, answer_of(&done))?;
    let command = |body: &str, first| -> Result<_, Failure> {
        let mut command = upload(Who::Main, batch_id(1), NewPayments::of(first, 3))?;
        command.claim = Some(claimed(Who::Main, "upload", body)?);
        Ok(command)
    };
    let done = expect_new(handle.management.upload(command("{}", 100)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    same("the answer", replayed(handle.management.upload(command("{}", 200)?).await)?, answer_of(&done))?;
    mismatch(handle.management.upload(command("[]", 200)?).await)?;
    before.still_holds("a repeated upload", &handle).await?;
    let command = || -> Result<_, Failure> {
        Ok(EditBatchCommand { claim: Some(claimed(Who::Main, "edit", "{}")?), ..edit(Who::Main, 1)? })
    };
    let done = expect_new(handle.management.edit(command()?).await)?;
    same("the answer", replayed(handle.management.edit(command()?).await)?, answer_of(&done))?;
    let command = |ids| -> Result<_, Failure> {
        let mut command = cancel(Who::Main, batch_id(1), ids)?;
        command.claim = Some(claimed(Who::Main, "cancel", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.management.cancel(command(1)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    same("the answer", replayed(handle.management.cancel(command(50)?).await)?, answer_of(&done))?;
    before.still_holds("a repeated cancellation", &handle).await
}

/// Texts that stores may corrupt. NUL never reaches a store.
const TEXTS: [&str; 7] = [
    "",
    " ' \" \\ % _ ; -- ",
    "{\"json\": [1]}",
    "Zoë Ünïcødé",
    "e\u{301} \u{1F469}\u{200D}\u{1F4BB}",
    "\u{1}\t\r\n\u{7f}",
    "\\u0000 \u{feff}\u{202e}",
];

fn every_member(text: &str) -> PaymentInput {
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

async fn payments_round_trip(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let long = TEXTS.concat().repeat(500);
    let texts: Vec<_> = TEXTS.into_iter().chain([long.as_str()]).collect();
    let recipient = RecipientInput { address: Some(PostalAddressInput::default()), ..RecipientInput::default() };
    let mut inputs = vec![PaymentInput::default(), PaymentInput { recipient, ..PaymentInput::default() }];
    inputs.extend(texts.iter().map(|text| every_member(text)));
    let alerts: Vec<_> = texts.iter().map(|text| alert(AlertCode::TextInvalid, Some(0), noon(), text)).collect();
    let new_payments =
        NewPayments { inputs: inputs.clone(), alerts: alerts.clone(), faulty: vec![0], ..NewPayments::of(1, 0) };
    let mut batch = empty(Who::Main, 1, noon())?;
    batch.name = TEXTS.concat();
    expect_new(handle.management.create(create(Who::Main, batch, Some(new_payments))?).await)?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("the name", found.batch.name, TEXTS.concat())?;
    same("the inputs", found.payments.into_iter().map(|payment| payment.input).collect::<Vec<_>>(), inputs)?;
    same("the alerts", found.alerts, alerts)?;
    let payer = Who::Main.account()?;
    for (number, text) in (1..).zip(texts).filter(|_| handle.serves_sandbox) {
        let (id, amount) = (payment_id(number), Minor(1).of(gbp()?));
        let payment = AcceptedPayment { id, amount, reference: Some(text.into()), accepted_at: noon() };
        handle.bank.accept(&payer, payment.clone()).await?;
        same("an accepted payment", handle.bank.find(&payer, id).await?, Some(payment))?;
    }
    Ok(())
}

async fn ten_thousand_round_trip(handle: Handle) -> CheckResult {
    const COUNT: u32 = 10_000;
    handle.seeding.seed(seed_data(10_000_000)?).await?;
    let mut new_payments = NewPayments::of(1, COUNT).with_faults(&(0..COUNT).collect::<Vec<_>>());
    expect_new(
        handle.management.create(create(Who::Main, empty(Who::Main, 1, noon())?, Some(new_payments.clone()))?).await,
    )?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("payments", statuses(&found.payments), vec![(PaymentStatus::Created, 10_000)])?;
    expect_true("the alerts are not those that were stored", found.alerts == new_payments.alerts)?;
    (new_payments.faulty, new_payments.alerts, new_payments.first) = (vec![], vec![], 50_000);
    expect_new(handle.management.upload(upload(Who::Main, batch_id(1), new_payments.clone())?).await)?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("payments", statuses(&found.payments), vec![(PaymentStatus::Validated, 10_000)])?;
    same("alerts", found.alerts.len(), 0)?;
    expect_true("inputs differ", found.payments.iter().map(|payment| &payment.input).eq(&new_payments.inputs))?;
    expect_true("indexes differ", found.payments.iter().map(|payment| payment.index).eq(0..COUNT))?;
    let page = PageRequest { limit: 2, offset: 9_999 };
    let last = handle.reading.payments(&Who::Main.account()?, batch_id(1), PaymentFilter::default(), page).await?;
    let last = expect_some("the batch", last)?;
    same("the last page", (last.count, last.rows.iter().map(|row| row.index).collect::<Vec<_>>()), (10_000, vec![0]))?;
    books_are_right(&handle).await
}
