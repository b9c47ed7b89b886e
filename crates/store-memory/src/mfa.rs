//! MFA sessions and enrolments.

use crate::MemoryStore;
use crate::data::{add, must_exist};
use crate::idempotency::once;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::mfa::{MfaSession, OpenRefusal, OpenSituation, TotpEnrolment};
use florin_ports::{MfaSessions, OpenMfaSessionCommand, StoreError, WriteError, Written};

#[async_trait]
impl MfaSessions for MemoryStore {
    async fn open(&self, command: OpenMfaSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let batch =
                    data.batches.get(&(command.account.clone(), command.batch)).ok_or(WriteError::Absent)?.clone();
                let enrolment = data.enrolments.get(&command.account).cloned();
                let session = (command.decide)(&OpenSituation { batch, enrolment }).map_err(WriteError::Refused)?;
                must_exist(data.clients.contains_key(&session.client), &session.client)?;
                add(&mut data.mfa_sessions, (session.account.clone(), session.id), session.clone())?;
                Ok(session)
            })
        })
    }

    async fn enrolment(&self, account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError> {
        Ok(self.read(|data| data.enrolments.get(account).cloned()))
    }
}
