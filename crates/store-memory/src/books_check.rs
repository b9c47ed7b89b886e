//! Checks balances against the journal.

use crate::MemoryStore;
use crate::books::gather;
use crate::data::Data;
use async_trait::async_trait;
use florin_domain::books::Disagreement;
use florin_ports::{BooksCheck, BooksReport, Discrepancy, StoreError};

#[async_trait]
impl BooksCheck for MemoryStore {
    async fn check_all(&self) -> Result<BooksReport, StoreError> {
        Ok(self.read(check_all))
    }
}

fn check_all(data: &Data) -> BooksReport {
    let books = gather(data, None);
    let balances = books.budgets.values().filter(|entry| entry.has_balances).count();
    let of_disputes: Vec<_> = Discrepancy::of_disputes(&books.disputes).collect();
    let of_merchant: Vec<_> = Discrepancy::of_merchant(&books.merchant).collect();
    let of_chains: Vec<_> = Discrepancy::of_chains(&books).collect();
    let broken = books.broken.into_iter().map(|(journal, _)| Discrepancy::Legs(journal));
    let disagreeing = books.budgets.into_iter().flat_map(|((_, budget, currency), entry)| {
        let discrepancy = |found| match found {
            Disagreement::Balance(_) => Discrepancy::Balance { budget, currency },
            Disagreement::Holds => Discrepancy::Holds { budget, currency },
            Disagreement::Reservations => Discrepancy::Reservations { budget, currency },
        };
        let mut found: Vec<_> = entry.disagreements().into_iter().map(discrepancy).collect();
        // A balance with several wrong pools is reported once.
        found.dedup();
        found
    });
    BooksReport {
        journal_transactions: books.transactions,
        balances: i64::try_from(balances).unwrap_or(i64::MAX),
        discrepancies: broken.chain(disagreeing).chain(of_disputes).chain(of_merchant).chain(of_chains).collect(),
    }
}
