//! The demo data, which is stored in a new sandbox and in worlds with the template `demo`.
//!
//! Ids and keys are fixed and public, so that examples work as printed. Times are relative to the time of seeding.
//! Production refuses the demo data. This module does no I/O: [`seed_data`] builds the data, and the seeding port
//! stores it.

mod accounts;
mod banks;
mod batches;
mod budgets;
mod cards;
mod checkout_sessions;
mod checkouts;
mod ids;
mod keys;
mod merchants;
mod people;
mod recipients;
#[cfg(test)]
mod tests;

pub use accounts::{bare, filled};
pub use cards::has_limits;
pub use checkout_sessions::top_up_id;
pub use ids::{ACCOUNT, OTHER_ACCOUNT, PLAIN_ACCOUNT, client_id, parent_budget_id};
pub use keys::{API_KEY, LIMITED_API_KEY, OTHER_API_KEY, totp_secret};

use crate::PageTokenMaker;
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use florin_domain::fault::Flaw;
use florin_domain::ids::AccountId;
use florin_domain::ledger::AmountOutOfRange;
use florin_ports::{SecretCipher, SecretError, SeedData, StoreError};

/// Reasons that the demo data can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DemoFault {
    /// The data violates a rule of the domain, which is a bug of this module.
    #[error("invalid demo data: {0}")]
    Rule(String),
    /// A secret can't be encrypted.
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl From<DemoFault> for StoreError {
    fn from(fault: DemoFault) -> Self {
        match fault {
            DemoFault::Rule(_) => Self::Corrupt(fault.to_string()),
            DemoFault::Secret(error) => error.into(),
        }
    }
}

impl From<Flaw> for DemoFault {
    fn from(flaw: Flaw) -> Self {
        Self::Rule(flaw.message.into_owned())
    }
}

impl From<AmountOutOfRange> for DemoFault {
    fn from(fault: AmountOutOfRange) -> Self {
        Self::Rule(fault.to_string())
    }
}

/// The parts of the store's secrets that the demo data uses.
#[derive(Clone, Copy)]
pub struct DemoSecrets<'a> {
    /// Encrypts the TOTP secret.
    pub cipher: &'a dyn SecretCipher,
    /// Derives the tokens of payment pages.
    pub page_tokens: &'a PageTokenMaker,
}

/// The id of the main demo account.
pub fn account() -> Result<AccountId, DemoFault> {
    Ok(AccountId::parse(ACCOUNT)?)
}

/// Builds all demo data, as if the accounts had been used for some days before `now`.
pub fn seed_data(now: DateTime<Utc>, secrets: DemoSecrets<'_>) -> Result<SeedData, DemoFault> {
    let now = now.trunc_subsecs(0);
    Ok(SeedData {
        clients: accounts::clients(),
        keys: keys::keys(now - TimeDelta::days(30)),
        accounts: accounts::accounts(now, secrets)?,
        banks: banks::banks()?,
    })
}
