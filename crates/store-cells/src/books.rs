//! Budgets, movements of money, and the books.

use crate::Cells;
use crate::routes::routes;
use florin_domain::activity::{Activity, ActivityChanges, ActivityCursor, ActivityFilter, ActivityKey};
use florin_domain::books::AccountBooks;
use florin_domain::budget::{
    BudgetFilter, BudgetOverview, BudgetRecord, CreateBudgetRefusal, Credit, CreditRefusal, EditBudgetRefusal,
    TransferDone, TransferRefusal,
};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    BooksCheck, BooksReport, CreateBudgetCommand, CreditCommand, EditBudgetCommand, ExplainResult, IdempotencyClaim,
    StoreError, StoredResponse, TransferCommand, WriteError, Written,
};
use std::convert::Infallible;

routes! { Budgets:
    find(account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> => [account(account)];
    find_with_funds(account: &AccountId, budget: BudgetId) -> Result<Option<BudgetOverview>, StoreError>
        => [account(account)];
    list(account: &AccountId, filter: BudgetFilter, page: PageRequest) -> Result<Page<BudgetRecord>, StoreError>
        => [account(account)];
    list_with_funds(
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest
    ) -> Result<Page<BudgetOverview>, StoreError>
        => [account(account)];
    create(command: CreateBudgetCommand) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>>
        => [account(&command.account)];
    edit(command: EditBudgetCommand) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>>
        => [account(&command.account)];
}

routes! { Transfers:
    transfer(command: TransferCommand) -> Result<Written<TransferDone>, WriteError<TransferRefusal>>
        => [account(&command.account)];
}

routes! { Credits:
    credit(command: CreditCommand) -> Result<Written<Credit>, WriteError<CreditRefusal>>
        => [account(&command.account)];
}

routes! { Activities:
    list(account: &AccountId, filter: ActivityFilter, page: PageRequest) -> Result<Page<Activity>, StoreError>
        => [account(account)];
    find(account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError> => [account(account)];
    changes(
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64
    ) -> Result<Option<ActivityChanges>, StoreError>
        => [account(account)];
}

routes! { Books:
    explain(
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest
    ) -> Result<ExplainResult, StoreError>
        => [account(account)];
    books(account: &AccountId) -> Result<AccountBooks, StoreError> => [account(account)];
}

routes! { BooksCheck:
    check_structure() -> Result<(), StoreError> => [with(check_structure)];
    check_all() -> Result<BooksReport, StoreError> => [with(check_all)];
}

routes! { IdempotencyRecords:
    find(claim: &IdempotencyClaim<()>) -> Result<Option<StoredResponse>, WriteError<Infallible>>
        => [account(&claim.account)];
    add(claim: IdempotencyClaim<()>) -> Result<Written<()>, WriteError<Infallible>> => [account(&claim.account)];
}

async fn check_structure(cells: &Cells) -> Result<(), StoreError> {
    cells.ask_all(|store| async move { BooksCheck::check_structure(&*store).await }).await.map(drop)
}

/// Checks each cell in a view of its own. No transaction changes two cells, so the views may be of different times.
async fn check_all(cells: &Cells) -> Result<BooksReport, StoreError> {
    let reports = cells.ask_all(|store| async move { BooksCheck::check_all(&*store).await }).await?;
    Ok(reports.into_iter().fold(BooksReport::default(), |mut sum, report| {
        sum.journal_transactions = sum.journal_transactions.saturating_add(report.journal_transactions);
        sum.balances = sum.balances.saturating_add(report.balances);
        sum.discrepancies.extend(report.discrepancies);
        sum
    }))
}
