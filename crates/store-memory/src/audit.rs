//! Proving balances from the journal.

use crate::MemoryStore;
use crate::data::Data;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{JournalTransaction, LedgerAccount};
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

/// What journal transactions make of each budget: available, held and reserved, in more bits than any balance has.
pub(crate) fn sums_of<'a>(journal: impl Iterator<Item = &'a JournalTransaction>) -> BTreeMap<Place, [i128; 3]> {
    let mut sums: BTreeMap<_, [i128; 3]> = BTreeMap::new();
    for transaction in journal {
        for posting in transaction.postings() {
            let (budget, pool) = match posting.account {
                LedgerAccount::Available(budget) => (budget, 0),
                LedgerAccount::Held(budget) => (budget, 1),
                LedgerAccount::Reserved(budget) => (budget, 2),
                LedgerAccount::CardNetwork
                | LedgerAccount::InboundPayments
                | LedgerAccount::OutboundPayments
                | LedgerAccount::Fees => {
                    continue;
                }
            };
            let place = (transaction.account.clone(), budget, transaction.currency);
            sums.entry(place).or_default()[pool] += i128::from(posting.amount.0);
        }
    }
    sums
}

fn audit(data: &Data) -> AuditReport {
    let mut report = AuditReport {
        journal_transactions: i64::try_from(data.journal.len()).unwrap_or(i64::MAX),
        ..Default::default()
    };
    for ((_, id), transaction) in &data.journal {
        if transaction.postings().iter().map(|posting| i128::from(posting.amount.0)).sum::<i128>() != 0 {
            report.discrepancies.push(Discrepancy::Unbalanced(*id));
        }
    }
    let mut proved = sums_of(data.journal.values());
    let mut held: BTreeMap<Place, i128> = BTreeMap::new();
    for chain in data.chains.values().filter(|chain| chain.end.is_none()) {
        let place = (chain.account.clone(), chain.budget, chain.currency);
        *held.entry(place).or_default() += i128::from(chain.held.0);
    }
    for budget in data.budgets.values() {
        for (currency, balances) in &budget.balances {
            let place = (budget.account.clone(), budget.id, *currency);
            let (budget, currency) = (budget.id, *currency);
            let stated = [balances.available(), balances.held(), balances.reserved()].map(|minor| i128::from(minor.0));
            report.balances += 1;
            if stated != proved.remove(&place).unwrap_or_default() {
                report.discrepancies.push(Discrepancy::Balance { budget, currency });
            }
            if stated[1] != held.remove(&place).unwrap_or_default() {
                report.discrepancies.push(Discrepancy::Holds { budget, currency });
            }
        }
    }
    let strayed = proved.into_keys().map(|(_, budget, currency)| Discrepancy::Balance { budget, currency });
    report.discrepancies.extend(strayed);
    report
}
