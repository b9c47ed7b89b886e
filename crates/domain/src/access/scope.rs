//! Scopes: the permissions of a key (contract 1.1).

use super::Environment;
use std::fmt;

macro_rules! scopes {
    ($($name:ident = $text:literal,)*) => {
        /// One permission, written `<area>[:<resource>]:<action>:any`. `write` does not include `read`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scope {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Scope {
            /// All scopes.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the scope in its written form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

scopes! {
    MerchantProfileRead = "merchant:profile:read:any",
    MerchantProfileWrite = "merchant:profile:write:any",
    MerchantCheckoutsRead = "merchant:checkouts:read:any",
    MerchantCheckoutsWrite = "merchant:checkouts:write:any",
    MerchantBanksRead = "merchant:banks:read:any",
    MerchantCheckoutSessionsRead = "merchant:checkout-sessions:read:any",
    MerchantCheckoutSessionsWrite = "merchant:checkout-sessions:write:any",
    MerchantSettlementAccountsRead = "merchant:settlement-accounts:read:any",
    MerchantSettlementAccountsWrite = "merchant:settlement-accounts:write:any",
    MerchantPayeesRead = "merchant:payees:read:any",
    MerchantPayeesWrite = "merchant:payees:write:any",
    MerchantPaymentsRead = "merchant:payments:read:any",
    MerchantTopUpsRead = "merchant:top-ups:read:any",
    MerchantTopUpsWrite = "merchant:top-ups:write:any",
    MerchantRefundsRead = "merchant:refunds:read:any",
    MerchantRefundsWrite = "merchant:refunds:write:any",
    MerchantOrdersRead = "merchant:orders:read:any",
    MerchantSimulate = "merchant:simulate:any",
    PaymentBatchesRead = "payment-batches:read:any",
    PaymentBatchesWrite = "payment-batches:write:any",
    PaymentBatchesConfirm = "payment-batches:confirm:any",
    AddressesLookup = "addresses:lookup:any",
    BudgetsRead = "budgets:read:any",
    BudgetsWrite = "budgets:write:any",
    BudgetsSimulate = "budgets:simulate:any",
    CardsRead = "cards:read:any",
    CardsWrite = "cards:write:any",
    CardsSimulate = "cards:simulate:any",
    PeopleRead = "people:read:any",
    PeopleWrite = "people:write:any",
    AccountsRead = "accounts:read:any",
    IpAddressesRead = "ipaddresses:read:any",
    IpAddressesWrite = "ipaddresses:write:any",
    ActivityRead = "activity:read:any",
    EventsRead = "events:read:any",
    WebhooksRead = "webhooks:read:any",
    WebhooksWrite = "webhooks:write:any",
}

impl Scope {
    /// Parses a scope from its written form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == text)
    }

    /// Returns whether an operation of the environment requires the scope. Simulations exist in the sandbox only, so
    /// their scopes grant nothing in production.
    pub const fn opens_in(self, environment: Environment) -> bool {
        match environment {
            Environment::Sandbox => true,
            Environment::Production => {
                !matches!(self, Self::BudgetsSimulate | Self::CardsSimulate | Self::MerchantSimulate)
            }
        }
    }

    /// Returns all scopes that an operation of the environment requires.
    pub fn all_in(environment: Environment) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |scope| scope.opens_in(environment))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_simulations_grant_nothing_in_production() {
        assert!(Scope::all_in(Environment::Sandbox).eq(Scope::ALL.iter().copied()));
        let closed = Scope::ALL.iter().filter(|scope| !scope.opens_in(Environment::Production));
        let closed: Vec<_> = closed.map(|scope| scope.as_str()).collect();
        assert_eq!(closed, ["merchant:simulate:any", "budgets:simulate:any", "cards:simulate:any"]);
        assert_eq!(Scope::all_in(Environment::Production).count(), Scope::ALL.len() - closed.len());
    }
}
