//! Actions on sessions. Each action first applies the steps that are due.

use super::settle::find_session;
use crate::CheckoutServices;
use florin_domain::access::Account;
use florin_domain::checkout::{
    CheckoutSession, SessionAction, SessionRefusal, SessionSituation, SessionStage, decide_session,
};
use florin_domain::ids::CheckoutSessionId;
use florin_ports::{IdempotencyClaim, Mode, SessionCommand, WriteError, Written};
use std::sync::Arc;

/// Applies an action to a session or top-up. `Absent`: the account has none with this id.
pub async fn act_on_session(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    action: SessionAction,
    mode: Mode,
    claim: Option<IdempotencyClaim<CheckoutSession>>,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    find_session(services, account, session).await?.ok_or(WriteError::Absent)?;
    let clock = services.clock_of(account).await?;
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| decide_session(situation, &action, stamp)));
    services.sessions.act(SessionCommand { account: account.id.clone(), session, decide, mode, claim }).await
}

/// Applies an action of a payer who saw the session at `stage`. If the session is at another stage by now, only due
/// steps are applied. `Absent`: the account has no session or top-up with this id.
pub async fn act_at_stage(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    stage: SessionStage,
    action: SessionAction,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    let clock = services.clock_of(account).await?;
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| stage.decide(situation, &action, stamp)));
    let command = SessionCommand { account: account.id.clone(), session, decide, mode: Mode::Commit, claim: None };
    services.sessions.act(command).await
}
