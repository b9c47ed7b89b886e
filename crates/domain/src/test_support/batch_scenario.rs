//! A test scenario: one payment batch, and the budgets that fund it.

use super::ids::{BUDGET, CLIENT, CountingIds, account, noon};
use super::money::{currency, shown};
use super::payment::{check_basis, upload_of};
use crate::batch::{
    Alert, BatchBalances, BatchEdit, BulkStatus, CancelDecision, CancelRefusal, CancelSituation, ConfirmDecision,
    ConfirmRefusal, ConfirmSituation, ConfirmedBatch, CreateRequest, FundingBudgets, IllegalBatchTransition, MfaProof,
    Payment, PaymentBatch, PaymentInput, PaymentOutcome, PaymentReport, PaymentStatus, Reported, SettleDecision,
    SettleRefusal, SettleSituation, UploadDecision, UploadRefusal, UploadSituation, decide_cancel, decide_confirm,
    decide_create, decide_edit, decide_settle, decide_start, decide_start_payments, decide_upload,
};
use crate::budget::BudgetRecord;
use crate::event::Event;
use crate::ids::PaymentBatchId;
use crate::ledger::{Balances, JournalTransaction};
use crate::mfa::{MfaSession, TotpEnrolment};
use crate::money::{Currency, Minor};
use crate::stamp::Stamp;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// A payment batch under test. Its methods call the rules and store their decisions, like an adapter.
#[derive(Clone, Debug)]
pub struct BatchScenario {
    /// The batch. It begins as an empty draft.
    pub batch: PaymentBatch,
    /// Its payments by input index.
    pub payments: Vec<Payment>,
    /// The alerts of its last upload.
    pub alerts: Vec<Alert>,
    /// The budgets that can pay.
    pub funding: FundingBudgets,
    /// The balances of the budgets.
    pub balances: BatchBalances,
    /// Whether the account requires multi-factor authentication for confirmations.
    pub mfa_required: bool,
    /// The MFA session that confirmations name.
    pub session: Option<MfaSession>,
    /// The account's TOTP enrolment.
    pub enrolment: Option<TotpEnrolment>,
    /// Every journal transaction, oldest first.
    pub journal: Vec<JournalTransaction>,
    /// Every event, oldest first.
    pub events: Vec<Event>,
    /// The current time of the scenario.
    pub now: DateTime<Utc>,
    ids: CountingIds,
}

impl BatchScenario {
    /// Creates a scenario with an empty draft and one budget. This budget pays for rows that name no budget.
    pub fn of(budget: impl Into<BudgetRecord>) -> Self {
        let (ids, now) = (CountingIds::starting_at(1000), noon());
        let request = CreateRequest {
            id: PaymentBatchId(Uuid::from_u128(0xba)),
            account: account(),
            client: CLIENT,
            name: None,
            visible: true,
            payments: None,
        };
        let created = decide_create(&FundingBudgets::new(), &request, &Stamp { now, ids: ids.source() }).unwrap();
        let scenario = Self {
            batch: created.batch,
            payments: Vec::new(),
            alerts: Vec::new(),
            funding: FundingBudgets::new(),
            balances: BatchBalances::new(),
            mfa_required: false,
            session: None,
            enrolment: None,
            journal: Vec::new(),
            events: created.events,
            now,
            ids: ids.clone(),
        };
        scenario.and(budget)
    }

    /// Adds another budget.
    #[must_use]
    pub fn and(mut self, budget: impl Into<BudgetRecord>) -> Self {
        let budget = budget.into().budget;
        self.funding.insert(budget.id, budget.balances.iter().map(|(currency, _)| *currency).collect());
        self.balances.extend(budget.balances.iter().map(|(currency, balances)| ((budget.id, *currency), *balances)));
        self
    }

    /// Uploads payments, which replace all earlier ones.
    pub fn upload(&mut self, inputs: impl IntoIterator<Item = PaymentInput>) -> Result<UploadDecision, UploadRefusal> {
        let request = upload_of(inputs, check_basis(self.funding.clone()));
        let situation = UploadSituation { batch: self.batch.clone(), funding: self.funding.clone() };
        let done = decide_upload(&situation, &request, &self.stamp())?;
        (self.batch, self.payments, self.alerts) = (done.batch.clone(), done.payments.clone(), done.alerts.clone());
        self.events.extend(done.events.clone());
        Ok(done)
    }

    /// Renames, hides or unhides the batch.
    pub fn edit(&mut self, edit: &BatchEdit) {
        self.batch = decide_edit(&self.batch, edit, self.now);
    }

    /// Confirms the batch without multi-factor authentication.
    pub fn confirm(&mut self) -> Result<ConfirmedBatch, ConfirmRefusal> {
        self.confirm_with(None).result
    }

    /// Confirms the batch with a proof of multi-factor authentication.
    pub fn confirm_with(&mut self, proof: Option<&MfaProof>) -> ConfirmDecision {
        let situation = self.confirm_situation();
        let decision = decide_confirm(&situation, proof, CLIENT, &self.stamp());
        if let Ok(done) = &decision.result {
            self.save(Some(&done.batch), &done.journal, &done.balances, &done.events);
            self.set_payments(done.payments);
        }
        self.session = decision.session.clone().or_else(|| self.session.take());
        self.enrolment = decision.enrolment.clone().or_else(|| self.enrolment.take());
        decision
    }

    /// Returns the situation for a confirmation.
    pub fn confirm_situation(&self) -> ConfirmSituation {
        ConfirmSituation {
            batch: self.batch.clone(),
            session: self.session.clone(),
            enrolment: self.enrolment.clone(),
            mfa_required: self.mfa_required,
            balances: self.balances.clone(),
        }
    }

    /// Cancels the batch.
    pub fn cancel(&mut self) -> Result<CancelDecision, CancelRefusal> {
        let situation = CancelSituation { batch: self.batch.clone(), balances: self.balances.clone() };
        let done = decide_cancel(&situation, &self.stamp())?;
        self.save(Some(&done.batch), &done.journal, &done.balances, &done.events);
        self.set_payments(done.payments);
        Ok(done)
    }

    /// Starts a confirmed batch.
    pub fn start(&mut self) -> Result<(), IllegalBatchTransition> {
        let done = decide_start(&self.batch, &self.stamp())?;
        self.save(Some(&done.batch), &[], &BatchBalances::new(), &done.events);
        Ok(())
    }

    /// Starts at most `max` confirmed payments of a started batch, like a worker before it sends them to the bank.
    pub fn start_payments(&mut self, max: usize) {
        let confirmed = self.payments.iter().filter(|payment| payment.status() == PaymentStatus::Confirmed);
        let next: Vec<_> = confirmed.take(max).cloned().collect();
        let ask_at = self.now + TimeDelta::seconds(30);
        let done = decide_start_payments(&self.batch, &next, ask_at, &self.stamp());
        self.events.extend(done.events);
        self.save_payments(&done.payments);
    }

    /// Reports outcomes of payments, each identified by its input index.
    pub fn report(&mut self, outcomes: &[(usize, PaymentOutcome)]) -> Result<SettleDecision, SettleRefusal> {
        let report = |&(index, outcome): &(usize, _)| {
            let report = PaymentReport { outcome, ask_again_at: None };
            Reported { payment: self.payments[index].id, report }
        };
        let reports: Vec<_> = outcomes.iter().map(report).collect();
        let situation = self.settle_situation(&reports);
        let done = decide_settle(&situation, &reports, &self.stamp())?;
        self.save(done.batch.as_ref(), &done.journal, &done.balances, &done.events);
        self.save_payments(&done.payments);
        Ok(done)
    }

    /// Returns the situation for these reports.
    pub fn settle_situation(&self, reports: &[Reported]) -> SettleSituation {
        let named = |payment: &&Payment| reports.iter().any(|reported| reported.payment == payment.id);
        let in_status = |status| self.payments.iter().filter(|payment| payment.status() == status).count() as u64;
        SettleSituation {
            batch: self.batch.clone(),
            payments: self.payments.iter().filter(named).cloned().collect(),
            open: self.payments.iter().filter(|payment| !payment.status().is_final()).count() as u64,
            completed: in_status(PaymentStatus::Completed),
            returned: in_status(PaymentStatus::Returned),
            balances: self.balances.clone(),
            budget_names: self.funding.keys().map(|budget| (*budget, "Main".to_owned())).collect(),
            number: 1,
        }
    }

    /// Advances the clock of the scenario.
    pub fn wait(&mut self, time: TimeDelta) {
        self.now += time;
    }

    /// Returns the available balance of the default budget in a currency, such as `40.00 GBP`.
    pub fn available(&self, code: &str) -> String {
        self.of_default(code, Balances::available)
    }

    /// Returns the reserved balance of the default budget in a currency.
    pub fn reserved(&self, code: &str) -> String {
        self.of_default(code, Balances::reserved)
    }

    /// Returns the ledger balance of the default budget in a currency.
    pub fn ledger(&self, code: &str) -> String {
        self.of_default(code, Balances::ledger)
    }

    fn of_default(&self, code: &str, pool: impl Fn(&Balances) -> Minor) -> String {
        let currency: Currency = currency(code);
        shown(pool(&self.balances[&(BUDGET, currency)]), currency)
    }

    /// Returns a stamp for the next decision.
    pub fn stamp(&self) -> Stamp<'_> {
        Stamp { now: self.now, ids: self.ids.source() }
    }

    fn save(
        &mut self,
        batch: Option<&PaymentBatch>,
        journal: &[JournalTransaction],
        balances: &BatchBalances,
        events: &[Event],
    ) {
        if let Some(batch) = batch {
            self.batch = batch.clone();
        }
        self.journal.extend_from_slice(journal);
        self.balances.extend(balances.clone());
        self.events.extend_from_slice(events);
    }

    fn set_payments(&mut self, all: BulkStatus) {
        for payment in &mut self.payments {
            all.apply(payment, self.batch.updated_at);
        }
    }

    fn save_payments(&mut self, changed: &[Payment]) {
        for payment in changed {
            let place = usize::try_from(payment.index).unwrap();
            self.payments[place] = payment.clone();
        }
    }
}
