//! Budgets, and transfers between them.

use crate::{Decide, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::budget::{
    BudgetFilter, BudgetOverview, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, EditBudgetRefusal,
    EditBudgetSituation, TransferDecision, TransferDone, TransferRefusal, TransferSituation,
};
use florin_domain::ids::{AccountId, BudgetId, PersonaId};
use florin_domain::page::{Page, PageRequest};

/// A command to create a budget.
pub struct CreateBudgetCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budget above the new one. It is part of the situation. `None`: the parent budget of the account.
    pub parent: Option<BudgetId>,
    /// The persona of the person who will own the budget. `None`: the budget is shared.
    pub persona: Option<PersonaId>,
    /// The name of the new budget. The situation says whether another budget has it.
    pub name: String,
    /// The rule.
    pub decide: Decide<CreateBudgetSituation, Result<BudgetRecord, CreateBudgetRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<BudgetRecord>>,
}

/// A command to change a budget, except for its balances and ids.
pub struct EditBudgetCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budget, which must be the account's.
    pub budget: BudgetId,
    /// The name that the budget gets. The situation says whether another budget has it. `None`: the budget keeps its
    /// name.
    pub name: Option<String>,
    /// The rule. It changes neither the balances nor the ids.
    pub decide: Decide<EditBudgetSituation, Result<BudgetRecord, EditBudgetRefusal>>,
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

/// Reads, creates and edits budgets.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Budgets: Send + Sync {
    /// Returns a budget with its balances by currency code. `None`: no such budget on the account.
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError>;

    /// Returns the same budget as [`Self::find`], with the funds of its currencies, from one consistent view.
    async fn find_with_funds(
        &self,
        account: &AccountId,
        budget: BudgetId,
    ) -> Result<Option<BudgetOverview>, StoreError>;

    /// Lists the account's matching budgets, each with its balances by currency code. They are sorted by name in the
    /// order of code points, then by id. The count ignores the page. Each call reads one consistent view.
    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError>;

    /// Lists the same budgets as [`Self::list`], with the funds of their currencies, from one consistent view.
    async fn list_with_funds(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetOverview>, StoreError>;

    /// Decides the creation of a budget. Creations and changes on one account are decided sequentially, so the number
    /// of budgets in the situation is exact, and so is `name_is_taken`: it is true if names of budgets must be unique
    /// on the account and another of its budgets has the name. Names are compared character by character. `Absent`: no
    /// such account.
    async fn create(
        &self,
        command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>>;

    /// Decides a change of a budget, sequentially with creations and other changes. `name_is_taken` is as in
    /// [`Self::create`]. `Absent`: no such budget on the account.
    async fn edit(&self, command: EditBudgetCommand) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>>;
}

/// Stores transfers, with the promises of [`crate::CardLedger`] for both budgets. A transfer takes two numbers, without
/// gaps, from the sequence that it shares with credits, top-ups and payments. Transfers between the same two budgets,
/// in either direction, are decided sequentially.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Transfers: Send + Sync {
    /// Decides a transfer. `Absent`: the account does not have the paying budget.
    async fn transfer(&self, command: TransferCommand) -> Result<Written<TransferDone>, WriteError<TransferRefusal>>;
}
