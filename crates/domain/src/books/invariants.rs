//! What must hold of the books of an account, judged over sums.

use super::{LimitBooks, Pool, Pools};
use crate::card::SpendingWindow;
use crate::ids::{AccountId, BudgetId, CardId, JournalId};
use crate::money::{Currency, Minor, Total};
use std::collections::BTreeMap;

/// What a store adds up of accounts, in one view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountBooks {
    /// How many journal transactions there are.
    pub transactions: i64,
    /// Those that do not add up to zero, with what they add up to. By id.
    pub unbalanced: Vec<(JournalId, Currency, Total)>,
    /// What is said of each budget in each currency, and by whom.
    pub budgets: BTreeMap<(AccountId, BudgetId, Currency), BudgetBooks>,
    /// How many card holds are open.
    pub open_holds: i64,
    /// How many orders of payment batches are confirmed or started.
    pub open_orders: i64,
    /// Spending limits beside the messages that used them; none where they were not looked at.
    pub limits: Vec<LimitBooks>,
}

/// What is said of one budget in one currency, by whom. What nobody speaks of is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetBooks {
    /// Whether there are balances at all.
    pub has_balances: bool,
    /// By its balances.
    pub stated: Pools,
    /// By the journal.
    pub proved: Pools,
    /// By open card holds.
    pub holds: Total,
    /// By what is not paid yet of confirmed and started payment batches.
    pub reservations: Total,
}

/// Two that say different things of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The balance and the journal.
    Balance(Pool),
    /// The balance and the open holds.
    Holds,
    /// The balance and the reservations.
    Reservations,
}

impl BudgetBooks {
    /// All that disagrees.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let pools = Pool::ALL.into_iter().filter(|pool| self.stated.of(*pool) != self.proved.of(*pool));
        let mut found: Vec<_> = pools.map(Disagreement::Balance).collect();
        found.extend((self.stated.held != self.holds).then_some(Disagreement::Holds));
        found.extend((self.stated.reserved != self.reservations).then_some(Disagreement::Reservations));
        found
    }
}

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// Every journal transaction adds up to zero.
    Conservation,
    /// Every balance is the sum of its entries.
    Balances,
    /// What is held is the sum of the open holds.
    Holds,
    /// What is reserved is what is not paid yet of confirmed and started payment batches.
    Reservations,
    /// No spending limit was used more than messages account for.
    SpendingLimits,
}

impl Invariant {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 5] =
        [Self::Conservation, Self::Balances, Self::Holds, Self::Reservations, Self::SpendingLimits];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conservation => "conservation",
            Self::Balances => "balances",
            Self::Holds => "holds",
            Self::Reservations => "reservations",
            Self::SpendingLimits => "spending_limits",
        }
    }
}

/// Something that does not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterExample {
    /// A journal transaction that does not add up to zero.
    Transaction {
        /// The transaction.
        journal: JournalId,
        /// Its currency.
        currency: Currency,
        /// What it adds up to.
        sum: Total,
    },
    /// A pool of a budget.
    Pool {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
        /// The pool.
        pool: Pool,
        /// What the balance says.
        stated: Total,
        /// What it should be.
        computed: Total,
    },
    /// A spending limit.
    Limit {
        /// The card.
        card: CardId,
        /// The window of the limit.
        window: SpendingWindow,
        /// The card's currency.
        currency: Currency,
        /// What it says was spent.
        spent: Minor,
        /// The most that messages account for.
        most_spent: Total,
        /// How often it says the card was used.
        uses: u32,
        /// The most uses that messages account for.
        most_uses: u64,
    },
}

/// What became of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// What must hold.
    pub invariant: Invariant,
    /// Over how many things it was looked at.
    pub checked: i64,
    /// The first that it does not hold of.
    pub counter_example: Option<CounterExample>,
}

/// Whether all holds of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantReport {
    /// One for each invariant.
    pub checks: Vec<Proven>,
}

impl InvariantReport {
    /// Whether all of them hold.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.counter_example.is_none())
    }
}

/// Judges the books.
pub fn judge(books: &AccountBooks) -> InvariantReport {
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let balances = count(books.budgets.values().filter(|budget| budget.has_balances).count());
    let unbalanced = books.unbalanced.first().copied();
    let transaction = unbalanced.map(|(journal, currency, sum)| CounterExample::Transaction { journal, currency, sum });
    let broken = books.limits.iter().find(|limit| !limit.agrees());
    let proven = |invariant, checked, counter_example| Proven { invariant, checked, counter_example };
    let checks = vec![
        proven(Invariant::Conservation, books.transactions, transaction),
        proven(Invariant::Balances, balances, pool(books, |found| matches!(found, Disagreement::Balance(_)))),
        proven(Invariant::Holds, books.open_holds, pool(books, |found| found == Disagreement::Holds)),
        proven(Invariant::Reservations, books.open_orders, pool(books, |found| found == Disagreement::Reservations)),
        proven(Invariant::SpendingLimits, count(books.limits.len()), broken.map(limit)),
    ];
    InvariantReport { checks }
}

/// The first budget of which two say different things in that way.
fn pool(books: &AccountBooks, wanted: impl Fn(Disagreement) -> bool) -> Option<CounterExample> {
    books.budgets.iter().find_map(|(&(_, budget, currency), said)| {
        let found = said.disagreements().into_iter().find(|found| wanted(*found))?;
        let (pool, computed) = match found {
            Disagreement::Balance(pool) => (pool, said.proved.of(pool)),
            Disagreement::Holds => (Pool::Held, said.holds),
            Disagreement::Reservations => (Pool::Reserved, said.reservations),
        };
        Some(CounterExample::Pool { budget, currency, pool, stated: said.stated.of(pool), computed })
    })
}

fn limit(books: &LimitBooks) -> CounterExample {
    CounterExample::Limit {
        card: books.card,
        window: books.limit.window,
        currency: books.currency,
        spent: books.limit.spent,
        most_spent: books.most_spent,
        uses: books.limit.uses,
        most_uses: books.most_uses,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn books() -> AccountBooks {
        let pools = Pools { available: Total(70), held: Total(20), reserved: Total(10) };
        let budget =
            BudgetBooks { has_balances: true, stated: pools, proved: pools, holds: Total(20), reservations: Total(10) };
        let place = (AccountId::parse("F1").unwrap(), BudgetId(Uuid::nil()), Currency::parse("GBP").unwrap());
        AccountBooks {
            transactions: 4,
            unbalanced: vec![],
            budgets: [(place, budget)].into(),
            open_holds: 2,
            open_orders: 1,
            limits: vec![],
        }
    }

    #[test]
    fn sound_books_hold_and_say_over_how_much() {
        let report = judge(&books());
        assert!(report.holds());
        let checked: Vec<_> = report.checks.iter().map(|check| (check.invariant, check.checked)).collect();
        let [conservation, balances, holds, reservations, limits] = Invariant::ALL;
        assert_eq!(checked, [(conservation, 4), (balances, 1), (holds, 2), (reservations, 1), (limits, 0)]);
    }

    #[test]
    fn each_falsehood_breaks_its_invariants() {
        type Falsify = fn(&mut BudgetBooks);
        let falsify: [(Falsify, &[Invariant]); 5] = [
            (|budget| budget.stated.available.0 -= 1, &[Invariant::Balances]),
            (|budget| budget.stated.held.0 -= 1, &[Invariant::Balances, Invariant::Holds]),
            (|budget| budget.proved.reserved.0 += 1, &[Invariant::Balances]),
            (|budget| budget.holds.0 += 1, &[Invariant::Holds]),
            (|budget| budget.reservations.0 = 0, &[Invariant::Reservations]),
        ];
        for (falsify, wanted) in falsify {
            let mut books = books();
            books.budgets.values_mut().for_each(falsify);
            let report = judge(&books);
            let broken = report.checks.iter().filter(|check| check.counter_example.is_some());
            assert_eq!(broken.map(|check| check.invariant).collect::<Vec<_>>(), wanted);
        }
        let mut books = books();
        let (journal, currency, sum) = (JournalId(Uuid::nil()), Currency::parse("GBP").unwrap(), Total(3));
        books.unbalanced.push((journal, currency, sum));
        let wanted = CounterExample::Transaction { journal, currency, sum };
        assert_eq!(judge(&books).checks[0].counter_example, Some(wanted));
    }

    #[test]
    fn a_counter_example_says_both_sides() {
        let mut books = books();
        books.budgets.values_mut().for_each(|budget| budget.holds = Total(15));
        let Some(CounterExample::Pool { pool, stated, computed, .. }) = judge(&books).checks[2].counter_example.clone()
        else {
            panic!("no counter-example")
        };
        assert_eq!((pool, stated, computed), (Pool::Held, Total(20), Total(15)));
    }
}
