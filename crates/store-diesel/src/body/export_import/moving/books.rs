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
        discrepancies.extend(of_books(gather(conn, Some(account), &|_| {})?));
        discrepancies.extend(driver::violated_tables(conn, Some(account))?.into_iter().map(Discrepancy::Constraint));
    }
    Ok(discrepancies)
}
