//! Whether the clients of a cell are those that the directory places there. They differ if a database was restored
//! from a backup from before a move.

use super::HOME;
use florin_domain::ids::ClientId;
use florin_ports::{CellDirectory, CellKey, CellName, Registry, StoreError};
use florin_store_contract::AnyStore;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of clients whose cells are read at once.
const CLIENTS_PER_READ: usize = 1000;

/// The differences between the clients of a cell and the directory.
#[derive(Default)]
struct Placement {
    /// The clients of the cell that the directory places in another one.
    elsewhere: Vec<ClientId>,
    /// Number of clients that the directory places in the cell, but that are not in the cell.
    missing: u64,
}

/// Returns how the clients of a cell differ from the directory, as a message. `None`: they do not differ. Clients that
/// are being moved are left out.
pub(crate) async fn difference(
    name: &CellName,
    store: &dyn AnyStore,
    directory: &dyn CellDirectory,
) -> Result<Option<String>, StoreError> {
    let moves = directory.moves().await?;
    // A new client has its entry before its row, so entries are read before rows: no new client counts as missing.
    let placed = directory.clients().await?.get(name).copied().unwrap_or_default();
    let clients: BTreeSet<ClientId> = Registry::clients(store).await?.into_iter().map(|client| client.id).collect();
    let is_moving = |client: &ClientId| moves.iter().any(|begun| begun.client == *client);
    let departed = moves.iter().filter(|begun| begun.from == *name && !clients.contains(&begun.client)).count();
    let (mut elsewhere, mut found) = (Vec::new(), u64::try_from(departed).unwrap_or(u64::MAX));
    let clients: Vec<_> = clients.into_iter().collect();
    let cells = cells_by_client(directory, &clients).await?;
    for client in clients {
        match cells.get(&client) {
            Some(cell) if cell == name => found = found.saturating_add(1),
            // Clients from before the first cell have no entry.
            None if *name == *HOME => {}
            _ if is_moving(&client) => {}
            _ => elsewhere.push(client),
        }
    }
    Ok(Placement { elsewhere, missing: placed.saturating_sub(found) }.message())
}

/// The cells of the clients that have an entry in the directory.
pub(super) async fn cells_by_client(
    directory: &dyn CellDirectory,
    clients: &[ClientId],
) -> Result<HashMap<ClientId, CellName>, StoreError> {
    let mut cells = HashMap::with_capacity(clients.len());
    for page in clients.chunks(CLIENTS_PER_READ) {
        for entry in directory.find_all(page.iter().copied().map(CellKey::Client).collect()).await? {
            if let CellKey::Client(client) = entry.key {
                cells.insert(client, entry.cell);
            }
        }
    }
    Ok(cells)
}

impl Placement {
    fn message(&self) -> Option<String> {
        let count = self.elsewhere.len();
        let elsewhere = self.elsewhere.first();
        let elsewhere =
            elsewhere.map(|first| format!("clients that the directory places elsewhere: {count}, for example {first}"));
        let missing = (self.missing > 0).then(|| format!("missing clients of the directory: {}", self.missing));
        let parts: Vec<_> = elsewhere.into_iter().chain(missing).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_message_names_each_difference() {
        assert_eq!(Placement::default().message(), None);
        let elsewhere = vec![ClientId(Uuid::nil())];
        let message = Placement { elsewhere, missing: 2 }.message();
        let expected = format!(
            "clients that the directory places elsewhere: 1, for example {}; missing clients of the directory: 2",
            Uuid::nil()
        );
        assert_eq!(message, Some(expected));
    }
}
