//! Sums over the pools of a budget.

use crate::ids::BudgetId;
use crate::ledger::{Balances, JournalTransaction, Leg, Pool};
use crate::money::Total;

/// One of the three pools of a budget's money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetPool {
    /// Money that can be spent.
    Available,
    /// Money claimed by open card holds.
    Held,
    /// Money reserved for confirmed payment batches.
    Reserved,
}

impl BudgetPool {
    /// All pools.
    pub const ALL: [Self; 3] = [Self::Available, Self::Held, Self::Reserved];

    /// The name, as stored and in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Held => "held",
            Self::Reserved => "reserved",
        }
    }

    /// Splits a pool of the journal into its budget and its kind. `None` if it belongs to no budget.
    pub const fn of(pool: Pool) -> Option<(BudgetId, Self)> {
        match pool {
            Pool::Available(budget) => Some((budget, Self::Available)),
            Pool::Held(budget) => Some((budget, Self::Held)),
            Pool::Reserved(budget) => Some((budget, Self::Reserved)),
            Pool::CardNetwork
            | Pool::InboundPayments
            | Pool::OutboundPayments
            | Pool::Fees
            | Pool::PayerBanks
            | Pool::MerchantSettled(_) => None,
        }
    }

    /// Parses the name of a pool. `None` if it is unknown.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pool| pool.as_str() == name)
    }
}

/// Returns the amounts that the legs of a journal transaction add to the pools of budgets, or take from them.
pub fn budget_postings(journal: &JournalTransaction) -> impl Iterator<Item = (BudgetId, BudgetPool, Total)> {
    journal.legs().iter().flat_map(Leg::postings).filter_map(|posting| {
        let (budget, pool) = BudgetPool::of(posting.pool)?;
        Some((budget, pool, posting.amount.into()))
    })
}

/// A sum for each pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolSums {
    /// The sum of available money.
    pub available: Total,
    /// The sum of open card holds.
    pub held: Total,
    /// The sum reserved for confirmed payment batches.
    pub reserved: Total,
}

impl PoolSums {
    /// The ledger balance: available, held and reserved.
    #[must_use]
    pub const fn ledger(&self) -> Total {
        self.available.plus(self.held).plus(self.reserved)
    }

    /// The sum of one pool.
    pub const fn of(&self, pool: BudgetPool) -> Total {
        match pool {
            BudgetPool::Available => self.available,
            BudgetPool::Held => self.held,
            BudgetPool::Reserved => self.reserved,
        }
    }

    /// Adds an amount to a pool.
    pub const fn add(&mut self, pool: BudgetPool, more: Total) {
        let sum = match pool {
            BudgetPool::Available => &mut self.available,
            BudgetPool::Held => &mut self.held,
            BudgetPool::Reserved => &mut self.reserved,
        };
        *sum = sum.plus(more);
    }

    /// Adds pool by pool.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            available: self.available.plus(other.available),
            held: self.held.plus(other.held),
            reserved: self.reserved.plus(other.reserved),
        }
    }

    /// Subtracts pool by pool.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            available: self.available.minus(other.available),
            held: self.held.minus(other.held),
            reserved: self.reserved.minus(other.reserved),
        }
    }
}

impl From<Balances> for PoolSums {
    fn from(balances: Balances) -> Self {
        Self {
            available: balances.available().into(),
            held: balances.held().into(),
            reserved: balances.reserved().into(),
        }
    }
}
