//! Checks of the directory of cells.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_some, expect_true, same};
use crate::factory::Handle;
use crate::world::{Who, uuid};
use florin_domain::access::KeyHash;
use florin_domain::ids::{AccountId, ClientId};
use florin_ports::{CellDirectory, CellEntry, CellKey, CellName};
use std::collections::HashMap;
use std::sync::Arc;

checks! {
    "cell_directory.add.the_first_cell_counts" (Directory) => first_counts,
    "cell_directory.add.of_concurrent_calls_the_first_counts" (Directory) => one_winner,
    "cell_directory.add.without_a_world_makes_an_entry_permanent" (Directory) => permanent,
    "cell_directory.find_all.only_keys_with_an_entry" (Directory) => found_together,
    "cell_directory.remove.only_what_was_not_added_again" (Directory) => removed,
    "cell_directory.of_world.entries_of_one_world" (Directory) => of_world,
    "cell_directory.clients.are_counted_by_cell" (Directory) => counted,
    "cell_directory.list.the_last_call_counts" (Directory) => listed,
    "cell_directory.bind_cell.the_first_counts" (Directory) => bound_once,
}

fn directory(handle: &Handle) -> Result<Arc<dyn CellDirectory>, Failure> {
    expect_some("the directory", handle.directory.clone())
}

fn cell(name: &str) -> Result<CellName, Failure> {
    Ok(CellName::parse(name)?)
}

/// Returns a key of each kind.
fn keys() -> Result<[CellKey; 3], Failure> {
    Ok([
        CellKey::Client(Who::Mine.client()),
        CellKey::Account(AccountId::parse("Éa'1 \u{1f600}")?),
        CellKey::ApiKey(KeyHash([255; 32])),
    ])
}

async fn first_counts(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let world = Who::Other.account()?;
    for key in keys()? {
        same("an unknown key", directory.find(&key).await?, None)?;
        let first = directory.add(key.clone(), cell("a-1")?, Some(world.clone())).await?;
        same("the entry", (&first.key, &first.cell, &first.world), (&key, &cell("a-1")?, &Some(world.clone())))?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?, first.clone())?;
        let again = directory.add(key.clone(), cell("a-1")?, Some(Who::Mine.account()?)).await?;
        same("the same cell", (again.cell, again.world), (first.cell, first.world))?;
        expect_true("the revision differs", again.revision != first.revision)?;
        same("the cell", directory.find(&key).await?, Some(cell("a-1")?))?;
    }
    let folded = CellKey::Account(AccountId::parse("éa'1 \u{1f600}")?);
    same("a key that differs in case", directory.find(&folded).await?, None)
}

async fn one_winner(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let key = CellKey::Account(Who::Mine.account()?);
    let mut tasks = Vec::new();
    for number in 0..16 {
        let (directory, key, cell) = (Arc::clone(&directory), key.clone(), cell(&format!("cell-{number}"))?);
        tasks.push(tokio::spawn(async move { directory.add(key, cell, None).await }));
    }
    let mut cells = Vec::new();
    for task in tasks {
        cells.push(task.await.map_err(|error| Failure::new(error.to_string()))??.cell);
    }
    let winner = expect_some("the winner", directory.find(&key).await?)?;
    same("what all were told", cells, vec![winner; 16])
}

async fn found_together(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let mut expected = HashMap::new();
    for (key, name) in keys()?.into_iter().zip(["a", "b", "a"]) {
        directory.add(key.clone(), cell(name)?, None).await?;
        expected.insert(key, cell(name)?);
    }
    let [absent, unasked] = [1, 2].map(|number| CellKey::Client(ClientId(uuid(7, number))));
    directory.add(unasked, cell("a")?, None).await?;
    let asked: Vec<_> = expected.keys().cloned().chain([absent]).collect();
    same("the cells of several keys", directory.find_all(asked).await?, expected)?;
    expect_true("cells were found without keys", directory.find_all(Vec::new()).await?.is_empty())
}

async fn permanent(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let world = Who::Mine.account()?;
    for key in keys()? {
        let of_world = directory.add(key.clone(), cell("a")?, Some(world.clone())).await?;
        same("the world", of_world.world.as_ref(), Some(&world))?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?, of_world.clone())?;
        same("the world of a reserved key", directory.add(key.clone(), cell("a")?, None).await?.world, None)?;
        same("the entries of the world", directory.of_world(&world).await?, Vec::new())?;
        same("whether the entry of the world was removed", directory.remove(&of_world).await?, false)?;
        let again = directory.add(key.clone(), cell("a")?, Some(world.clone())).await?;
        same("the world of a permanent entry", again.world, None)?;
        same("the cell", directory.find(&key).await?, Some(cell("a")?))?;
    }
    Ok(())
}

async fn removed(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    for key in keys()? {
        let first = directory.add(key.clone(), cell("a")?, None).await?;
        let again = directory.add(key.clone(), cell("a")?, None).await?;
        same("whether an old revision was removed", directory.remove(&first).await?, false)?;
        same("the cell", directory.find(&key).await?, Some(cell("a")?))?;
        same("whether the last revision was removed", directory.remove(&again).await?, true)?;
        same("the cell of a removed key", directory.find(&key).await?, None)?;
        same("whether a removed one was removed", directory.remove(&again).await?, false)?;
        // An entry that is added again never has a revision that it had before it was removed.
        let mut last = again.clone();
        for _ in 0..2 {
            last = directory.add(key.clone(), cell("a")?, None).await?;
            for old in [&first, &again] {
                same("whether a new entry was removed", directory.remove(old).await?, false)?;
            }
            same("the cell of the new entry", directory.find(&key).await?, Some(cell("a")?))?;
        }
        same("whether the new entry was removed", directory.remove(&last).await?, true)?;
        same("another cell", directory.add(key.clone(), cell("b")?, None).await?.cell, cell("b")?)?;
    }
    Ok(())
}

async fn of_world(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    let (mine, other) = (Who::Mine.account()?, Who::Other.account()?);
    let mut expected: Vec<CellEntry> = Vec::new();
    for (place, key) in keys()?.into_iter().enumerate() {
        let world = [Some(&mine), None, Some(&mine)][place].cloned();
        let entry = directory.add(key, cell("a")?, world.clone()).await?;
        if world.is_some() {
            expected.push(entry);
        }
    }
    directory.add(CellKey::Account(other.clone()), cell("a")?, Some(other)).await?;
    let mut found = directory.of_world(&mine).await?;
    found.sort_by_key(|entry| entry.key.stored());
    expected.sort_by_key(|entry| entry.key.stored());
    same("the entries of the world", found, expected)
}

async fn counted(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    same("the clients of no cell", directory.clients().await?.is_empty(), true)?;
    for (number, name) in [(1, "b"), (2, "a"), (3, "b"), (3, "a")] {
        directory.add(CellKey::Client(ClientId(uuid(1, number))), cell(name)?, None).await?;
    }
    directory.add(CellKey::Account(Who::Mine.account()?), cell("c")?, None).await?;
    same("the clients of each cell", directory.clients().await?, [(cell("a")?, 1), (cell("b")?, 2)].into())
}

async fn listed(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    directory.add(CellKey::Client(Who::Mine.client()), cell("a")?, None).await?;
    same("the cells of a new directory", directory.listed().await?.is_empty(), true)?;
    for (name, accepts_clients) in [("b", true), ("a", false), ("home", true), ("b", false), ("a", true)] {
        directory.list(cell(name)?, accepts_clients).await?;
    }
    let expected = [(cell("a")?, true), (cell("b")?, false), (cell("home")?, true)];
    same("the listed cells", directory.listed().await?, expected.into())?;
    same("the cell of an entry", directory.find(&CellKey::Client(Who::Mine.client())).await?, Some(cell("a")?))
}

async fn bound_once(handle: Handle) -> CheckResult {
    let directory = directory(&handle)?;
    directory.list(cell("a")?, true).await?;
    same("the cell of a new store", directory.bound_cell().await?, None)?;
    same("the first binding", directory.bind_cell(cell("a")?).await?, cell("a")?)?;
    same("a second binding", directory.bind_cell(cell("b")?).await?, cell("a")?)?;
    same("the cell", directory.bound_cell().await?, Some(cell("a")?))
}
