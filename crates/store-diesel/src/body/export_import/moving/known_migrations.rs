//! The migrations of the store, compared with those of the program.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::Stop;
use super::schema;
use florin_store_contract::MoveError;

/// Refuses a store with migrations that this program does not know. A newer program has applied them since this one
/// started, and a move would lose what they added to the rows.
pub(super) fn require_known_migrations(conn: &mut Conn) -> Result<(), Stop<MoveError>> {
    let known = driver::known_migrations()?;
    let applied = driver::applied_migrations(conn)?;
    match applied.into_iter().find(|version| !known.iter().any(|(known, _)| known == version)) {
        Some(store) => Err(MoveError::Schema { rows: schema()?, store }.into()),
        None => Ok(()),
    }
}
