//! The books of a client.

use super::body::backend::Conn;
use super::body::books::gather;
use super::body::books_check::of_books;
use super::body::driver;
use super::body::errors::Outcome;
use super::owner::Owner;
use florin_ports::Discrepancy;

/// Returns the discrepancies in the books and in the rows of a client's accounts.
pub(super) fn discrepancies(conn: &mut Conn, owner: &Owner) -> Outcome<Vec<Discrepancy>> {
    let mut discrepancies = Vec::new();
    for account in &owner.accounts {
        let violated = driver::violated_tables(conn, Some(account))?;
        if violated.is_empty() {
            discrepancies.extend(of_books(gather(conn, Some(account), &|_| {})?));
        }
        discrepancies.extend(violated.into_iter().map(Discrepancy::Constraint));
    }
    Ok(discrepancies)
}
