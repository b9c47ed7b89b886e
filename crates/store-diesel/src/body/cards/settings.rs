//! The card settings of accounts as rows: how long holds last, and the margin of clearings.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use super::body::names::Name;
use super::body::statements::insert;
use super::body::tables::cards::{CardSettingsRow, card_settings};
use super::body::types::{Account, Named};
use chrono::TimeDelta;
use diesel::prelude::*;
use florin_domain::card::{CardSettings, HoldLife, HoldLifeRule, MccRange, MessageKind};
use florin_domain::ids::AccountId;
use serde::{Deserialize, Serialize};

/// The stored form of a [`HoldLife`], with lives in seconds. Members of a newer version are refused: a rule must not be
/// lost.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLife {
    default: i64,
    rules: Vec<StoredRule>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRule {
    #[serde(skip_serializing_if = "Option::is_none")]
    mcc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    life: i64,
}

impl CardSettingsRow {
    fn of(account: &AccountId, settings: &CardSettings) -> Outcome<Self> {
        let is_default = settings.hold_life == HoldLife::default();
        let text = || serde_json::to_string(&StoredLife::from(&settings.hold_life)).map_err(corrupt);
        Ok(Self {
            account_id: Account(account.clone()),
            hold_life: (!is_default).then(text).transpose()?,
            over_clearing: Named(settings.over_clearing),
        })
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<CardSettings> {
        let life = |text: String| json_values::column::<StoredLife>("hold_life", &text)?.read();
        Ok(CardSettings {
            hold_life: self.hold_life.map(life).transpose()?.unwrap_or_default(),
            over_clearing: self.over_clearing.0,
        })
    }
}

impl From<&HoldLife> for StoredLife {
    fn from(life: &HoldLife) -> Self {
        let rule = |rule: &HoldLifeRule| StoredRule {
            mcc: rule.mcc.map(|range| range.to_string()),
            message: rule.message.map(|kind| kind.name().to_owned()),
            life: rule.life.num_seconds(),
        };
        Self { default: life.default.num_seconds(), rules: life.rules.iter().map(rule).collect() }
    }
}

impl StoredLife {
    fn read(self) -> Outcome<HoldLife> {
        let rules = self.rules.into_iter().map(StoredRule::read).collect::<Outcome<_>>()?;
        Ok(HoldLife { default: seconds(self.default)?, rules })
    }
}

impl StoredRule {
    fn read(self) -> Outcome<HoldLifeRule> {
        let mcc = self.mcc.as_deref().map(MccRange::parse).transpose();
        let mcc = mcc.map_err(|flaw| corrupt(format!("the category of a rule of `hold_life` {}", flaw.message)))?;
        let kind = |name: &str| {
            let known = MessageKind::named(name).filter(|kind| HoldLife::MESSAGES.contains(kind));
            known.ok_or_else(|| corrupt(format!("a life of holds of `{name}`")))
        };
        Ok(HoldLifeRule { mcc, message: self.message.as_deref().map(kind).transpose()?, life: seconds(self.life)? })
    }
}

fn seconds(number: i64) -> Outcome<TimeDelta> {
    let life = TimeDelta::try_seconds(number).filter(|life| HoldLife::includes(*life));
    life.ok_or_else(|| corrupt(format!("a hold that lasts {number} s")))
}

/// Returns the settings of an account, or the defaults if they were never changed.
pub(super) fn find(conn: &mut Conn, account: &AccountId) -> Outcome<CardSettings> {
    let row = card_settings::table.filter(card_settings::account_id.eq(account.as_str()));
    let row = row.select(CardSettingsRow::as_select()).get_result::<CardSettingsRow>(conn).optional()?;
    Ok(row.map(CardSettingsRow::read).transpose()?.unwrap_or_default())
}

/// Stores settings in place of the previous ones. The caller holds the lock of the account's counter.
pub(super) fn replace(conn: &mut Conn, account: &AccountId, settings: &CardSettings) -> Outcome<()> {
    diesel::delete(card_settings::table.filter(card_settings::account_id.eq(account.as_str()))).execute(conn)?;
    insert(vec![CardSettingsRow::of(account, settings)?], conn)
}
