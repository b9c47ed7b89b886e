//! Checks of the directory of cells.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_some, expect_true, same};
use crate::factory::Handle;
use crate::seed_data::{Who, uuid};
use florin_domain::access::KeyHash;
use florin_domain::ids::{AccountId, ClientId, MoveId};
use florin_ports::{CellDirectory, CellEntry, CellKey, CellMove, CellName, KeyOfWorld};
use std::sync::Arc;

checks! {
    "cell_directory.add.the_first_cell_counts" (Directory) => first_counts,
    "cell_directory.add.of_concurrent_calls_the_first_counts" (Directory) => one_winner,
    "cell_directory.add.without_a_world_makes_an_entry_permanent" (Directory) =>
        add_without_a_world_makes_an_entry_permanent,
    "cell_directory.find_all.only_keys_with_an_entry" (Directory) => found_together,
    "cell_directory.remove.only_what_was_not_added_again" (Directory) => remove_only_what_was_not_added_again,
    "cell_directory.remove.no_marked_entry" (Directory) => marked_stay,
    "cell_directory.of_world.entries_of_one_world" (Directory) => of_world,
    "cell_directory.move.entries_are_marked_until_it_ends" (Directory) => entries_are_marked_until_it_ends,
    "cell_directory.move.an_earlier_one_counts" (Directory) => first_move_counts,
    "cell_directory.move.only_its_own_end_counts" (Directory) => own_end_counts,
    "cell_directory.move.entries_in_other_cells_stay" (Directory) => others_stay,
    "cell_directory.clients.are_counted_by_cell" (Directory) => clients_are_counted_by_cell,
    "cell_directory.list.the_last_call_counts" (Directory) => the_last_call_counts,
    "cell_directory.bind_cell.the_first_counts" (Directory) => bound_once,
}

fn directory(handle: &Handle) -> Result<Arc<dyn CellDirectory>, Failure> {
    expect_some("the directory", handle.directory.clone())
}

fn cell(name: &str) -> Result<CellName, Failure> {
    Ok(CellName::parse(name)?)
}

/// Returns the cell of a key that is not marked with a move.
async fn cell_of(directory: &dyn CellDirectory, key: &CellKey) -> Result<Option<CellName>, Failure> {
    let Some(entry) = directory.find(key).await? else { return Ok(None) };
    same("the key of the entry", &entry.key, key)?;
    same("the move of the entry", entry.moving, None)?;
    Ok(Some(entry.cell))
}

/// Returns entries in the order of their keys.
fn sorted(mut entries: Vec<CellEntry>) -> Vec<CellEntry> {
    entries.sort_by_key(|entry| entry.key.stored());
    entries
}

/// Returns a key of each kind.
fn keys() -> Result<[CellKey; 3], Failure> {
    Ok([
        CellKey::Client(Who::Main.client()),
        CellKey::Account(AccountId::parse("Éa'1 \u{1f600}")?),
        CellKey::ApiKey(KeyHash([255; 32])),
    ])
}

async fn first_counts(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let world = Who::Other.account()?;
    for key in keys()? {
        same("an unknown key", cell_of(&*directory, &key).await?, None)?;
        let first = directory.add(key.clone(), cell("a-1")?, Some(world.clone())).await?;
        same("the entry", (&first.key, &first.cell, &first.world), (&key, &cell("a-1")?, &Some(world.clone())))?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?, first.clone())?;
        let again = directory.add(key.clone(), cell("a-1")?, Some(Who::Main.account()?)).await?;
        same("the same cell", (again.cell, again.world), (first.cell, first.world))?;
        expect_true("the revision is the old one", again.revision != first.revision)?;
        same("the cell", cell_of(&*directory, &key).await?, Some(cell("a-1")?))?;
    }
    let folded = CellKey::Account(AccountId::parse("éa'1 \u{1f600}")?);
    same("a key that differs in case", cell_of(&*directory, &folded).await?, None)
}

async fn one_winner(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let key = CellKey::Account(Who::Main.account()?);
    let mut tasks = Vec::new();
    for number in 0..16 {
        let (directory, key, cell) = (Arc::clone(&directory), key.clone(), cell(&format!("cell-{number}"))?);
        tasks.push(tokio::spawn(async move { directory.add(key, cell, None).await }));
    }
    let mut cells = Vec::new();
    for task in tasks {
        cells.push(task.await.map_err(|error| Failure::new(error.to_string()))??.cell);
    }
    let winner = expect_some("the winner", cell_of(&*directory, &key).await?)?;
    same("the cells that the calls returned", cells, vec![winner; 16])
}

async fn found_together(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let mut expected = Vec::new();
    for (key, name) in keys()?.into_iter().zip(["a", "b", "a"]) {
        expected.push(directory.add(key, cell(name)?, None).await?);
    }
    let [absent, unasked] = [1, 2].map(|number| CellKey::Client(ClientId(uuid(7, number))));
    directory.add(unasked, cell("a")?, None).await?;
    let asked: Vec<_> = keys()?.into_iter().chain([absent]).collect();
    same("the entries of several keys", sorted(directory.find_all(asked).await?), sorted(expected))?;
    expect_true("entries were found for no keys", directory.find_all(Vec::new()).await?.is_empty())
}

async fn add_without_a_world_makes_an_entry_permanent(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let world = Who::Main.account()?;
    for key in keys()? {
        let of_world = directory.add(key.clone(), cell("a")?, Some(world.clone())).await?;
        same("the world", of_world.world.as_ref(), Some(&world))?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?, of_world.clone())?;
        same("the world of a reserved key", directory.add(key.clone(), cell("a")?, None).await?.world, None)?;
        same("the entries of the world", directory.of_world(&world).await?, Vec::new())?;
        same("whether the entry of the world was removed", directory.remove(&of_world).await?, false)?;
        let again = directory.add(key.clone(), cell("a")?, Some(world.clone())).await?;
        same("the world of a permanent entry", again.world, None)?;
        same("the cell", cell_of(&*directory, &key).await?, Some(cell("a")?))?;
    }
    Ok(())
}

async fn remove_only_what_was_not_added_again(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    for key in keys()? {
        let first = directory.add(key.clone(), cell("a")?, None).await?;
        let again = directory.add(key.clone(), cell("a")?, None).await?;
        same("whether an old revision was removed", directory.remove(&first).await?, false)?;
        same("the cell", cell_of(&*directory, &key).await?, Some(cell("a")?))?;
        same("whether the last revision was removed", directory.remove(&again).await?, true)?;
        same("the cell of a removed key", cell_of(&*directory, &key).await?, None)?;
        same("whether a removed one was removed", directory.remove(&again).await?, false)?;
        // An entry that is added again never has a revision that it had before it was removed.
        let mut last = again.clone();
        for _ in 0..2 {
            last = directory.add(key.clone(), cell("a")?, None).await?;
            for old in [&first, &again] {
                same("whether a new entry was removed", directory.remove(old).await?, false)?;
            }
            same("the cell of the new entry", cell_of(&*directory, &key).await?, Some(cell("a")?))?;
        }
        same("whether the new entry was removed", directory.remove(&last).await?, true)?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?.cell, cell("b")?)?;
    }
    Ok(())
}

async fn of_world(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    let mut expected: Vec<CellEntry> = Vec::new();
    for (place, key) in keys()?.into_iter().enumerate() {
        let world = [Some(&mine), None, Some(&mine)][place].cloned();
        let entry = directory.add(key, cell("a")?, world.clone()).await?;
        if world.is_some() {
            expected.push(entry);
        }
    }
    directory.add(CellKey::Account(other.clone()), cell("a")?, Some(other)).await?;
    same("the entries of the world", sorted(directory.of_world(&mine).await?), sorted(expected))
}

/// Returns a move of a client from one cell to another.
fn move_of(client: ClientId, from: &str, to: &str) -> Result<CellMove, Failure> {
    Ok(CellMove { id: MoveId(uuid(8, 1)), client, from: cell(from)?, to: cell(to)? })
}

fn of_no_world(key: &CellKey) -> KeyOfWorld {
    KeyOfWorld { key: key.clone(), world: None }
}

async fn entries_are_marked_until_it_ends(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let [client, account, key] = keys()?;
    let world = Who::Other.account()?;
    let wanted = move_of(Who::Main.client(), "a", "b")?;
    let before = directory.add(client.clone(), cell("a")?, None).await?;
    directory.add(account.clone(), cell("a")?, Some(world.clone())).await?;
    same("the moves of a new directory", directory.moves().await?, Vec::new())?;
    same(
        "whether a move ended that had not begun",
        directory.end_move(wanted.clone(), Vec::new(), cell("b")?).await?,
        false,
    )?;

    // The entry of the key is missing.
    let of_client = vec![of_no_world(&account), KeyOfWorld { key: key.clone(), world: Some(world.clone()) }];
    same("the move", directory.begin_move(wanted.clone(), of_client.clone()).await?, Some(wanted.clone()))?;
    same("the moves", directory.moves().await?, vec![wanted.clone()])?;
    for key in [&client, &account, &key] {
        let entry = expect_some("the entry", directory.find(key).await?)?;
        same("a marked entry", (entry.cell, entry.moving), (cell("a")?, Some(wanted.clone())))?;
    }
    same("the clients", directory.clients().await?, [(cell("a")?, 1)].into())?;

    // A key that was created meanwhile moves, too. So does the account, which the end of the move does not name.
    let late = CellKey::ApiKey(KeyHash([7; 32]));
    directory.add(late.clone(), cell("a")?, None).await?;
    let named = vec![of_no_world(&late), KeyOfWorld { key: key.clone(), world: Some(world.clone()) }];
    same("the end", directory.end_move(wanted, named, cell("b")?).await?, true)?;
    for key in [&client, &account, &key, &late] {
        same("the cell after the move", cell_of(&*directory, key).await?, Some(cell("b")?))?;
    }
    same("the moves after the end", directory.moves().await?, Vec::new())?;
    same("the clients after the end", directory.clients().await?, [(cell("b")?, 1)].into())?;
    let worlds: Vec<_> = directory.of_world(&world).await?.into_iter().map(|entry| entry.key.stored()).collect();
    expect_true("an entry has lost its world", worlds.len() == 2 && worlds.contains(&account.stored()))?;
    let after = expect_some("the entry", directory.find(&client).await?)?;
    expect_true("the revision is the old one", after.revision != before.revision)?;
    same("the last move", (before.last_move, after.last_move), (None, Some(MoveId(uuid(8, 1)))))?;
    same("whether an old revision was removed", directory.remove(&before).await?, false)
}

async fn first_move_counts(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let [client, account, _] = keys()?;
    let first = move_of(Who::Main.client(), "a", "b")?;
    let second = CellMove { id: MoveId(uuid(8, 2)), to: cell("c")?, ..first.clone() };
    // The client has no entry yet. The move adds it.
    same("the first move", directory.begin_move(first.clone(), Vec::new()).await?, Some(first.clone()))?;
    let of_client = vec![of_no_world(&account)];
    same("the second move", directory.begin_move(second, of_client.clone()).await?, Some(first.clone()))?;
    let entry = expect_some("the entry", directory.find(&account).await?)?;
    same("the mark of the second call", entry.moving, Some(first.clone()))?;
    same("the end", directory.end_move(first.clone(), of_client, cell("a")?).await?, true)?;
    for key in [&client, &account] {
        same("the cell after an undone move", cell_of(&*directory, key).await?, Some(cell("a")?))?;
    }
    same("a second end", directory.end_move(first, Vec::new(), cell("b")?).await?, false)?;
    same("the cell after a second end", cell_of(&*directory, &client).await?, Some(cell("a")?))
}

async fn own_end_counts(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let [client, account, _] = keys()?;
    let first = move_of(Who::Main.client(), "a", "b")?;
    // The same client moves between the same cells again.
    let second = CellMove { id: MoveId(uuid(8, 2)), ..first.clone() };
    let of_client = vec![of_no_world(&account)];
    directory.begin_move(first.clone(), of_client.clone()).await?;
    same("the end of a move", directory.end_move(first.clone(), Vec::new(), cell("a")?).await?, true)?;
    let begun = directory.begin_move(second.clone(), of_client.clone()).await?;
    same("the second move", begun, Some(second.clone()))?;
    same("the end of an earlier move", directory.end_move(first, of_client, cell("b")?).await?, false)?;
    for key in [&client, &account] {
        let entry = expect_some("the entry", directory.find(key).await?)?;
        same("an entry of the second move", (entry.cell, entry.moving), (cell("a")?, Some(second.clone())))?;
    }
    same("the end of the second move", directory.end_move(second, Vec::new(), cell("b")?).await?, true)?;
    same("the cell", cell_of(&*directory, &account).await?, Some(cell("b")?))
}

async fn others_stay(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let [client, account, key] = keys()?;
    directory.add(client.clone(), cell("a")?, None).await?;
    directory.add(account.clone(), cell("c")?, None).await?;
    let other = CellKey::Client(Who::Other.client());
    directory.add(other.clone(), cell("a")?, None).await?;
    let elsewhere = move_of(Who::Main.client(), "c", "b")?;
    same("a move from another cell", directory.begin_move(elsewhere, vec![of_no_world(&key)]).await?, None)?;
    same("a key of a refused move", directory.find(&key).await?, None)?;
    let wanted = move_of(Who::Main.client(), "a", "b")?;
    let of_client = vec![of_no_world(&account)];
    same("the move", directory.begin_move(wanted.clone(), of_client.clone()).await?, Some(wanted.clone()))?;
    same("a key in another cell", cell_of(&*directory, &account).await?, Some(cell("c")?))?;
    same("the end", directory.end_move(wanted, of_client, cell("b")?).await?, true)?;
    same("a key in another cell", cell_of(&*directory, &account).await?, Some(cell("c")?))?;
    same("another client", cell_of(&*directory, &other).await?, Some(cell("a")?))
}

async fn marked_stay(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let [client, account, _] = keys()?;
    let world = Some(Who::Other.account()?);
    directory.add(client, cell("a")?, None).await?;
    let before = directory.add(account.clone(), cell("a")?, world.clone()).await?;
    let wanted = move_of(Who::Main.client(), "a", "b")?;
    directory.begin_move(wanted.clone(), vec![KeyOfWorld { key: account.clone(), world }]).await?;
    same("whether an entry that was marked meanwhile was removed", directory.remove(&before).await?, false)?;
    let marked = expect_some("the marked entry", directory.find(&account).await?)?;
    same("whether a marked entry was removed", directory.remove(&marked).await?, false)?;
    let entry = expect_some("the entry", directory.find(&account).await?)?;
    same("the entry", (entry.cell, entry.moving), (cell("a")?, Some(wanted)))
}

async fn clients_are_counted_by_cell(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    same("the clients of no cell", directory.clients().await?.is_empty(), true)?;
    for (number, name) in [(1, "b"), (2, "a"), (3, "b"), (3, "a")] {
        directory.add(CellKey::Client(ClientId(uuid(1, number))), cell(name)?, None).await?;
    }
    directory.add(CellKey::Account(Who::Main.account()?), cell("c")?, None).await?;
    same("the clients of each cell", directory.clients().await?, [(cell("a")?, 1), (cell("b")?, 2)].into())
}

async fn the_last_call_counts(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    directory.add(CellKey::Client(Who::Main.client()), cell("a")?, None).await?;
    same("the cells of a new directory", directory.listed().await?.is_empty(), true)?;
    for (name, accepts_clients) in [("b", true), ("a", false), ("home", true), ("b", false), ("a", true)] {
        directory.list(cell(name)?, accepts_clients).await?;
    }
    let expected = [(cell("a")?, true), (cell("b")?, false), (cell("home")?, true)];
    same("the listed cells", directory.listed().await?, expected.into())?;
    same("the cell of an entry", cell_of(&*directory, &CellKey::Client(Who::Main.client())).await?, Some(cell("a")?))
}

async fn bound_once(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    directory.list(cell("a")?, true).await?;
    same("the cell of a new store", directory.bound_cell().await?, None)?;
    same("the first binding", directory.bind_cell(cell("a")?).await?, cell("a")?)?;
    same("a second binding", directory.bind_cell(cell("b")?).await?, cell("a")?)?;
    same("the cell", directory.bound_cell().await?, Some(cell("a")?))
}
