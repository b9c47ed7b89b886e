//! Merchant profiles and logos.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::keys::joined;
use super::body::names::Name;
use super::body::statements::{insert, update};
use super::body::store::Store;
use super::body::tables::access::accounts;
use super::body::tables::merchant::{ProfileChange, ProfileRow, merchant_logos, merchant_profiles};
use super::body::types::{Account, Id, Named};
use super::logos;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::fault::Flaw;
use florin_domain::ids::{AccountId, LogoId};
use florin_domain::merchant::{
    Branding, Colour, EditProfileRefusal, Logo, MerchantPermission, MerchantProfile, WebUrl,
};
use florin_ports::{Merchants, ProfileCommand, SetLogoCommand, StoreError, WriteError, Written};
use std::convert::Infallible;

/// The profile of an account: the stored one, or the default if it was never changed.
struct Found {
    profile: MerchantProfile,
    /// Whether it has a row.
    is_stored: bool,
    /// Whether the account is a merchant.
    is_merchant: bool,
}

#[async_trait]
impl Merchants for Store {
    async fn find(&self, account: &AccountId) -> Result<Option<MerchantProfile>, StoreError> {
        let account = account.clone();
        self.read(move |conn| profile(conn, &account)).await
    }

    async fn change(
        &self,
        command: ProfileCommand,
    ) -> Result<Written<MerchantProfile>, WriteError<EditProfileRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| change(conn, &command))
        })
        .await
    }

    async fn set_logo(&self, command: SetLogoCommand) -> Result<Written<MerchantProfile>, WriteError<Infallible>> {
        self.task(move |conn| {
            let SetLogoCommand { logo, claim } = &command;
            let mut footprint = Footprint::default();
            footprint.counters(&logo.account);
            under_claim(conn, footprint, claim.as_ref(), |conn, _| {
                let profile = profile(conn, &logo.account)?.ok_or(WriteError::Absent)?;
                logos::replace(conn, logo)?;
                Ok(MerchantProfile { logo: Some(logo.id), ..profile })
            })
        })
        .await
    }

    async fn logo(&self, logo: LogoId) -> Result<Option<Logo>, StoreError> {
        self.read(move |conn| logos::find(conn, logo)).await
    }
}

fn change(conn: &mut Conn, command: &ProfileCommand) -> Result<MerchantProfile, Stop<WriteError<EditProfileRefusal>>> {
    let found = find(conn, &command.account)?.ok_or(WriteError::Absent)?;
    if !found.is_merchant && !command.creates {
        return Err(WriteError::Absent.into());
    }
    let changed = ask(|| (command.decide)(&found.profile))?.map_err(WriteError::Refused)?;
    if !found.is_merchant {
        let row = accounts::table.filter(accounts::id.eq(command.account.as_str()));
        diesel::update(row)
            .set(accounts::merchant.eq(true))
            .execute(conn)
            .map_err(super::body::errors::Failure::from)?;
    }
    if found.is_stored {
        update(vec![ProfileChange::from(ProfileRow::of(&changed)?)], conn)?;
    } else if changed != found.profile {
        insert_profile(conn, &changed)?;
    }
    Ok(changed)
}

/// Returns the profile of an account. `None`: the account has none, or does not exist.
pub(super) fn profile(conn: &mut Conn, account: &AccountId) -> Outcome<Option<MerchantProfile>> {
    Ok(find(conn, account)?.filter(|found| found.is_merchant).map(|found| found.profile))
}

/// Whether an account is a merchant, whatever the status of its profile.
pub(crate) fn is_merchant(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    let found = accounts::table.filter(accounts::id.eq(account.as_str())).select(accounts::merchant);
    Ok(found.get_result(conn).optional()?.unwrap_or(false))
}

/// Whether a merchant has the permission `Reconciliation`.
pub(crate) fn may_reconcile(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    let profile = profile(conn, account)?;
    Ok(profile.is_some_and(|profile| profile.may(MerchantPermission::Reconciliation)))
}

/// Returns the profile of an account, or the default profile that a new merchant would get. `None`: no such account.
fn find(conn: &mut Conn, account: &AccountId) -> Outcome<Option<Found>> {
    let joined = accounts::table
        .left_join(merchant_profiles::table.on(merchant_profiles::account_id.eq(accounts::id)))
        .left_join(merchant_logos::table.on(merchant_logos::account_id.eq(accounts::id)))
        .filter(accounts::id.eq(account.as_str()));
    let found: Option<(String, bool, Option<ProfileRow>, Option<Id>)> = joined
        .select((accounts::name, accounts::merchant, Option::<ProfileRow>::as_select(), merchant_logos::id.nullable()))
        .get_result(conn)
        .optional()?;
    let Some((name, is_merchant, row, logo)) = found else { return Ok(None) };
    let logo = logo.map(|id| LogoId(id.0));
    Ok(Some(match row {
        Some(row) => Found { profile: row.read(logo)?, is_stored: true, is_merchant: true },
        None => Found {
            profile: MerchantProfile { logo, ..MerchantProfile::new(account.clone(), &name) },
            is_stored: false,
            is_merchant,
        },
    }))
}

/// Stores the profile of an existing account.
pub(crate) fn insert_profile(conn: &mut Conn, profile: &MerchantProfile) -> Outcome<()> {
    insert(vec![ProfileRow::of(profile)?], conn)
}

impl ProfileRow {
    fn of(profile: &MerchantProfile) -> Outcome<Self> {
        Ok(Self {
            account_id: Account(profile.account.clone()),
            status: Named(profile.status),
            name: profile.name.clone(),
            return_policy_url: profile.return_policy_url.as_ref().map(|url| url.as_str().to_owned()),
            primary_colour: profile.branding.primary.map(|colour| colour.to_string()),
            background_colour: profile.branding.background.map(|colour| colour.to_string()),
            hide_service_logo: profile.branding.hide_service_logo,
            permissions: joined(profile.permissions.iter().map(|permission| permission.name()))?,
        })
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self, logo: Option<LogoId>) -> Outcome<MerchantProfile> {
        let wrong = |column: &str, flaw: Flaw| corrupt(format!("`{column}` {}", flaw.message));
        let colour = |column: &str, text: Option<String>| {
            text.as_deref().map(Colour::parse).transpose().map_err(|flaw| wrong(column, flaw))
        };
        let url = self.return_policy_url.as_deref().map(WebUrl::parse).transpose();
        let permission = |text: &str| {
            MerchantPermission::named(text).ok_or_else(|| corrupt(format!("`{text}` is not a permission")))
        };
        Ok(MerchantProfile {
            account: self.account_id.0,
            status: self.status.0,
            name: self.name,
            return_policy_url: url.map_err(|flaw| wrong("return_policy_url", flaw))?,
            branding: Branding {
                primary: colour("primary_colour", self.primary_colour)?,
                background: colour("background_colour", self.background_colour)?,
                hide_service_logo: self.hide_service_logo,
            },
            logo,
            permissions: self.permissions.split_whitespace().map(permission).collect::<Outcome<_>>()?,
        })
    }
}
