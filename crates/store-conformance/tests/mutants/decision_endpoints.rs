//! Bugs in decision endpoints.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::card::{DecisionEndpoint, EndpointChange, EndpointRefusal, Fallback};
use florin_domain::ids::AccountId;
use florin_domain::secret::SealedSecret;
use florin_ports::{DecisionEndpoints, EndpointCommand, Registry, StoreError, WriteError, Written};
use std::sync::Arc;

#[async_trait]
impl DecisionEndpoints for Mutant {
    async fn endpoint(&self, account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError> {
        if self.has(Bug::EndpointsOfAnyAccount) {
            let all = self.inner.accounts().await?;
            return Ok(all.into_iter().find_map(|account| account.decision_endpoint.as_deref().cloned()));
        }
        self.inner.endpoint(account).await
    }

    async fn change_endpoint(
        &self,
        mut command: EndpointCommand,
    ) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>> {
        if self.has(Bug::EndpointRecordsMissing) {
            command.claim = None;
        }
        let (loses_fallback, renews_secrets) =
            (self.has(Bug::FallbackNotStored), self.has(Bug::EndpointSecretsReplaced));
        let decide = Arc::clone(&command.decide);
        command.decide = Arc::new(move |current| {
            let mut current = current.clone();
            if let Some(current) = current.as_mut().filter(|_| renews_secrets) {
                current.secrets = SealedSecret::new(vec![9]);
            }
            let mut change = decide(&current)?;
            if let Some(endpoint) = change.endpoint.as_mut().filter(|_| loses_fallback) {
                endpoint.settings.fallback = Fallback::default();
            }
            Ok(change)
        });
        self.inner.change_endpoint(command).await
    }
}

impl Mutant {
    /// Removes the endpoint of an account.
    pub(crate) async fn remove_endpoint(&self, account: &AccountId) -> Result<(), StoreError> {
        let decide = Arc::new(|_: &_| Ok(EndpointChange { endpoint: None, has_new_secret: false }));
        let command = EndpointCommand { account: account.clone(), decide, claim: None };
        match self.inner.change_endpoint(command).await {
            Err(WriteError::Store(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
