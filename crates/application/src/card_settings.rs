//! Changes the card settings of an account (contract 5.7).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::card::{CardSettings, HoldLife, OverClearing};
use florin_ports::{CardSettingsCommand, IdempotencyClaim, WriteError, Written};
use std::convert::Infallible;
use std::sync::Arc;

/// Sets how long new holds of the account last. Existing holds keep their life.
pub async fn set_hold_life(
    services: &ManagementServices,
    account: &Account,
    hold_life: HoldLife,
    claim: Option<IdempotencyClaim<CardSettings>>,
) -> Result<Written<CardSettings>, WriteError<Infallible>> {
    let change = move |settings: &CardSettings| CardSettings { hold_life: hold_life.clone(), ..settings.clone() };
    let command = CardSettingsCommand { account: account.id.clone(), decide: Arc::new(change), claim };
    services.cards.set_settings(command).await
}

/// Sets which clearings above their hold are refused on the account.
pub async fn set_over_clearing(
    services: &ManagementServices,
    account: &Account,
    over_clearing: OverClearing,
    claim: Option<IdempotencyClaim<CardSettings>>,
) -> Result<Written<CardSettings>, WriteError<Infallible>> {
    let change = move |settings: &CardSettings| CardSettings { over_clearing, ..settings.clone() };
    let command = CardSettingsCommand { account: account.id.clone(), decide: Arc::new(change), claim };
    services.cards.set_settings(command).await
}
