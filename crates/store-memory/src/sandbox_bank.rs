//! Storage of the simulated bank.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, PaymentId};
use florin_ports::{AcceptedPayment, SandboxBankStorage, StoreError};

#[async_trait]
impl SandboxBankStorage for MemoryStore {
    async fn accept(&self, account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError> {
        self.change(|data| {
            if !data.accounts.contains_key(account) {
                return Err(StoreError::NotFound(format!("account {account}")));
            }
            Ok(data.sandbox_bank.entry(payment.id).or_insert(payment).clone())
        })
    }

    async fn find(&self, _account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError> {
        Ok(self.read(|data| data.sandbox_bank.get(&payment).cloned()))
    }
}
