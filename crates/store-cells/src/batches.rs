//! Payment batches.

use crate::Cells;
use crate::gather::{done_or_failure, log_failure};
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::batch::{
    Alert, AlertFilter, BatchContent, BatchFilter, BatchSummary, CancelRefusal, ConfirmRefusal, FundingBudgets,
    IllegalBatchTransition, Payment, PaymentBatch, PaymentFilter, SettleDecision, SettleRefusal, UploadRefusal,
};
use florin_domain::ids::{AccountId, PaymentBatchId, PaymentId};
use florin_domain::mfa::{MfaSession, OpenRefusal, TotpEnrolment};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AcceptedPayment, BatchFunds, BatchProcessing, CancelBatchCommand, ClaimCommand, ConfirmCommand, CreateBatchCommand,
    EditBatchCommand, Lease, OpenMfaSessionCommand, ProcessingError, RecordCommand, StartCommand, StartPaymentsCommand,
    StoreError, UploadCommand, WriteError, Written,
};
use std::convert::Infallible;

routes! { BatchManagement:
    create(command: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>>
        => [account(&command.account)];
    upload(command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>>
        => [account(&command.account)];
    edit(command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>>
        => [account(&command.account)];
    cancel(command: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>>
        => [account(&command.account)];
}

routes! { BatchProcessing:
    claim(command: ClaimCommand) -> Result<Vec<Lease>, StoreError> => [with(claim)];
    start(command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>>
        => [account(&command.lease.account)];
    start_payments(command: StartPaymentsCommand) -> Result<Vec<Payment>, ProcessingError<Infallible>>
        => [account(&command.lease.account)];
    due(lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError> => [account(&lease.account)];
    record(command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>>
        => [account(&command.lease.account)];
    renew(lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError> => [account(&lease.account)];
    release(lease: &Lease) -> Result<(), StoreError> => [account(&lease.account)];
}

routes! { BatchReading:
    find(account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchSummary>, StoreError>
        => [account(account)];
    list(account: &AccountId, filter: BatchFilter, page: PageRequest) -> Result<Page<BatchSummary>, StoreError>
        => [account(account)];
    payments(
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
        page: PageRequest
    ) -> Result<Option<Page<Payment>>, StoreError>
        => [account(account)];
    alerts(
        account: &AccountId,
        batch: PaymentBatchId,
        filter: AlertFilter,
        page: PageRequest
    ) -> Result<Option<Page<Alert>>, StoreError>
        => [account(account)];
    content(
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter
    ) -> Result<Option<BatchContent>, StoreError>
        => [account(account)];
    funds(account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchFunds>, StoreError>
        => [account(account)];
    funding(account: &AccountId) -> Result<FundingBudgets, StoreError> => [account(account)];
}

routes! { PaymentBatches:
    confirm(command: ConfirmCommand) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>>
        => [account(&command.account)];
}

routes! { SandboxBankStorage:
    accept(account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError>
        => [account(account)];
    find(account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError>
        => [account(account)];
}

routes! { MfaSessions:
    open(command: OpenMfaSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>>
        => [account(&command.account)];
    enrolment(account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError> => [account(account)];
}

/// Leases batches of all cells in turn. First each cell has an equal share, so that a long queue in one cell does not
/// delay the others. The rest of the maximum is for the cells with more work.
async fn claim(cells: &Cells, command: ClaimCommand) -> Result<Vec<Lease>, StoreError> {
    let count = u32::try_from(cells.open_cells().count()).unwrap_or(u32::MAX);
    let (mut leases, mut failure) = (Vec::new(), cells.unopened());
    for share in [command.max.div_ceil(count), command.max] {
        for cell in cells.in_turn() {
            let left = command.max.saturating_sub(u32::try_from(leases.len()).unwrap_or(u32::MAX));
            let command = ClaimCommand { max: share.min(left), ..command.clone() };
            if command.max == 0 {
                break;
            }
            match BatchProcessing::claim(&*cell.store, command).await {
                Ok(mut more) => leases.append(&mut more),
                Err(error) => failure = Some(log_failure(cell, error)),
            }
        }
    }
    done_or_failure(leases, failure, Vec::is_empty)
}
