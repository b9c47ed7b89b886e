//! Sessions of checkouts, payments and refunds.

use crate::Cells;
use crate::cells::Store;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{
    CheckoutSession, CreateSessionRefusal, CreateTopUpRefusal, CreatedSession, DueItem, ListedPayment, MerchantPayment,
    MerchantPaymentFilter, PageTokenHash, PaymentOverview, PaymentSort, PaymentsSummary, RefundRefusal, SessionFilter,
    SessionRefusal,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AccountTimeline, CheckoutSessions, CreateRefundCommand, CreateSessionCommand, CreateTopUpCommand, Due, FoundRefund,
    FoundSession, MerchantPayments, RefundCommand, SessionCommand, StoreError, WriteError, Written,
};

routes! { CheckoutSessions:
    find(account: &AccountId, session: CheckoutSessionId) -> Result<Option<FoundSession>, StoreError>
        => [account(account)];
    with_token(token: PageTokenHash) -> Result<Option<FoundSession>, StoreError> => [with(with_token)];
    with_order(account: &AccountId, order: MerchantOrderId) -> Result<Option<CheckoutSession>, StoreError>
        => [account(account)];
    list(account: &AccountId, filter: SessionFilter, page: PageRequest) -> Result<Page<CheckoutSession>, StoreError>
        => [account(account)];
    create(command: CreateSessionCommand) -> Result<Written<CreatedSession>, WriteError<CreateSessionRefusal>>
        => [account(&command.account)];
    create_top_up(command: CreateTopUpCommand) -> Result<Written<CreatedSession>, WriteError<CreateTopUpRefusal>>
        => [account(&command.account)];
    act(command: SessionCommand) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>>
        => [account(&command.account)];
    due(account: Option<AccountId>, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueItem>>, StoreError>
        => [with(due)];
    due_accounts(real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError> => [with(due_accounts)];
}

routes! { MerchantPayments:
    find(account: &AccountId, payment: MerchantPaymentId) -> Result<Option<PaymentOverview>, StoreError>
        => [account(account)];
    list(
        account: &AccountId,
        filter: MerchantPaymentFilter,
        sort: PaymentSort,
        page: PageRequest
    ) -> Result<Page<ListedPayment>, StoreError>
        => [account(account)];
    summary(account: &AccountId) -> Result<Vec<PaymentsSummary>, StoreError> => [account(account)];
    find_refund(account: &AccountId, refund: RefundId) -> Result<Option<MerchantPayment>, StoreError>
        => [account(account)];
    refund_with_token(token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError>
        => [with(refund_with_token)];
    create_refund(command: CreateRefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>>
        => [account(&command.account)];
    act(command: RefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>>
        => [account(&command.account)];
}

/// Asks all cells, because page tokens name no account.
async fn with_token(cells: &Cells, token: PageTokenHash) -> Result<Option<FoundSession>, StoreError> {
    cells.find_in_any(|store| async move { CheckoutSessions::with_token(&*store, token).await }).await
}

/// Asks all cells, because page tokens name no account.
async fn refund_with_token(cells: &Cells, token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError> {
    cells.find_in_any(|store| async move { MerchantPayments::refund_with_token(&*store, token).await }).await
}

async fn due(
    cells: &Cells,
    account: Option<AccountId>,
    now: DateTime<Utc>,
    max: u32,
) -> Result<Vec<Due<DueItem>>, StoreError> {
    if let Some(id) = &account {
        let cell = cells.account(id).await?;
        let due = CheckoutSessions::due(&*cell.store, account, now, max).await;
        cells.confirm(cell).await?;
        return due;
    }
    let mut due = cells.gather(|store| async move { CheckoutSessions::due(&*store, None, now, max).await }).await?;
    due.sort();
    due.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok(due)
}

async fn due_accounts(cells: &Cells, real_now: DateTime<Utc>) -> Result<Vec<AccountTimeline>, StoreError> {
    let due = |store: Store| async move { CheckoutSessions::due_accounts(&*store, real_now).await };
    let mut due = cells.gather(due).await?;
    due.sort_by(|one, other| one.account.cmp(&other.account));
    Ok(due)
}
