//! Opens an MFA session for a batch (contract 3.2).

use crate::Services;
use florin_domain::access::{Account, Caller};
use florin_domain::ids::{MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{MfaProviderName, MfaSession, OpenRefusal, OpenRequest, decide_open};
use florin_ports::{IdempotencyClaim, OpenMfaSessionCommand, WriteError, Written};
use std::sync::Arc;

/// A client's request to open an MFA session.
#[derive(Clone, Copy, Debug)]
pub struct OpenMfaSessionRequest {
    /// The batch to confirm.
    pub batch: PaymentBatchId,
    /// The provider that checks the token.
    pub provider: MfaProviderName,
}

/// Opens an MFA session for a batch of the account.
pub async fn open_mfa_session(
    services: &Services,
    caller: &Caller,
    account: &Account,
    request: OpenMfaSessionRequest,
    claim: Option<IdempotencyClaim<MfaSession>>,
) -> Result<Written<MfaSession>, WriteError<OpenRefusal>> {
    let clock = services.clock_of(account).await?;
    let open = OpenRequest {
        id: MfaSessionId(clock.next_id()),
        client: caller.client.id,
        provider: request.provider,
        now: clock.now(),
    };
    let command = OpenMfaSessionCommand {
        account: account.id.clone(),
        batch: request.batch,
        decide: Arc::new(move |situation| decide_open(situation, &open)),
        claim,
    };
    services.mfa_sessions.open(command).await
}
