//! Shared parts of the operations on accounts.

use crate::declare::{named, parameters};
use crate::views::AccountParts;
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::ids::AccountId;

pub(super) const READ: Permission = Permission::of(Scope::AccountsRead);

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
    /// `addresses`.
    Addresses,
    /// `currencies`.
    Currencies,
    /// `features`, which every response has.
    Features,
    /// `settings`.
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
        /// Separated by commas: `addresses` (always empty here), `currencies`, `settings`. `features` is part of every
        /// response.
        "include" => parts: Vec<Included>,
    }
}

impl AccountIncludeParameter {
    /// The parts that were asked for.
    pub(super) fn parts(&self) -> AccountParts {
        let has = |part| self.parts.contains(&part);
        AccountParts {
            addresses: has(Included::Addresses),
            currencies: has(Included::Currencies),
            settings: has(Included::Settings),
        }
    }
}
