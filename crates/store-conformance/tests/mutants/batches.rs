//! Bugs in payment batches.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::{
    Alert, AlertFilter, BatchContent, BatchFilter, BatchSummary, BulkStatus, CancelRefusal, CancelSituation, Direction,
    FundingBudgets, IllegalBatchTransition, Payment, PaymentBatch, PaymentFilter, SettleDecision, SettleRefusal,
    SettleSituation, StartPaymentsDecision, StartPaymentsSituation, UploadRefusal,
};
use florin_domain::ids::{AccountId, PaymentBatchId, PaymentId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    AcceptedPayment, BatchFunds, BatchManagement, BatchProcessing, BatchReading, CancelBatchCommand, ClaimCommand,
    CreateBatchCommand, EditBatchCommand, Lease, ProcessingError, RecordCommand, SandboxBankStorage, Seeding,
    StartCommand, StartPaymentsCommand, StoreError, UploadCommand, WriteError, Written,
};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

#[async_trait]
impl BatchManagement for Mutant {
    async fn create(
        &self,
        mut command: CreateBatchCommand,
    ) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>> {
        if self.has(Bug::CreationEventsLost) {
            let rule = command.decide;
            command.decide = Arc::new(move |funding: &FundingBudgets| {
                let mut decision = rule(funding)?;
                decision.events.clear();
                Ok(decision)
            });
        }
        command.claim = self.claim(command.claim);
        let answer = self.inner.create(command).await;
        self.has_failed.fetch_or(answer.is_err(), Ordering::Relaxed);
        answer
    }

    async fn upload(&self, mut command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
        command.claim = self.claim(command.claim);
        let (account, batch) = (command.account.clone(), command.batch);
        let answer = self.inner.upload(command).await;
        if self.has(Bug::RefusedUploadRenames) && matches!(answer, Err(WriteError::Refused(_))) {
            let decide = Arc::new(|batch: &PaymentBatch| PaymentBatch { name: "refused".into(), ..batch.clone() });
            self.inner.edit(EditBatchCommand { account, batch, decide, claim: None }).await.unwrap();
        }
        answer
    }

    async fn edit(&self, mut command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>> {
        command.claim = self.claim(command.claim);
        self.inner.edit(command).await
    }

    async fn cancel(
        &self,
        mut command: CancelBatchCommand,
    ) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
        let (rule, bug) = (command.decide, self.bug);
        command.claim = self.claim(command.claim);
        command.decide = Arc::new(move |situation: &CancelSituation| {
            let mut decision = rule(situation)?;
            match bug {
                Some(Bug::EventsOfCancellingLost) => decision.events.clear(),
                Some(Bug::CancelLeavesPayments) => decision.payments = BulkStatus::Confirmed,
                Some(Bug::CancelKeepsTheMoney) => {
                    decision.journal.clear();
                    decision.balances.clear();
                }
                _ => {}
            }
            Ok(decision)
        });
        self.inner.cancel(command).await
    }
}

#[async_trait]
impl BatchReading for Mutant {
    async fn find(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchSummary>, StoreError> {
        let mut found = BatchReading::find(&self.inner, account, batch).await?;
        if self.has(Bug::NoTenantFilterOnBatches) {
            for other in florin_ports::Registry::accounts(&self.inner).await? {
                found = found.or(BatchReading::find(&self.inner, &other.id, batch).await?);
            }
        }
        if self.has(Bug::AllAlertsShown)
            && let Some(found) = &mut found
        {
            let content = self.inner.content(account, batch, PaymentFilter::default()).await?;
            found.alerts = content.unwrap().alerts;
        }
        Ok(found)
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BatchFilter,
        page: PageRequest,
    ) -> Result<Page<BatchSummary>, StoreError> {
        BatchReading::list(&self.inner, account, filter, page).await
    }

    async fn payments(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        mut filter: PaymentFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Payment>>, StoreError> {
        if self.has(Bug::PaymentsOneWay) {
            filter.direction = Direction::Ascending;
        }
        let mut found = self.inner.payments(account, batch, filter.clone(), page).await?;
        if self.has(Bug::PaymentsOfTheFirstAccount) && found.is_some() {
            let first = self.inner.payments(&AccountId::parse("F1").unwrap(), batch, filter, page).await?;
            found = first.or(found);
        }
        if self.has(Bug::PaymentCountFollowsThePage)
            && let Some(page) = &mut found
        {
            page.count = i64::try_from(page.rows.len()).unwrap();
        }
        Ok(found)
    }

    async fn alerts(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: AlertFilter,
        page: PageRequest,
    ) -> Result<Option<Page<Alert>>, StoreError> {
        let mut found = self.inner.alerts(account, batch, filter, page).await?;
        if let Some(found) = found.as_mut().filter(|found| self.has(Bug::AlertsOutOfOrder) && found.count > 0) {
            found.rows.rotate_left(1);
        }
        Ok(found)
    }

    async fn content(
        &self,
        account: &AccountId,
        batch: PaymentBatchId,
        filter: PaymentFilter,
    ) -> Result<Option<BatchContent>, StoreError> {
        self.inner.content(account, batch, filter).await
    }

    async fn funds(&self, account: &AccountId, batch: PaymentBatchId) -> Result<Option<BatchFunds>, StoreError> {
        let mut found = self.inner.funds(account, batch).await?;
        if let Some(funds) = found.as_mut().filter(|_| self.has(Bug::FundsOfAll)) {
            for budget in Seeding::budgets(&self.inner, account).await? {
                funds
                    .balances
                    .extend(budget.balances.into_iter().map(|(currency, held)| ((budget.id, currency), held)));
            }
        }
        Ok(found)
    }

    async fn funding(&self, account: &AccountId) -> Result<FundingBudgets, StoreError> {
        let mut found = self.inner.funding(account).await?;
        if self.has(Bug::FundingOfAll) {
            for budget in Seeding::budgets(&self.inner, account).await? {
                found.insert(budget.id, budget.balances.into_iter().map(|(currency, _)| currency).collect());
            }
        }
        Ok(found)
    }
}

impl Mutant {
    /// Returns the presented lease, or, with [`Bug::LostLeaseWrites`], the current one.
    fn lease(&self, shown: Lease) -> Lease {
        let leases = self.leases.lock().unwrap();
        let held = leases.get(&shown.batch).filter(|_| self.has(Bug::LostLeaseWrites));
        held.cloned().unwrap_or(shown)
    }
}

#[async_trait]
impl BatchProcessing for Mutant {
    async fn claim(&self, mut command: ClaimCommand) -> Result<Vec<Lease>, StoreError> {
        if self.has(Bug::ClaimsLate) {
            command.now -= TimeDelta::seconds(1);
        }
        if self.has(Bug::LeasesNotExclusive) {
            let held: Vec<_> = self.leases.lock().unwrap().values().cloned().collect();
            for lease in held {
                self.inner.release(&lease).await?;
            }
        }
        let leases = self.inner.claim(command).await?;
        self.leases.lock().unwrap().extend(leases.iter().map(|lease| (lease.batch, lease.clone())));
        Ok(leases)
    }

    async fn start(&self, mut command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>> {
        command.lease = self.lease(command.lease);
        self.inner.start(command).await
    }

    async fn start_payments(
        &self,
        mut command: StartPaymentsCommand,
    ) -> Result<Vec<Payment>, ProcessingError<Infallible>> {
        if !self.has(Bug::StartedPaymentsNotStored) {
            return self.inner.start_payments(command).await;
        }
        let (rule, decided) = (command.decide, Arc::new(Mutex::new(Vec::new())));
        let sink = Arc::clone(&decided);
        command.decide = Arc::new(move |situation: &StartPaymentsSituation| {
            *sink.lock().unwrap() = rule(situation).payments;
            StartPaymentsDecision { payments: vec![], events: vec![] }
        });
        self.inner.start_payments(command).await?;
        let decided = decided.lock().unwrap().clone();
        Ok(decided)
    }

    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError> {
        self.inner.due(lease, now, max).await
    }

    async fn record(&self, mut command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>> {
        if self.has(Bug::RecordOfAnyPayment) {
            let rule = command.decide;
            let found = BatchReading::content(
                &self.inner,
                &command.lease.account,
                command.lease.batch,
                PaymentFilter::default(),
            );
            let all = found.await?.map_or_else(Vec::new, |content| content.payments);
            command.decide = Arc::new(move |situation: &SettleSituation| {
                rule(&SettleSituation { payments: all.clone(), ..situation.clone() })
            });
        }
        self.inner.record(command).await
    }

    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError> {
        self.inner.renew(lease, until).await
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.inner.release(lease).await
    }
}

#[async_trait]
impl SandboxBankStorage for Mutant {
    async fn accept(&self, account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        let given = payment.clone();
        let known = florin_ports::Registry::accounts(&self.inner).await?.into_iter().next().map(|account| account.id);
        let any = known.filter(|_| self.has(Bug::BankServesAbsentAccounts));
        let remembered = self.inner.accept(any.as_ref().unwrap_or(account), payment).await?;
        Ok(if self.has(Bug::BankForgetsTheFirst) { given } else { remembered })
    }

    async fn find(&self, account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        let mut found = SandboxBankStorage::find(&self.inner, account, payment).await?;
        if let Some(found) = found.as_mut().filter(|_| self.has(Bug::EmptyReferencesAreMissing)) {
            found.reference = found.reference.take().filter(|text| !text.is_empty());
        }
        Ok(found)
    }
}
