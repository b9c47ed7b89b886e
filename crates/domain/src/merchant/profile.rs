//! Merchant profiles.

use super::{Colour, WebUrl};
use crate::ids::{AccountId, LogoId};
use crate::text::Text;
use std::collections::BTreeSet;

/// Whether a merchant may accept payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MerchantStatus {
    /// The merchant may accept payments.
    Active,
    /// The account is treated like an account without a profile.
    Deactivated,
}

impl MerchantStatus {
    /// Both statuses.
    pub const ALL: [Self; 2] = [Self::Active, Self::Deactivated];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Deactivated => "DEACTIVATED",
        }
    }
}

/// A permission that only the operator can grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MerchantPermission {
    /// Set the colours of the payment page.
    CustomiseColours,
    /// Hide the logo of Florin on the payment page.
    HideServiceLogo,
    /// Create `TOP_UP` checkouts. Settlement accounts and payees of a merchant with this permission need no
    /// approval.
    CreateTopUpCheckouts,
    /// Receive the event `MerchantPaymentReconciled` for each completed payment of a session.
    Reconciliation,
}

impl MerchantPermission {
    /// All permissions.
    pub const ALL: [Self; 4] =
        [Self::CustomiseColours, Self::HideServiceLogo, Self::CreateTopUpCheckouts, Self::Reconciliation];

    /// Returns the name in stores and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CustomiseColours => "customise-colours",
            Self::HideServiceLogo => "hide-service-logo",
            Self::CreateTopUpCheckouts => "create-top-up-checkouts",
            Self::Reconciliation => "reconciliation",
        }
    }
}

/// The look of the payment pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branding {
    /// The colour of buttons, which have white text. `None`: the default.
    pub primary: Option<Colour>,
    /// The colour of the page. `None`: the default.
    pub background: Option<Colour>,
    /// Whether the logo of Florin is hidden.
    pub hide_service_logo: bool,
}

/// The merchant profile of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantProfile {
    /// The account.
    pub account: AccountId,
    /// Whether the merchant may accept payments.
    pub status: MerchantStatus,
    /// The name that payers see.
    pub name: String,
    /// The URL of the return policy.
    pub return_policy_url: Option<WebUrl>,
    /// The look of the payment pages.
    pub branding: Branding,
    /// The logo. Only an upload changes it, never a change of the profile.
    pub logo: Option<LogoId>,
    /// The permissions that the operator granted.
    pub permissions: BTreeSet<MerchantPermission>,
}

impl MerchantProfile {
    /// Maximum length of a name, in characters.
    pub const MAX_NAME: usize = 64;

    /// Creates the default profile of a merchant: active, without permissions, with the name of the account.
    pub fn new(account: AccountId, name: &str) -> Self {
        let name: String = name.chars().take(Self::MAX_NAME).collect();
        let name = if is_blank(&name) { account.to_string() } else { name };
        Self {
            account,
            status: MerchantStatus::Active,
            name,
            return_policy_url: None,
            branding: Branding::default(),
            logo: None,
            permissions: BTreeSet::new(),
        }
    }

    /// Returns whether the merchant may accept payments.
    pub fn is_active(&self) -> bool {
        self.status == MerchantStatus::Active
    }

    /// Returns whether the operator granted a permission.
    pub fn may(&self, permission: MerchantPermission) -> bool {
        self.permissions.contains(&permission)
    }
}

/// The name that payers see: 1 to 64 characters, at least one of which is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantName(Text<1, 64>);

impl MerchantName {
    /// Parses a name: checks the length, and that at least one character is neither whitespace nor a control character.
    pub fn parse(text: &str) -> Result<Self, crate::fault::Flaw> {
        let name = Text::parse(text)?;
        if is_blank(text) {
            return Err(crate::fault::Flaw::format("must not be only white space"));
        }
        Ok(Self(name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || character.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;
    use crate::test_support::account;

    #[test]
    fn a_new_profile_has_a_name() {
        assert_eq!(MerchantProfile::new(account(), "Shop").name, "Shop");
        assert_eq!(MerchantProfile::new(account(), " \u{a0}").name, "F50091");
        assert_eq!(MerchantProfile::new(account(), &"ä".repeat(65)).name, "ä".repeat(64));
    }

    #[test]
    fn a_name_has_1_to_64_characters_and_is_not_blank() {
        assert_eq!(MerchantName::parse(" a ").unwrap().as_str(), " a ");
        for (wrong, code) in [
            ("", FlawCode::InvalidFormat),
            (" \t\u{2003}", FlawCode::InvalidFormat),
            ("a\0", FlawCode::InvalidFormat),
            (&*"x".repeat(65), FlawCode::TooLong),
        ] {
            assert_eq!(MerchantName::parse(wrong).unwrap_err().code, code, "{wrong:?}");
        }
    }
}
