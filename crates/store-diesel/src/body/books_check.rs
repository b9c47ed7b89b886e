//! Checks balances against the journal.

use super::backend::Conn;
use super::books::{gather, wrong_checkpoints};
use super::checkout;
use super::driver;
use super::errors::{Failure, Outcome};
use super::events;
use super::list_counts;
use super::merchant;
use super::people;
use super::store::Store;
use async_trait::async_trait;
use diesel::Connection;
use florin_domain::books::{AccountBooks, Disagreement};
use florin_ports::{BooksCheck, BooksCheckProgress, BooksCheckStep, BooksReport, Discrepancy, StoreError};
use std::sync::Arc;

#[async_trait]
impl BooksCheck for Store {
    async fn check_structure(&self) -> Result<(), StoreError> {
        Store::check_structure(self).await
    }

    async fn check_all(&self) -> Result<BooksReport, StoreError> {
        self.watch_check_all(Arc::new(|_| {})).await
    }

    async fn watch_check_all(&self, progress: BooksCheckProgress) -> Result<BooksReport, StoreError> {
        // A damaged table may read as empty. Without this check, empty tables would match each other.
        self.read_to_the_end(move |conn| {
            progress(BooksCheckStep::Structure);
            driver::check_integrity(conn)?;
            conn.transaction(|conn| check_all(conn, &*progress))
        })
        .await
    }
}

/// Checks every balance against the journal. All statements read the same state if the caller's transaction has a
/// snapshot.
pub(super) fn check_all(conn: &mut Conn, progress: &dyn Fn(BooksCheckStep)) -> Outcome<BooksReport> {
    driver::without_time_limits(conn)?;
    let violated: Vec<_> = driver::violated_tables(conn, None)?.into_iter().map(Discrepancy::Constraint).collect();
    let books = match gather(conn, None, progress) {
        // The books can't be added up, because a row contains an unknown name.
        Err(Failure::Corrupt(_)) if !violated.is_empty() => {
            return Ok(BooksReport { discrepancies: violated, ..BooksReport::default() });
        }
        gathered => gathered?,
    };
    progress(BooksCheckStep::Counts);
    let balances = books.budgets.values().filter(|budget_books| budget_books.has_balances).count();
    let journal_transactions = books.transactions;
    let mut discrepancies = of_books(books);
    discrepancies.extend(violated);
    let checkpoint = |(budget, currency)| Discrepancy::Checkpoint { budget, currency };
    discrepancies.extend(wrong_checkpoints(conn)?.into_iter().map(checkpoint));
    discrepancies.extend(merchant::miscounted(conn, None)?.into_iter().map(Discrepancy::CheckoutCount));
    let mut miscounted = list_counts::miscounted(conn, None)?;
    miscounted.extend(people::miscounted(conn, None)?);
    miscounted.extend(checkout::miscounted(conn, None)?);
    discrepancies.extend(miscounted.into_iter().map(Discrepancy::ListCount));
    discrepancies.extend(checkout::contradicting_payments(conn, None)?.into_iter().map(Discrepancy::ListedPayments));
    discrepancies.extend(events::misnumbered(conn)?.into_iter().map(Discrepancy::Sequence));
    Ok(BooksReport { journal_transactions, balances: i64::try_from(balances).unwrap_or(i64::MAX), discrepancies })
}

/// Returns the discrepancies of books.
pub(super) fn of_books(books: AccountBooks) -> Vec<Discrepancy> {
    let of_chains: Vec<_> = Discrepancy::of_chains(&books).collect();
    let mut discrepancies: Vec<_> = books.broken.into_iter().map(|(journal, _)| Discrepancy::Legs(journal)).collect();
    for ((_, budget, currency), budget_books) in books.budgets {
        let mut found: Vec<_> = budget_books
            .disagreements()
            .into_iter()
            .map(|found| match found {
                Disagreement::Balance(_) => Discrepancy::Balance { budget, currency },
                Disagreement::Holds => Discrepancy::Holds { budget, currency },
                Disagreement::Reservations => Discrepancy::Reservations { budget, currency },
            })
            .collect();
        // A balance is reported once, however many of its pools are wrong.
        found.dedup();
        discrepancies.extend(found);
    }
    discrepancies.extend(Discrepancy::of_disputes(&books.disputes));
    discrepancies.extend(Discrepancy::of_merchant(&books.merchant));
    discrepancies.extend(of_chains);
    discrepancies
}
