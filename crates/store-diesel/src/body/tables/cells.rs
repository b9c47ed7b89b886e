//! The directory of cells.

use super::body::types::{Account, Id};
use super::declare::tables;

tables! {
    /// An entry of the directory: the cell of a client, an account or an API key.
    struct CellEntryRow in cell_entries(entry) of nobody {
        /// The key, as [`florin_ports::CellKey::stored`] returns it.
        entry: String,
        cell: String,
        /// The world that the entry belongs to.
        world: Option<Account>,
        /// A number that is different each time the entry is added or moved.
        revision: i64,
        /// The cell that its client is being moved to.
        moving_to: Option<String>,
        /// The client, while it is being moved.
        moving_client: Option<Id>,
        /// The last move of the client, in progress or ended.
        move_id: Option<Id>,
    }

    /// A cell that the directory lists.
    struct CellRow in cells(name) of nobody {
        name: String,
        /// Whether it accepts new clients.
        accepts_clients: bool,
    }
}

diesel::numeric_expr!(cell_entries::revision);
