//! Checks of snapshots that are exported as files and imported again.

use crate::check::{CheckResult, Failure, checks};
use crate::checkout_sessions::page_token;
use crate::commands::{claim, credit, purchase};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::management::set_pin;
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, noon};
use crate::webhooks::claimed;
use crate::worlds::{command, copy, id, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::card::PinDigest;
use florin_domain::event::EventFilter;
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::PageRequest;
use florin_domain::world::{
    ClockSetting, ImportRefusal, ImportedSnapshot, SnapshotFile, SnapshotImport, WorldSeed, decide_import,
};
use florin_ports::{
    ClientClaim, CreateWorldCommand, EventReach, FirstMessageCommand, ImportSnapshotCommand, StoredResponse,
    WorldContents,
};
use std::sync::Arc;

checks! {
    "snapshot_files.import.a_world_of_the_file_is_like_the_original" (Sandbox) => round_trip,
    "snapshot_files.file.is_without_data_of_its_store" (Sandbox) => file_is_without_data_of_its_store,
    "snapshot_files.file.is_of_the_world_of_the_snapshot" (Sandbox) => own_files,
    "snapshot_files.import.same_file_is_kept_longer" (Sandbox) => same_file_is_kept_longer,
    "snapshot_files.import.refusal_keeps_nothing" (Sandbox) => refusal_keeps_nothing,
    "snapshot_files.import.replay_gives_the_stored_answer" (Sandbox) => replay_gives_the_stored_answer,
    "snapshot_files.imports.by_id_until_they_expire" (Sandbox) => imports_by_id_until_they_expire,
    "tenancy.snapshot_files.imports_are_of_their_client" (Sandbox) => snapshot_files_imports_are_of_their_client,
    "tenancy.snapshot_files.a_world_names_only_its_own_client" (Sandbox) => own_client,
}

/// Returns the id of imported snapshot `number`. Ids of other snapshots are smaller.
fn imported_id(number: u128) -> SnapshotId {
    id(1000 + number)
}

fn import_of(file: &SnapshotFile, number: u128) -> Result<ImportSnapshotCommand, Failure> {
    Ok(ImportSnapshotCommand {
        client: Who::Main.client(),
        id: imported_id(number),
        file: file.clone(),
        trial_account: AccountId::parse("W0")?,
        page_tokens: Arc::new(page_token),
        real: noon(),
        expires_at: noon() + TimeDelta::hours(24),
        decide: Arc::new(|situation| decide_import(*situation)),
        claim: None,
    })
}

/// Builds a command that creates a world from an imported snapshot.
fn world_of(number: u128, name: &str, key_number: u8) -> Result<CreateWorldCommand, Failure> {
    let mut command = copy(name, key_number, Some(WorldSeed([9; 32])))?;
    if let WorldContents::Snapshot { id, .. } = &mut command.contents {
        *id = imported_id(number);
    }
    Ok(command)
}

/// Creates my world with messages, a PIN and a snapshot, and returns the file of the snapshot.
async fn export_my_world(handle: &Handle) -> Result<SnapshotFile, Failure> {
    seed_all_but_my_account(handle).await?;
    handle.worlds.create(command()?).await?;
    let changed = set_pin(Who::Main, Who::Main.card(), [7; 32])?;
    expect_new(handle.card_management.change(changed).await)?;
    expect_new(handle.cards.first_message(authorization_under_key(1)?).await)?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 2, "3")?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 3, "7", gbp()?)?).await)?;
    same("the next identifier number", handle.timelines.next_number(&Who::Main.account()?).await?, 1)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_some("the file", handle.snapshot_files.snapshot_file(&Who::Main.account()?, id(1)).await?)
}

/// Builds an authorization with an idempotency key.
fn authorization_under_key(number: u128) -> Result<FirstMessageCommand, Failure> {
    Ok(FirstMessageCommand { claim: Some(claim(Who::Main, "k", "{}")?), ..purchase(Who::Main, number, "10")? })
}

async fn round_trip(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    let mine = Who::Main.account()?;
    let of = |file: &SnapshotFile| (file.account.clone(), file.name.clone(), file.created_at);
    same("the file", of(&file), (mine.clone(), snapshot(1)?.name, noon()))?;
    let before = Observation::take(&handle, 8).await?;
    let import = expect_new(handle.snapshot_files.import_snapshot(import_of(&file, 1)?).await)?;
    let expected = ImportedSnapshot {
        id: imported_id(1),
        client: Who::Main.client(),
        name: file.name.clone(),
        created_at: noon(),
        imported_at: noon(),
        expires_at: noon() + TimeDelta::hours(24),
    };
    same("the import", import, SnapshotImport { snapshot: expected, is_repeated: false })?;
    before.still_holds("an import", &handle).await?;
    same("the trial account", handle.accounts.find(&AccountId::parse("W0")?).await?, None)?;
    let made = handle.worlds.create(world_of(1, "W1", 102)?).await?;
    same("its clock", made.clock, ClockSetting::Frozen { at: noon() })?;
    let world = AccountId::parse("W1")?;
    same("the next identifier number of the world", handle.timelines.next_number(&world).await?, 2)?;
    let budgets = |found: Vec<florin_domain::budget::Budget>| {
        found.into_iter().map(|budget| (budget.id, budget.balances)).collect::<Vec<_>>()
    };
    let (copied, original) = (handle.seeding.budgets(&world).await?, handle.seeding.budgets(&mine).await?);
    same("the budgets", budgets(copied), budgets(original))?;
    let mut holds = Vec::new();
    for account in [&world, &mine] {
        let due = handle.timelines.due_holds(account, noon() + TimeDelta::days(30), 10).await?;
        holds.push(due.into_iter().map(|hold| hold.chain).collect::<Vec<_>>());
    }
    same("the holds", &holds[0], &holds[1])?;
    books_are_right(&handle).await?;
    handle.worlds.delete(&world).await?;
    before.still_holds("a world of the file that was created and deleted", &handle).await
}

async fn file_is_without_data_of_its_store(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    expect_new(handle.snapshot_files.import_snapshot(import_of(&file, 1)?).await)?;
    handle.worlds.create(world_of(1, "W1", 102)?).await?;
    let world = AccountId::parse("W1")?;
    let (mine, card) = (Who::Main.account()?, Who::Main.card());
    let original = expect_some("my card", handle.card_management.find(&mine, card).await?)?;
    same("my PIN", original.record.pin, Some(PinDigest::new([7; 32])))?;
    let copied = expect_some("the card", handle.card_management.find(&world, card).await?)?;
    same("the PIN", copied.record.pin, None)?;
    expect_true("my enrolment is missing", handle.mfa.enrolment(&mine).await?.is_some())?;
    same("the enrolment", handle.mfa.enrolment(&world).await?, None)?;
    let reach = EventReach { client: Who::Main.client(), accounts: Some([world.clone()].into()) };
    let events = handle.events.list(reach, EventFilter::default(), PageRequest::default()).await?;
    same("the events", events.count, 0)?;
    // The key was used on my account only.
    let mut again = authorization_under_key(11)?;
    again.account.clone_from(&world);
    again.claim.iter_mut().for_each(|claim| claim.account.clone_from(&world));
    expect_new(handle.cards.first_message(again).await)?;
    Ok(())
}

async fn own_files(handle: Handle) -> CheckResult {
    export_my_world(&handle).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    same("the snapshot file for another account", handle.snapshot_files.snapshot_file(&other, id(1)).await?, None)?;
    same("the file of an unknown snapshot", handle.snapshot_files.snapshot_file(&mine, id(2)).await?, None)
}

async fn same_file_is_kept_longer(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    expect_new(handle.snapshot_files.import_snapshot(import_of(&file, 1)?).await)?;
    let later = noon() + TimeDelta::hours(2);
    let again = ImportSnapshotCommand { real: later, expires_at: later + TimeDelta::hours(24), ..import_of(&file, 1)? };
    let import = expect_new(handle.snapshot_files.import_snapshot(again).await)?;
    expect_true("the file is not known", import.is_repeated)?;
    let list = handle.snapshot_files.imported_snapshots(Who::Main.client(), PageRequest::default()).await?;
    same("the list", (list.count, &list.rows), (1, &vec![import.snapshot.clone()]))?;
    same("the new time of expiry", import.snapshot.expires_at, later + TimeDelta::hours(24))
}

async fn refusal_keeps_nothing(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    let before = Observation::take(&handle, 8).await?;
    let import = async |file: SnapshotFile| -> Result<ImportRefusal, Failure> {
        refused(handle.snapshot_files.import_snapshot(import_of(&file, 1)?).await)
    };
    let other = SnapshotFile { schema: "another".into(), ..file.clone() };
    same("another schema", import(other).await?, ImportRefusal::Outdated)?;
    for contents in ["no row\n", "{\"table\":\"accounts\",\"row\":{}}\n", "{\"table\":\"budgets\",\"row\":{}}\n"] {
        let broken = import(SnapshotFile { contents: contents.into(), ..file.clone() }).await?;
        expect_true(&format!("{contents:?} is invalid: {broken:?}"), matches!(broken, ImportRefusal::Invalid(_)))?;
    }
    let mut full = import_of(&file, 1)?;
    full.decide = Arc::new(|situation| if situation.imported == 0 { Err(ImportRefusal::TooMany) } else { Ok(()) });
    same("the rule", refused(handle.snapshot_files.import_snapshot(full).await)?, ImportRefusal::TooMany)?;
    let list = handle.snapshot_files.imported_snapshots(Who::Main.client(), PageRequest::default()).await?;
    same("the list", list.count, 0)?;
    same("the trial account", handle.accounts.find(&AccountId::parse("W0")?).await?, None)?;
    before.still_holds("refused imports", &handle).await
}

fn claim_for<T>(body: &str) -> Result<Option<ClientClaim<T>>, Failure> {
    let answer = StoredResponse { status: 201, body: "{}".into() };
    claimed(Who::Main, "c", body, Some(answer)).map(Some)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    let keyed = |number, body| -> Result<ImportSnapshotCommand, Failure> {
        Ok(ImportSnapshotCommand { claim: claim_for(body)?, ..import_of(&file, number)? })
    };
    expect_new(handle.snapshot_files.import_snapshot(keyed(1, "one")?).await)?;
    same("the answer", replayed(handle.snapshot_files.import_snapshot(keyed(2, "one")?).await)?.status, 201)?;
    mismatch(handle.snapshot_files.import_snapshot(keyed(2, "two")?).await)?;
    let list = handle.snapshot_files.imported_snapshots(Who::Main.client(), PageRequest::default()).await?;
    same("the list", list.count, 1)?;
    let delete = async |body: &str| {
        let claim = claimed(Who::Main, "d", body, Some(StoredResponse { status: 204, body: String::new() }))?;
        Ok::<_, Failure>(
            handle.snapshot_files.delete_imported_snapshot(Who::Main.client(), imported_id(1), Some(claim)).await,
        )
    };
    expect_new(delete("one").await?)?;
    replayed(delete("one").await?)?;
    mismatch(delete("two").await?)?;
    Ok(())
}

async fn imports_by_id_until_they_expire(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    for (number, hours) in [(3, 3), (1, 1), (2, 2)] {
        let expires_at = noon() + TimeDelta::hours(hours);
        let import = ImportSnapshotCommand { expires_at, ..import_of(&file, number)? };
        expect_new(handle.snapshot_files.import_snapshot(import).await)?;
    }
    let client = Who::Main.client();
    let ids = async |limit, offset| -> Result<(i64, Vec<SnapshotId>), Failure> {
        let page = handle.snapshot_files.imported_snapshots(client, PageRequest { limit, offset }).await?;
        Ok((page.count, page.rows.into_iter().map(|snapshot| snapshot.id).collect()))
    };
    same("a page", ids(1, 1).await?, (3, vec![imported_id(2)]))?;
    let expire =
        async |hours, max| handle.snapshot_files.delete_expired_imports(noon() + TimeDelta::hours(hours), max).await;
    same("deleted imports before any has expired", expire(0, 10).await?, 0)?;
    same("deleted imports when at most one is to be deleted", expire(2, 1).await?, 1)?;
    same("the longest expired is deleted first", ids(10, 0).await?, (2, vec![imported_id(2), imported_id(3)]))?;
    same("the other expired import", expire(2, 10).await?, 1)?;
    same("what is left", ids(10, 0).await?, (1, vec![imported_id(3)]))
}

async fn snapshot_files_imports_are_of_their_client(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    expect_new(handle.snapshot_files.import_snapshot(import_of(&file, 1)?).await)?;
    let other: ClientId = Who::Other.client();
    let list = handle.snapshot_files.imported_snapshots(other, PageRequest::default()).await?;
    same("the list of the other client", list.count, 0)?;
    let deleted = handle.snapshot_files.delete_imported_snapshot(other, imported_id(1), None).await;
    absent("deleting it", &deleted)?;
    let mut theirs = world_of(1, "W1", 102)?;
    (theirs.world.client, theirs.key.client) = (other, other);
    absent("a world of it", &handle.worlds.create(theirs).await)?;
    let mut limited = world_of(1, "W1", 102)?;
    if let WorldContents::Snapshot { reach, .. } = &mut limited.contents {
        *reach = Some([Who::Main.account()?].into());
    }
    absent("a world of it by a key for some accounts", &handle.worlds.create(limited).await)?;
    let theirs = ImportSnapshotCommand { client: other, ..import_of(&file, 1)? };
    let import = expect_new(handle.snapshot_files.import_snapshot(theirs).await)?;
    expect_true("it is known to the other client", !import.is_repeated)
}

/// A world that named another client could not move to another cell, because only its own client moves with it.
async fn own_client(handle: Handle) -> CheckResult {
    let file = export_my_world(&handle).await?;
    let other: ClientId = Who::Other.client();
    let theirs = ImportSnapshotCommand { client: other, ..import_of(&file, 1)? };
    expect_new(handle.snapshot_files.import_snapshot(theirs).await)?;
    let mut theirs = world_of(1, "W1", 102)?;
    (theirs.world.client, theirs.key.client) = (other, other);
    handle.worlds.create(theirs).await?;
    let batches = handle.seeding.batches(&AccountId::parse("W1")?).await?;
    expect_true("the world has no batches", !batches.is_empty())?;
    for batch in batches {
        same("who created the batch", batch.created_by, other)?;
        let by = batch.state.confirmation().and_then(|confirmation| confirmation.by);
        expect_true("a batch was confirmed by a client other than that of the world", by.is_none_or(|by| by == other))?;
    }
    Ok(())
}
