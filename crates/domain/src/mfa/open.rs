//! Opening an MFA session for a batch.

use super::{MfaProviderName, MfaSession, TotpEnrolment};
use crate::batch::{IllegalBatchTransition, PaymentBatch};
use crate::ids::{ClientId, MfaSessionId};
use chrono::{DateTime, Utc};

/// The situation for the opening of an MFA session. An adapter loads it.
#[derive(Clone, Debug)]
pub struct OpenSituation {
    /// The batch to confirm.
    pub batch: PaymentBatch,
    /// The account's TOTP enrolment. `None`: the account is not enrolled.
    pub enrolment: Option<TotpEnrolment>,
}

/// A request to open an MFA session.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest {
    /// The id of the new session.
    pub id: MfaSessionId,
    /// The client that sends the request.
    pub client: ClientId,
    /// The provider that will check the token.
    pub provider: MfaProviderName,
    /// The time of the request.
    pub now: DateTime<Utc>,
}

/// Reasons to refuse an MFA session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenRefusal {
    /// The state of the batch does not allow a confirmation.
    #[error(transparent)]
    State(#[from] IllegalBatchTransition),
    /// The account is not enrolled with the provider.
    #[error("must be a provider that the account is enrolled for (got {0})")]
    NotEnrolled(MfaProviderName),
}

/// Decides the opening of an MFA session. A locked account may open one, but its confirmations are refused as locked.
///
/// ```
/// use florin_domain::ids::MfaSessionId;
/// use florin_domain::mfa::{MfaProviderName, OpenRequest, OpenSituation, decide_open};
/// use florin_domain::test_support::{BatchScenario, CLIENT, a_budget, a_payment, noon};
/// use uuid::Uuid;
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// let situation = OpenSituation { batch: scenario.batch.clone(), enrolment: None };
/// let id = MfaSessionId(Uuid::from_u128(1));
/// let request = OpenRequest { id, client: CLIENT, provider: MfaProviderName::Sandbox, now: noon() };
/// assert_eq!(decide_open(&situation, &request).unwrap().batch, scenario.batch.id);
/// ```
pub fn decide_open(situation: &OpenSituation, request: &OpenRequest) -> Result<MfaSession, OpenRefusal> {
    let batch = &situation.batch;
    batch.must_allow_confirmation()?;
    match request.provider {
        // Every account counts as enrolled with this provider.
        MfaProviderName::Sandbox => {}
        MfaProviderName::Totp if situation.enrolment.is_some() => {}
        MfaProviderName::Totp => return Err(OpenRefusal::NotEnrolled(request.provider)),
    }
    let OpenRequest { id, client, provider, now } = *request;
    Ok(MfaSession::open(id, client, batch.account.clone(), batch.id, provider, now))
}
