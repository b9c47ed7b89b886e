//! Shared parts of the operations on accounts.

use crate::declare::{named, parameters};
use crate::views::AccountParts;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::ids::AccountId;

pub(super) const READ: Requirement = Requirement::of(Scope::AccountsRead);

parameters! {
    /// Path parameter: an account.
    pub(crate) struct AccountPath in Path {
        /// The id of the account.
        "accountId" => id: AccountId,
    }
}

/// An optional part of responses about accounts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Included {
    /// The addresses of the account, an empty list.
    Addresses,
    /// The currencies of the account.
    Currencies,
    /// The features of the account. Every response has them, requested or not.
    Features,
    /// The settings of the account.
    Settings,
}

impl Included {
    const ALL: [Self; 4] = [Self::Addresses, Self::Currencies, Self::Features, Self::Settings];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Addresses => "addresses",
            Self::Currencies => "currencies",
            Self::Features => "features",
            Self::Settings => "settings",
        }
    }
}

named! {
    Included: Included::ALL, Included::as_str;
}

parameters! {
    /// The optional parts of a response about accounts.
    pub(crate) struct AccountIncludeParameter in Query {
        /// Parts to add to the response, separated by commas: `addresses` (always empty), `currencies`, `settings`.
        /// `features` is part of every response.
        "include" => parts: Vec<Included>,
    }
}

impl AccountIncludeParameter {
    /// Returns the requested parts.
    pub(super) fn parts(&self) -> AccountParts {
        let has = |part| self.parts.contains(&part);
        AccountParts {
            addresses: has(Included::Addresses),
            currencies: has(Included::Currencies),
            settings: has(Included::Settings),
        }
    }
}
