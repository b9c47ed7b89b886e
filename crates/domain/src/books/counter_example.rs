//! Counterexamples of invariants as text.

use super::{BrokenLink, CounterExample};
use crate::ledger::HashChain;
use std::fmt;

/// Names the object that violates the invariant.
impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transaction { journal, .. } => write!(f, "journal transaction {journal}"),
            Self::Pool { budget, currency, pool, .. } => {
                write!(f, "the {} {currency} balance of budget {budget}", pool.as_str())
            }
            Self::Limit { card, window, .. } => write!(f, "the {} limit of card {card}", window.as_str()),
            Self::Dispute(books) => write!(f, "dispute {}", books.dispute),
            Self::Settlement { target, currency, .. } => {
                write!(f, "what was settled in {currency} to settlement account or payee {target}")
            }
            Self::Refunds(books) => write!(f, "the refunds of payment {}", books.payment),
            Self::Session(books) => write!(f, "the payments of session {}", books.session),
            Self::Chain { broken: BrokenLink { leg: Some((journal, line)), .. }, .. } => {
                write!(f, "line {line} of journal transaction {journal}")
            }
            Self::Chain { chain: HashChain::Balance(budget, currency), .. } => {
                write!(f, "the hash chain of the {currency} balance of budget {budget}")
            }
            Self::Chain { chain: HashChain::Settlements, .. } => f.write_str("the hash chain of settlements"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::{BrokenLinkReason, BudgetPool};
    use crate::ids::{BudgetId, JournalId};
    use crate::money::{Currency, Total};
    use uuid::Uuid;

    #[test]
    fn a_counterexample_names_its_object() {
        let (budget, currency) = (BudgetId(Uuid::nil()), Currency::parse("GBP").unwrap());
        let journal = JournalId(Uuid::nil());
        let (stated, computed) = (Total(1), Total(2));
        let pool = CounterExample::Pool { budget, currency, pool: BudgetPool::Held, stated, computed };
        assert_eq!(pool.to_string(), format!("the held GBP balance of budget {budget}"));
        let chain = |leg| {
            let broken = BrokenLink { leg, reason: BrokenLinkReason::OtherEnd };
            CounterExample::Chain { chain: HashChain::Balance(budget, currency), broken }.to_string()
        };
        assert_eq!(chain(Some((journal, 1))), format!("line 1 of journal transaction {journal}"));
        assert_eq!(chain(None), format!("the hash chain of the GBP balance of budget {budget}"));
    }
}
