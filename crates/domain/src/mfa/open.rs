//! Opening an MFA session for a batch.

use super::{MfaProviderName, MfaSession, TotpEnrolment};
use crate::batch::{BatchMove, IllegalMove, PaymentBatch};
use crate::ids::{ClientId, MfaSessionId};
use chrono::{DateTime, Utc};

/// What an adapter loads.
#[derive(Clone, Debug)]
pub struct OpenSituation {
    /// The batch to confirm.
    pub batch: PaymentBatch,
    /// The account's TOTP enrolment, if it has one.
    pub enrolment: Option<TotpEnrolment>,
}

/// Who wants a session of whom.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest {
    /// The id of the session.
    pub id: MfaSessionId,
    /// The caller.
    pub client: ClientId,
    /// Who is to check the token.
    pub provider: MfaProviderName,
    /// Now.
    pub now: DateTime<Utc>,
}

/// Why no session is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenRefusal {
    /// The batch can't be confirmed as it stands.
    #[error(transparent)]
    State(#[from] IllegalMove),
    /// The account has no TOTP secret.
    #[error("the account is not enrolled for {0}")]
    NotEnrolled(MfaProviderName),
}

/// Decides whether a session is opened. A locked account may open one: it answers that it is locked when it is used.
pub fn decide_open(situation: &OpenSituation, request: &OpenRequest) -> Result<MfaSession, OpenRefusal> {
    let batch = &situation.batch;
    batch.status.after(BatchMove::Confirm)?;
    match request.provider {
        // Every account counts as enrolled with the scripted provider.
        MfaProviderName::Sandbox => {}
        MfaProviderName::Totp if situation.enrolment.is_some() => {}
        MfaProviderName::Totp => return Err(OpenRefusal::NotEnrolled(request.provider)),
    }
    let OpenRequest { id, client, provider, now } = *request;
    Ok(MfaSession::open(id, client, batch.account.clone(), batch.id, provider, now))
}
