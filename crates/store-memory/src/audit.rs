//! Audit of balances against the journal.

use crate::MemoryStore;
use crate::books::gather;
use crate::data::Data;
use async_trait::async_trait;
use florin_domain::books::Disagreement;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{JournalTransaction, Pool};
use florin_domain::money::Currency;
use florin_ports::{AuditReport, Discrepancy, LedgerAudit, StoreError};
use std::collections::BTreeMap;

/// A budget of an account in one currency.
type Place = (AccountId, BudgetId, Currency);

#[async_trait]
impl LedgerAudit for MemoryStore {
    async fn audit(&self) -> Result<AuditReport, StoreError> {
        Ok(self.read(audit))
    }
}

/// Sums the available, held and reserved postings of each budget, in 128 bits, so that no sum overflows.
pub(crate) fn sums_of<'a>(journal: impl Iterator<Item = &'a JournalTransaction>) -> BTreeMap<Place, [i128; 3]> {
    let mut sums: BTreeMap<_, [i128; 3]> = BTreeMap::new();
    for transaction in journal {
        for posting in transaction.postings() {
            let (budget, pool) = match posting.pool {
                Pool::Available(budget) => (budget, 0),
                Pool::Held(budget) => (budget, 1),
                Pool::Reserved(budget) => (budget, 2),
                _ => continue,
            };
            let place = (transaction.account.clone(), budget, transaction.currency);
            sums.entry(place).or_default()[pool] += i128::from(posting.amount.0);
        }
    }
    sums
}

fn audit(data: &Data) -> AuditReport {
    let books = gather(data, None);
    let balances = books.budgets.values().filter(|said| said.has_balances).count();
    let of_disputes: Vec<_> = Discrepancy::of_disputes(&books.disputes).collect();
    let of_merchant: Vec<_> = Discrepancy::of_merchant(&books.merchant).collect();
    let unbalanced = books.unbalanced.into_iter().map(|(journal, ..)| Discrepancy::Unbalanced(journal));
    let disagreeing = books.budgets.into_iter().flat_map(|((_, budget, currency), said)| {
        let discrepancy = |found| match found {
            Disagreement::Balance(_) => Discrepancy::Balance { budget, currency },
            Disagreement::Holds => Discrepancy::Holds { budget, currency },
            Disagreement::Reservations => Discrepancy::Reservations { budget, currency },
        };
        let mut found: Vec<_> = said.disagreements().into_iter().map(discrepancy).collect();
        // A balance with several wrong pools is reported once.
        found.dedup();
        found
    });
    AuditReport {
        journal_transactions: books.transactions,
        balances: i64::try_from(balances).unwrap_or(i64::MAX),
        discrepancies: unbalanced.chain(disagreeing).chain(of_disputes).chain(of_merchant).collect(),
    }
}
