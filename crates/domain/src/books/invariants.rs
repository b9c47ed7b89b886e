//! Invariants of the books of an account, checked by comparing sums.

use super::{
    BrokenLink, BudgetPool, ChainBooks, ChainsOfAccounts, DisputeBooks, LimitBooks, MerchantBooks, MiscountedSession,
    PoolSums, RefundedPayment, SettlementBooks,
};
use crate::card::LimitWindow;
use crate::ids::{AccountId, BudgetId, CardId, JournalId};
use crate::ledger::HashChain;
use crate::money::{Currency, Minor, Total};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The sums that the invariants compare, which an adapter loads in one consistent view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountBooks {
    /// Number of journal transactions.
    pub transactions: i64,
    /// Journal transactions with legs that are missing or contradict each other, by id, each with the currency of a
    /// leg.
    pub broken: Vec<(JournalId, Currency)>,
    /// The sums of each budget in each currency, by source.
    pub budgets: BTreeMap<(AccountId, BudgetId, Currency), BudgetBooks>,
    /// Number of open card holds.
    pub open_holds: i64,
    /// Number of payment orders of confirmed and started batches.
    pub open_orders: i64,
    /// The limits of cards, with the use that messages account for. Empty if limits were not checked.
    pub limits: Vec<LimitBooks>,
    /// Disputes, by id.
    pub disputes: Vec<DisputeBooks>,
    /// The books of merchants.
    pub merchant: MerchantBooks,
    /// The hash chains of the journal.
    pub chains: ChainsOfAccounts,
}

impl AccountBooks {
    /// The hash chains with a violation, each with its first one.
    pub fn broken_chains(&self) -> impl Iterator<Item = (&AccountId, HashChain, BrokenLink)> {
        self.chains.iter().filter_map(|((account, chain), books)| Some((account, *chain, books.broken()?)))
    }
}

/// The sums of one budget in one currency, by source. A missing source counts as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetBooks {
    /// Whether stored balances exist.
    pub has_balances: bool,
    /// The stored balances.
    pub stated: PoolSums,
    /// The sums of the postings.
    pub posted: PoolSums,
    /// The sum of open card holds.
    pub holds: Total,
    /// The sum of unpaid payments of confirmed and started batches.
    pub reservations: Total,
}

/// A disagreement between two sources about a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// The stored balance and the postings of this pool.
    Balance(BudgetPool),
    /// The held balance and the open holds.
    Holds,
    /// The reserved balance and the reservations.
    Reservations,
}

impl BudgetBooks {
    /// All disagreements.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let pools = BudgetPool::ALL.into_iter().filter(|pool| self.stated.of(*pool) != self.posted.of(*pool));
        let mut found: Vec<_> = pools.map(Disagreement::Balance).collect();
        found.extend((self.stated.held != self.holds).then_some(Disagreement::Holds));
        found.extend((self.stated.reserved != self.reservations).then_some(Disagreement::Reservations));
        found
    }
}

/// An invariant of the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invariant {
    /// Every journal transaction adds up to zero: each leg takes from one pool what it adds to another one, and the
    /// legs of a transaction are complete and agree.
    Conservation,
    /// Every balance is the sum of its postings.
    Balances,
    /// The held balance is the sum of the open holds.
    Holds,
    /// The reserved balance is the sum of all unpaid payments of confirmed and started batches.
    Reservations,
    /// No spending limit counts more use than its messages account for.
    SpendingLimits,
    /// Every dispute has credited the amount that its status requires. The stored claim of a chain is the sum of its
    /// open and won disputes, and at most the cleared amount of the chain.
    Disputes,
    /// The settled amount of each settlement account and payee is the sum of its payments minus the sum of its refunds.
    MerchantSettlements,
    /// No payment is refunded above its amount.
    MerchantRefunds,
    /// A COMPLETED session has exactly one COMPLETED payment. Any other session has none.
    MerchantSessions,
    /// Every leg of the journal is the one that was written: the hash chains are complete and unchanged.
    HashChains,
}

impl Invariant {
    /// All invariants, in the order of the report.
    pub const ALL: [Self; 10] = [
        Self::Conservation,
        Self::Balances,
        Self::Holds,
        Self::Reservations,
        Self::SpendingLimits,
        Self::Disputes,
        Self::MerchantSettlements,
        Self::MerchantRefunds,
        Self::MerchantSessions,
        Self::HashChains,
    ];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conservation => "conservation",
            Self::Balances => "balances",
            Self::Holds => "holds",
            Self::Reservations => "reservations",
            Self::SpendingLimits => "spending_limits",
            Self::Disputes => "disputes",
            Self::MerchantSettlements => "merchant_settlements",
            Self::MerchantRefunds => "merchant_refunds",
            Self::MerchantSessions => "merchant_sessions",
            Self::HashChains => "hash_chains",
        }
    }
}

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterExample {
    /// A journal transaction with legs that are missing or contradict each other.
    Transaction {
        /// The transaction.
        journal: JournalId,
        /// The currency of the leg that is wrong, or follows the missing one.
        currency: Currency,
    },
    /// A pool with a wrong stored balance.
    Pool {
        /// The budget.
        budget: BudgetId,
        /// The currency.
        currency: Currency,
        /// The pool.
        pool: BudgetPool,
        /// The stored balance.
        stated: Total,
        /// The computed sum.
        computed: Total,
    },
    /// A spending limit that counts more use than messages account for.
    Limit {
        /// The card.
        card: CardId,
        /// The window of the limit.
        window: LimitWindow,
        /// The card's currency.
        currency: Currency,
        /// The amount it counts as spent.
        spent: Minor,
        /// The maximum amount that messages account for.
        max_spent: Total,
        /// The number of uses it counts.
        uses: u32,
        /// The maximum number of uses that messages account for.
        max_uses: u64,
    },
    /// A dispute that disagrees with its chain or with the journal.
    Dispute(DisputeBooks),
    /// A settlement account or payee on which the journal and the payments disagree.
    Settlement {
        /// The settlement account or payee.
        target: Uuid,
        /// The currency.
        currency: Currency,
        /// The sums of the journal and of the payments.
        books: SettlementBooks,
    },
    /// A payment that is refunded above its amount.
    Refunds(RefundedPayment),
    /// A session with a wrong number of COMPLETED payments.
    Session(MiscountedSession),
    /// A hash chain with a leg that was changed, removed or inserted.
    Chain {
        /// The chain.
        chain: HashChain,
        /// The first violation.
        broken: BrokenLink,
    },
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantResult {
    /// The invariant that was checked.
    pub invariant: Invariant,
    /// Number of items checked.
    pub checked: i64,
    /// The first violation, if any.
    pub counter_example: Option<CounterExample>,
}

/// The report of all invariants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantReport {
    /// One result for each invariant.
    pub checks: Vec<InvariantResult>,
}

impl InvariantReport {
    /// Whether all invariants hold.
    pub fn holds(&self) -> bool {
        self.checks.iter().all(|check| check.counter_example.is_none())
    }
}

/// Checks all invariants of the books.
pub fn check_books(books: &AccountBooks) -> InvariantReport {
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let balances = count(books.budgets.values().filter(|budget| budget.has_balances).count());
    let transaction = books.broken.first().copied();
    let transaction = transaction.map(|(journal, currency)| CounterExample::Transaction { journal, currency });
    let overused = books.limits.iter().find(|limit| !limit.agrees());
    let disputed = books.disputes.iter().find(|dispute| !dispute.agrees());
    let merchant = &books.merchant;
    let settlement = merchant.disagreeing_settlements().next();
    let settlement = settlement.map(|(target, currency, books)| CounterExample::Settlement { target, currency, books });
    let chain = books.broken_chains().next().map(|(_, chain, broken)| CounterExample::Chain { chain, broken });
    let links: i64 = books.chains.values().map(ChainBooks::verified).sum();
    let (above, session) = (merchant.over_refunded().next(), merchant.miscounted.first());
    let result = |invariant, checked, counter_example| InvariantResult { invariant, checked, counter_example };
    let checks = vec![
        result(Invariant::Conservation, books.transactions, transaction),
        result(Invariant::Balances, balances, pool(books, |found| matches!(found, Disagreement::Balance(_)))),
        result(Invariant::Holds, books.open_holds, pool(books, |found| found == Disagreement::Holds)),
        result(Invariant::Reservations, books.open_orders, pool(books, |found| found == Disagreement::Reservations)),
        result(Invariant::SpendingLimits, count(books.limits.len()), overused.map(limit)),
        result(Invariant::Disputes, count(books.disputes.len()), disputed.copied().map(CounterExample::Dispute)),
        result(Invariant::MerchantSettlements, count(merchant.settlements.len()), settlement),
        result(Invariant::MerchantRefunds, count(merchant.refunded.len()), above.copied().map(CounterExample::Refunds)),
        result(Invariant::MerchantSessions, merchant.sessions, session.copied().map(CounterExample::Session)),
        result(Invariant::HashChains, links, chain),
    ];
    InvariantReport { checks }
}

/// The first budget with a disagreement of this kind.
fn pool(books: &AccountBooks, matches: impl Fn(Disagreement) -> bool) -> Option<CounterExample> {
    books.budgets.iter().find_map(|(&(_, budget, currency), sums)| {
        let found = sums.disagreements().into_iter().find(|found| matches(*found))?;
        let (pool, computed) = match found {
            Disagreement::Balance(pool) => (pool, sums.posted.of(pool)),
            Disagreement::Holds => (BudgetPool::Held, sums.holds),
            Disagreement::Reservations => (BudgetPool::Reserved, sums.reservations),
        };
        Some(CounterExample::Pool { budget, currency, pool, stated: sums.stated.of(pool), computed })
    })
}

fn limit(books: &LimitBooks) -> CounterExample {
    CounterExample::Limit {
        card: books.card,
        window: books.limit.window,
        currency: books.currency,
        spent: books.limit.spent,
        max_spent: books.max_spent,
        uses: books.limit.uses,
        max_uses: books.max_uses,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn books() -> AccountBooks {
        let pools = PoolSums { available: Total(70), held: Total(20), reserved: Total(10) };
        let budget =
            BudgetBooks { has_balances: true, stated: pools, posted: pools, holds: Total(20), reservations: Total(10) };
        let key = (AccountId::parse("F1").unwrap(), BudgetId(Uuid::nil()), Currency::parse("GBP").unwrap());
        AccountBooks {
            transactions: 4,
            broken: vec![],
            budgets: [(key, budget)].into(),
            open_holds: 2,
            open_orders: 1,
            limits: vec![],
            disputes: vec![],
            merchant: MerchantBooks::default(),
            chains: BTreeMap::new(),
        }
    }

    #[test]
    fn consistent_books_hold_and_report_the_number_of_checked_objects() {
        let report = check_books(&books());
        assert!(report.holds());
        let checked: Vec<_> = report.checks.iter().map(|check| (check.invariant, check.checked)).collect();
        let expected = [4, 1, 2, 1, 0, 0, 0, 0, 0, 0];
        assert_eq!(checked, Invariant::ALL.into_iter().zip(expected).collect::<Vec<_>>());
    }

    #[test]
    fn each_falsification_violates_its_invariants() {
        type Falsify = fn(&mut BudgetBooks);
        let falsify: [(Falsify, &[Invariant]); 5] = [
            (|budget| budget.stated.available.0 -= 1, &[Invariant::Balances]),
            (|budget| budget.stated.held.0 -= 1, &[Invariant::Balances, Invariant::Holds]),
            (|budget| budget.posted.reserved.0 += 1, &[Invariant::Balances]),
            (|budget| budget.holds.0 += 1, &[Invariant::Holds]),
            (|budget| budget.reservations.0 = 0, &[Invariant::Reservations]),
        ];
        for (falsify, expected) in falsify {
            let mut books = books();
            books.budgets.values_mut().for_each(falsify);
            let report = check_books(&books);
            let broken = report.checks.iter().filter(|check| check.counter_example.is_some());
            assert_eq!(broken.map(|check| check.invariant).collect::<Vec<_>>(), expected);
        }
        let mut books = books();
        let (journal, currency) = (JournalId(Uuid::nil()), Currency::parse("GBP").unwrap());
        books.broken.push((journal, currency));
        let expected = CounterExample::Transaction { journal, currency };
        assert_eq!(check_books(&books).checks[0].counter_example, Some(expected));
    }

    #[test]
    fn disputes_are_checked() {
        let good = DisputeBooks {
            dispute: crate::ids::DisputeId(Uuid::nil()),
            currency: Currency::parse("GBP").unwrap(),
            expected: Minor(4),
            credited: Total(4),
            stored_claim: Minor(4),
            claimed: Total(4),
            cleared: Minor(4),
        };
        let wrong = DisputeBooks { credited: Total(8), ..good };
        let mut books = books();
        books.disputes = vec![good];
        assert_eq!((check_books(&books).checks[5].checked, check_books(&books).holds()), (1, true));
        books.disputes.push(wrong);
        assert_eq!(check_books(&books).checks[5].counter_example, Some(CounterExample::Dispute(wrong)));
    }

    #[test]
    fn payments_of_merchants_are_checked() {
        use crate::checkout::SessionStatus;
        use crate::ids::{CheckoutSessionId, MerchantPaymentId};
        let gbp = Currency::parse("GBP").unwrap();
        let target = Uuid::from_u128(7);
        let settlement = SettlementBooks { settled: Total(70), paid: Total(100), refunded: Total(30) };
        let refunded = RefundedPayment {
            payment: MerchantPaymentId(Uuid::nil()),
            currency: gbp,
            amount: Minor(100),
            refunded: Total(100),
        };
        let mut books = books();
        books.merchant = MerchantBooks {
            settlements: [((AccountId::parse("F1").unwrap(), target, gbp), settlement)].into(),
            refunded: vec![refunded],
            sessions: 3,
            miscounted: vec![],
        };
        assert!(check_books(&books).holds());
        assert_eq!(check_books(&books).checks[6..9].iter().map(|check| check.checked).collect::<Vec<_>>(), [1, 1, 3]);
        let mut wrong = books.clone();
        wrong.merchant.settlements.values_mut().for_each(|books| books.settled = Total(71));
        let expected = SettlementBooks { settled: Total(71), ..settlement };
        let expected = CounterExample::Settlement { target, currency: gbp, books: expected };
        assert_eq!(check_books(&wrong).checks[6].counter_example, Some(expected));
        let above = RefundedPayment { refunded: Total(101), ..refunded };
        books.merchant.refunded.push(above);
        assert_eq!(check_books(&books).checks[7].counter_example, Some(CounterExample::Refunds(above)));
        let (session, status) = (CheckoutSessionId(Uuid::nil()), SessionStatus::Open);
        let miscounted = MiscountedSession { session, status, payments: 1 };
        books.merchant.miscounted.push(miscounted);
        assert_eq!(check_books(&books).checks[8].counter_example, Some(CounterExample::Session(miscounted)));
    }

    #[test]
    fn hash_chains_are_checked() {
        use crate::books::BrokenLinkReason;
        use crate::ledger::Link;
        let account = AccountId::parse("F1").unwrap();
        let mut books = books();
        books.chains.insert((account.clone(), HashChain::Settlements), ChainBooks::default());
        assert!(check_books(&books).holds());
        let stated = Link { number: 1, ..Link::default() };
        books.chains.insert((account, HashChain::Settlements), ChainBooks::new(stated, None));
        let broken = BrokenLink { leg: None, reason: BrokenLinkReason::OtherEnd };
        let expected = CounterExample::Chain { chain: HashChain::Settlements, broken };
        assert_eq!(check_books(&books).checks[9].counter_example, Some(expected));
    }

    #[test]
    fn a_counterexample_shows_the_stated_and_the_computed_sum() {
        let mut books = books();
        books.budgets.values_mut().for_each(|budget| budget.holds = Total(15));
        let Some(CounterExample::Pool { pool, stated, computed, .. }) =
            check_books(&books).checks[2].counter_example.clone()
        else {
            panic!("no counter-example")
        };
        assert_eq!((pool, stated, computed), (BudgetPool::Held, Total(20), Total(15)));
    }
}
