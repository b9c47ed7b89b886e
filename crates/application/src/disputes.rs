//! Opens disputes of card transactions, and applies actions to them (contract 5.7).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::card::DisputeAction;
use florin_domain::card::decide::{DisputeDone, DisputeRefusal, DisputeRequest, decide_dispute, decide_new_dispute};
use florin_domain::ids::{DisputeId, TransactionToken};
use florin_ports::{DisputeCommand, IdempotencyClaim, Mode, OpenDisputeCommand, WriteError, Written};
use std::sync::Arc;

/// Opens a dispute of a transaction of the account.
pub async fn open_dispute(
    services: &Services,
    account: &Account,
    (transaction, request): (TransactionToken, DisputeRequest),
    mode: Mode,
    claim: Option<IdempotencyClaim<DisputeDone>>,
) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = OpenDisputeCommand {
        account: account.id.clone(),
        transaction,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_new_dispute(situation, &request, stamp))),
        mode,
        claim,
    };
    services.disputes.open(command).await
}

/// Applies an action to a dispute of the account.
pub async fn act_on_dispute(
    services: &Services,
    account: &Account,
    (dispute, action): (DisputeId, DisputeAction),
    mode: Mode,
    claim: Option<IdempotencyClaim<DisputeDone>>,
) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
    let clock = services.clock_of(account).await?;
    let command = DisputeCommand {
        account: account.id.clone(),
        dispute,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_dispute(situation, &action, stamp))),
        mode,
        claim,
    };
    services.disputes.act(command).await
}
