//! Budgets, and transfers between them.

use crate::{Decide, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::budget::{
    BudgetFilter, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, TransferDecision, TransferDone,
    TransferRefusal, TransferSituation,
};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::page::{Page, PageRequest};

/// A command to create a budget.
pub struct CreateBudgetCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The parent budget, whose level is part of the situation.
    pub parent: Option<BudgetId>,
    /// The rule.
    pub decide: Decide<CreateBudgetSituation, Result<BudgetRecord, CreateBudgetRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<BudgetRecord>>,
}

/// A command to transfer money.
pub struct TransferCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The paying budget, which must be the account's.
    pub from: BudgetId,
    /// The receiving budget. If the account has no such budget, the situation says so.
    pub to: BudgetId,
    /// The rule.
    pub decide: Decide<TransferSituation, Result<TransferDecision, TransferRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<TransferDone>>,
}

/// Reads and creates budgets.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Budgets: Send + Sync {
    /// Returns a budget with its balances by currency code. `None`: no such budget on the account.
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError>;

    /// Lists the account's matching budgets, each with its balances by currency code, by id descending. New ids are
    /// greater than old ones, so the newest come first. The count ignores the page. Each call reads one consistent
    /// view.
    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError>;

    /// Decides the creation of a budget. Creations on one account are decided sequentially, so the number of budgets in
    /// the situation is exact. `Absent`: no such account.
    async fn create(
        &self,
        command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>>;
}

/// Stores transfers, with the promises of [`crate::CardLedger`] for both budgets. Transfers between the same budgets in
/// either direction are decided sequentially.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Transfers: Send + Sync {
    /// Decides a transfer. `Absent`: the account does not have the paying budget.
    async fn transfer(&self, command: TransferCommand) -> Result<Written<TransferDone>, WriteError<TransferRefusal>>;
}
