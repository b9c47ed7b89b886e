//! The endpoints of accounts that decide on card messages. They are stored with the accounts.

use crate::MemoryStore;
use crate::webhooks::under_claim;
use async_trait::async_trait;
use florin_domain::card::{DecisionEndpoint, EndpointChange, EndpointRefusal};
use florin_domain::ids::AccountId;
use florin_ports::{DecisionEndpoints, EndpointCommand, StoreError, WriteError, Written};
use std::sync::Arc;

#[async_trait]
impl DecisionEndpoints for MemoryStore {
    async fn endpoint(&self, account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError> {
        let endpoint = |data: &crate::data::Data| data.accounts.get(account)?.decision_endpoint.as_deref().cloned();
        Ok(self.read(endpoint))
    }

    async fn change_endpoint(
        &self,
        command: EndpointCommand,
    ) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>> {
        self.decide(|data| {
            if !data.accounts.contains_key(&command.account) {
                return Err(WriteError::Absent);
            }
            under_claim(data, command.claim.as_ref(), |data| {
                let account = data.accounts.get_mut(&command.account).ok_or(WriteError::Absent)?;
                let current = account.decision_endpoint.as_deref().cloned();
                let change = (command.decide)(&current).map_err(WriteError::Refused)?;
                account.decision_endpoint = change.endpoint.clone().map(Arc::new);
                Ok(change)
            })
        })
    }
}
