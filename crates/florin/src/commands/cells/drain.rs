//! `florin cells drain CELL`

use super::moves::{Moved, Mover};
use crate::commands::{Context, wait_for_cache_expiry};
use crate::output;
use crate::usage::UsageError;
use anyhow::anyhow;
use florin_ports::{CellName, Registry, clients_of_cells, emptiest};
use serde::Serialize;

/// JSON result of a drain.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Drained {
    name: String,
    moved: Vec<Moved>,
}

pub(super) async fn run(context: &Context, mover: &Mover<'_>, name: &str, to: Option<&str>) -> anyhow::Result<()> {
    let name = mover.cell(name)?;
    let to = to.map(|to| mover.cell(to)).transpose()?;
    if to.as_ref() == Some(&name) {
        return Err(UsageError::new(format!("--to: cell {name} is the one to drain")).into());
    }
    mover.directory.list(name.clone(), false).await?;
    context.record_result(format!("cell {name} accepts no new clients"));
    // Afterwards, no other command places a client in the cell.
    wait_for_cache_expiry().await;
    mover.forget_departures().await?;
    let mut done = Vec::new();
    // A client whose move into the cell was interrupted arrives first, and then leaves like the others.
    for begun in mover.directory.moves().await?.into_iter().filter(|begun| [&begun.from, &begun.to].contains(&&name)) {
        done.push(mover.move_client(begun.client, &begun.to).await?);
    }
    let clients = Registry::clients(&**mover.stores.named(name.as_str())?).await?;
    for client in clients.into_iter().map(|client| client.id) {
        let placed = mover.cell_of(client).await?;
        if placed != name {
            tracing::warn!(%client, %placed, "a client stays, because the directory does not place it in this cell");
            continue;
        }
        let target = match &to {
            Some(to) => to.clone(),
            None => emptiest_other(mover, &name).await?,
        };
        done.push(mover.move_client(client, &target).await?);
        context.record_result(format!("client {client} is in cell {target}"));
    }
    let drained = Drained { name: name.to_string(), moved: done };
    output::print_json_or_text(context.json, &drained, || as_text(&drained))
}

/// The cell with the fewest clients among the others that accept clients.
async fn emptiest_other(mover: &Mover<'_>, drained: &CellName) -> anyhow::Result<CellName> {
    let listed = mover.directory.listed().await?;
    let clients = clients_of_cells(mover.directory.as_ref(), &*mover.stores.home).await?;
    let others = mover.stores.each().filter_map(|(cell, _)| cell).filter(|cell| *cell != drained);
    let none = || anyhow!("no other cell accepts clients; `florin cells add NAME` changes that");
    emptiest(others, &listed, &clients).cloned().ok_or_else(none)
}

fn as_text(drained: &Drained) -> String {
    match drained.moved.len() {
        0 => format!("Cell {} has no clients, and accepts no new ones.", drained.name),
        1 => format!("Moved 1 client out of cell {}, which accepts no new ones.", drained.name),
        count => format!("Moved {count} clients out of cell {}, which accepts no new ones.", drained.name),
    }
}
