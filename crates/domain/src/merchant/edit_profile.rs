//! Changing merchant profiles, by the merchant and by the operator.

use super::{Colour, MerchantName, MerchantPermission, MerchantProfile, MerchantStatus, WebUrl};
use std::collections::BTreeMap;

/// Permissions with their values in a request: granted or not.
pub type PermissionValues = BTreeMap<MerchantPermission, bool>;

/// A change of a profile by the merchant. `None` fields do not change; `Some(None)` restores the default.
#[derive(Clone, Debug, Default)]
pub struct ProfileEdit {
    /// The name that payers see.
    pub name: Option<MerchantName>,
    /// The URL of the return policy.
    pub return_policy_url: Option<Option<WebUrl>>,
    /// The colour of buttons.
    pub primary: Option<Option<Colour>>,
    /// The colour of the page.
    pub background: Option<Option<Colour>>,
    /// Whether the logo of Florin is hidden.
    pub hide_service_logo: Option<bool>,
    /// Permissions, which only the operator can change. The request is refused if a value differs from the stored one.
    pub permissions: PermissionValues,
}

/// A branding field that requires a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrandingMember {
    /// The colour of buttons.
    PrimaryColour,
    /// The colour of the page.
    BackgroundColour,
    /// Whether the logo of Florin is hidden.
    HideServiceLogo,
}

/// Reasons to refuse a change of a profile. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditProfileRefusal {
    /// Only the operator can change this permission.
    #[error("only the operator can change a permission")]
    NotEnabled(MerchantPermission),
    /// The merchant lacks the permissions to set these fields.
    #[error("the merchant may not change its branding")]
    NotPermitted(Vec<BrandingMember>),
}

/// Decides a change by the merchant.
///
/// ```
/// use florin_domain::merchant::{EditProfileRefusal, MerchantPermission, ProfileEdit, decide_edit_profile};
/// use florin_domain::test_support::a_merchant;
///
/// let edit = ProfileEdit { permissions: [(MerchantPermission::Reconciliation, true)].into(), ..Default::default() };
/// let refused = decide_edit_profile(&a_merchant(), &edit);
/// assert_eq!(refused, Err(EditProfileRefusal::NotEnabled(MerchantPermission::Reconciliation)));
/// ```
pub fn decide_edit_profile(
    profile: &MerchantProfile,
    edit: &ProfileEdit,
) -> Result<MerchantProfile, EditProfileRefusal> {
    if let Some((permission, _)) =
        edit.permissions.iter().find(|(permission, value)| profile.may(**permission) != **value)
    {
        return Err(EditProfileRefusal::NotEnabled(*permission));
    }
    let needs = [
        (BrandingMember::PrimaryColour, MerchantPermission::CustomiseColours, edit.primary.flatten().is_some()),
        (BrandingMember::BackgroundColour, MerchantPermission::CustomiseColours, edit.background.flatten().is_some()),
        (BrandingMember::HideServiceLogo, MerchantPermission::HideServiceLogo, edit.hide_service_logo == Some(true)),
    ];
    let refused = |(member, permission, is_set)| (is_set && !profile.may(permission)).then_some(member);
    let refused: Vec<_> = needs.into_iter().filter_map(refused).collect();
    if !refused.is_empty() {
        return Err(EditProfileRefusal::NotPermitted(refused));
    }
    let mut edited = profile.clone();
    if let Some(name) = &edit.name {
        name.as_str().clone_into(&mut edited.name);
    }
    if let Some(url) = &edit.return_policy_url {
        edited.return_policy_url.clone_from(url);
    }
    let branding = &mut edited.branding;
    branding.primary = edit.primary.unwrap_or(branding.primary);
    branding.background = edit.background.unwrap_or(branding.background);
    branding.hide_service_logo = edit.hide_service_logo.unwrap_or(branding.hide_service_logo);
    Ok(edited)
}

/// A change of a profile by the operator. `None` fields do not change.
#[derive(Clone, Debug, Default)]
pub struct OperatorEdit {
    /// Whether the merchant may accept payments.
    pub status: Option<MerchantStatus>,
    /// Permissions to grant (`true`) or withdraw (`false`).
    pub permissions: PermissionValues,
}

/// Applies a change by the operator.
pub fn edit_profile_by_operator(profile: &MerchantProfile, edit: &OperatorEdit) -> MerchantProfile {
    let mut edited = profile.clone();
    edited.status = edit.status.unwrap_or(edited.status);
    for (permission, value) in &edit.permissions {
        if *value {
            edited.permissions.insert(*permission);
        } else {
            edited.permissions.remove(permission);
        }
    }
    edited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merchant::Branding;
    use crate::test_support::a_merchant;
    use proptest::prelude::*;

    fn permitted() -> MerchantProfile {
        MerchantProfile { permissions: MerchantPermission::ALL.into(), ..a_merchant() }
    }

    fn colours() -> ProfileEdit {
        ProfileEdit { primary: Some(Some(Colour::TEXT)), background: Some(Some(Colour::WHITE)), ..Default::default() }
    }

    #[test]
    fn branding_merges_and_null_restores_the_default() {
        let edited = decide_edit_profile(&permitted(), &colours()).unwrap();
        let branding =
            Branding { primary: Some(Colour::TEXT), background: Some(Colour::WHITE), hide_service_logo: false };
        assert_eq!(edited.branding, branding);
        let edit = ProfileEdit { primary: Some(None), hide_service_logo: Some(true), ..Default::default() };
        let edited = decide_edit_profile(&edited, &edit).unwrap();
        assert_eq!(edited.branding, Branding { primary: None, hide_service_logo: true, ..branding });
    }

    #[test]
    fn branding_needs_its_permissions() {
        let edit = ProfileEdit { hide_service_logo: Some(true), ..colours() };
        let members =
            [BrandingMember::PrimaryColour, BrandingMember::BackgroundColour, BrandingMember::HideServiceLogo];
        let refused = decide_edit_profile(&a_merchant(), &edit);
        assert_eq!(refused, Err(EditProfileRefusal::NotPermitted(members.into())));
        let restore = ProfileEdit {
            primary: Some(None),
            background: Some(None),
            hide_service_logo: Some(false),
            ..Default::default()
        };
        assert_eq!(decide_edit_profile(&a_merchant(), &restore), Ok(a_merchant()));
    }

    #[test]
    fn name_and_return_policy_change() {
        let url = WebUrl::parse("https://shop.example/returns").unwrap();
        let edit = ProfileEdit {
            name: Some(MerchantName::parse("New").unwrap()),
            return_policy_url: Some(Some(url.clone())),
            ..Default::default()
        };
        let edited = decide_edit_profile(&a_merchant(), &edit).unwrap();
        assert_eq!((edited.name.as_str(), edited.return_policy_url.as_ref()), ("New", Some(&url)));
        let edit = ProfileEdit { return_policy_url: Some(None), ..Default::default() };
        assert_eq!(decide_edit_profile(&edited, &edit).unwrap().return_policy_url, None);
    }

    proptest! {
        /// Whatever merchants send, only the operator changes permissions and the status.
        #[test]
        fn merchants_never_change_permissions(stored in 0_u8..16, sent in 0_u8..16, values in 0_u8..16) {
            let bit = |set: u8, place: usize| set >> place & 1 == 1;
            let all = || MerchantPermission::ALL.into_iter().enumerate();
            let profile = MerchantProfile {
                permissions: all().filter(|(place, _)| bit(stored, *place)).map(|(_, one)| one).collect(),
                ..a_merchant()
            };
            let named = all().filter(|(place, _)| bit(sent, *place));
            let edit = ProfileEdit {
                permissions: named.map(|(place, one)| (one, bit(values, place))).collect(),
                ..Default::default()
            };
            let is_same = all().all(|(place, _)| !bit(sent, place) || bit(values, place) == bit(stored, place));
            let decided = decide_edit_profile(&profile, &edit);
            prop_assert_eq!(decided.is_ok(), is_same);
            if let Ok(edited) = decided {
                prop_assert_eq!(edited, profile.clone());
            }
            let by_operator = OperatorEdit { status: None, permissions: edit.permissions.clone() };
            let edited = edit_profile_by_operator(&profile, &by_operator);
            prop_assert!(edit.permissions.iter().all(|(one, value)| edited.may(*one) == *value));
            let unchanged =
                |one: MerchantPermission| edit.permissions.contains_key(&one) || edited.may(one) == profile.may(one);
            prop_assert!(all().all(|(_, one)| unchanged(one)));
        }
    }
}
