//! Reads and changes the clock of an account.

use crate::checkout_sessions::settle_account_checkouts;
use crate::expire_holds::expire_holds_of;
use crate::{CheckoutServices, Services};
use florin_domain::access::Account;
use florin_domain::world::{ClockChange, ClockReading, ClockRefusal, decide_clock};
use florin_ports::{ClockCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Reads the clock of an account.
pub fn read_clock(services: &Services, account: &Account) -> ClockReading {
    ClockReading { clock: account.timeline.clock, now: services.time.now_of(account) }
}

/// Changes the clock of an account. Before it returns, it expires all holds that are now due, and applies the due steps
/// of checkout sessions and refunds.
pub async fn set_clock(
    (services, checkouts): (&Services, &CheckoutServices),
    account: &Account,
    change: ClockChange,
    claim: Option<IdempotencyClaim<ClockReading>>,
) -> Result<Written<ClockReading>, WriteError<ClockRefusal>> {
    let real = services.time.real_now();
    let command = ClockCommand {
        account: account.id.clone(),
        decide: Arc::new(move |clock| decide_clock(*clock, change, real)),
        claim,
    };
    let written = services.timelines.set_clock(command).await;
    services.accounts.forget(&account.id);
    let written = written?;
    // Do this for a repeated request, too: the first one may have been interrupted.
    if let Some(account) = services.accounts.find(&account.id).await? {
        expire_holds_of(services, &account.id, &account.timeline).await?;
        settle_account_checkouts(checkouts, &account.id, &account.timeline).await?;
    }
    Ok(written)
}
