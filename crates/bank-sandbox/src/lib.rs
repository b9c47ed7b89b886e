//! The simulated banks of the sandbox. They move no money.
//!
//! [`SandboxBank`] carries out the payments of batches: it stores the payments that it receives, and reports the
//! outcome that each payment's `reference` selects. [`SandboxPayerBanks`] are the banks that payers and merchants visit
//! to authorise a payment or refund. The visitors select the outcome themselves.

mod script;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::batch::{PaymentInstruction, PaymentReport};
use florin_domain::checkout::{BankVisit, PayerDecision, PaymentProgress};
use florin_domain::ids::{AccountId, MerchantPaymentId, PaymentId};
use florin_ports::{
    AcceptedPayment, BankUnavailable, Clock, DecisionPlace, PaymentInitiation, PaymentRail, PaymentStart,
    RailUnavailable, SandboxBankStorage, SimulatedBank, StoreError,
};
use std::sync::Arc;

/// The simulated bank that carries out payments of batches.
#[derive(Clone)]
pub struct SandboxBank {
    storage: Arc<dyn SandboxBankStorage>,
    clock: Arc<dyn Clock>,
}

impl SandboxBank {
    /// Creates a bank. All instances on one store share the bank's storage.
    pub fn new(storage: Arc<dyn SandboxBankStorage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }
}

#[async_trait]
impl PaymentRail for SandboxBank {
    async fn send(&self, instruction: PaymentInstruction) -> Result<PaymentReport, RailUnavailable> {
        let now = self.clock.now();
        let PaymentInstruction { account, id, amount, reference, .. } = instruction;
        let payment = AcceptedPayment { id, amount, reference, accepted_at: now };
        let accepted = self.storage.accept(&account, payment).await.map_err(|error| unavailable(&error))?;
        Ok(script::report(&accepted, now))
    }

    async fn ask(&self, account: &AccountId, payment: PaymentId) -> Result<Option<PaymentReport>, RailUnavailable> {
        let accepted = self.storage.find(account, payment).await.map_err(|error| unavailable(&error))?;
        Ok(accepted.map(|accepted| script::report(&accepted, self.clock.now())))
    }
}

/// The banks of payers in the sandbox: one simulated bank under all names. Its visitors decide on a page of Florin, and
/// select what the bank reports and when. So the bank stores nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxPayerBanks;

#[async_trait]
impl PaymentInitiation for SandboxPayerBanks {
    async fn start(&self, _: PaymentStart) -> Result<DecisionPlace, BankUnavailable> {
        Ok(DecisionPlace::Here)
    }

    async fn progress(
        &self,
        _: &AccountId,
        _: MerchantPaymentId,
        _: DateTime<Utc>,
    ) -> Result<PaymentProgress, BankUnavailable> {
        // A decision is stored together with its report. So a payment without a report is undecided.
        Ok(PaymentProgress::Undecided)
    }
}

impl SimulatedBank for SandboxPayerBanks {
    fn visit(&self, visit: BankVisit, now: DateTime<Utc>) -> PayerDecision {
        visit.decision(now)
    }
}

fn unavailable(error: &StoreError) -> RailUnavailable {
    RailUnavailable(error.to_string())
}
