//! Credits, decided under the lock of their budget.

use crate::{Decide, IdempotencyClaim, Mode, WriteError, Written};
use async_trait::async_trait;
use florin_domain::budget::{Credit, CreditDecision, CreditRefusal, CreditSituation};
use florin_domain::ids::{AccountId, BudgetId};

/// A command to credit a budget.
pub struct CreditCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budget, which must be the account's.
    pub budget: BudgetId,
    /// The rule.
    pub decide: Decide<CreditSituation, Result<CreditDecision, CreditRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<Credit>>,
}

/// Stores credits, with the promises of [`crate::CardLedger`]. Credits, top-ups, transfers and payments of an account
/// share one sequence of numbers, from 1, without gaps.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Credits: Send + Sync {
    /// Decides a credit. `Absent`: no such budget on the account.
    async fn credit(&self, command: CreditCommand) -> Result<Written<Credit>, WriteError<CreditRefusal>>;
}
