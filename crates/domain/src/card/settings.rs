//! Settings of an account's card simulation: how long holds last, and which clearings are refused (contract 5.7).

use super::{MccRange, MessageKind};
use crate::fault::{Fault, Flaw};
use crate::money::{Currency, Minor};
use chrono::TimeDelta;

/// The settings of an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardSettings {
    /// How long holds last.
    pub hold_life: HoldLife,
    /// Which clearings above the hold are refused.
    pub over_clearing: OverClearing,
}

/// How long holds last: a default, and rules for some first messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldLife {
    /// The life of a hold without a rule.
    pub default: TimeDelta,
    /// The rules. The most specific one counts.
    pub rules: Vec<HoldLifeRule>,
}

/// The life of the holds of some first messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldLifeRule {
    /// The merchant categories. `None`: all.
    pub mcc: Option<MccRange>,
    /// The kind of first message. `None`: all.
    pub message: Option<MessageKind>,
    /// The life.
    pub life: TimeDelta,
}

/// Holds last seven days, as card networks let most authorizations live.
impl Default for HoldLife {
    fn default() -> Self {
        Self { default: TimeDelta::days(7), rules: Vec::new() }
    }
}

impl HoldLife {
    /// Maximum number of rules.
    pub const MAX_RULES: usize = 100;
    /// The longest life of a hold.
    pub const MAX: TimeDelta = TimeDelta::days(365);
    /// The first messages that hold money.
    pub const MESSAGES: [MessageKind; 3] =
        [MessageKind::Authorization, MessageKind::CashbackAuthorization, MessageKind::AtmAuthorization];

    /// Checks the settings of a caller. The paths of faults are those of the request's body.
    pub fn parse(default: TimeDelta, rules: Vec<HoldLifeRule>) -> Result<Self, Vec<Fault>> {
        let too_long = |life: TimeDelta| life > Self::MAX;
        let flaw = || Flaw::range("must be at most 365 days");
        let mut faults: Vec<_> = too_long(default).then(|| flaw().at("body.default")).into_iter().collect();
        if rules.len() > Self::MAX_RULES {
            let (max, got) = (Self::MAX_RULES, rules.len());
            faults.push(Flaw::range(format!("must have at most {max} items (got {got})")).at("body.rules"));
        }
        let long = rules.iter().enumerate().filter(|(_, rule)| too_long(rule.life));
        faults.extend(long.map(|(place, _)| flaw().at(format!("body.rules[{place}].life"))));
        if faults.is_empty() { Ok(Self { default, rules }) } else { Err(faults) }
    }

    /// The life of the hold of a first message at a merchant of this category.
    ///
    /// A rule for a category is more specific than one for a message, and a rule for both is the most specific one. Of two
    /// ranges of categories the narrower one counts, and of two equal rules the first.
    pub fn of(&self, message: MessageKind, mcc: &str) -> TimeDelta {
        let code = mcc.parse::<u16>().ok();
        let applies = |rule: &&HoldLifeRule| {
            rule.mcc.is_none_or(|range| code.is_some_and(|code| range.includes(code)))
                && rule.message.is_none_or(|kind| kind == message)
        };
        // Wider ranges have higher numbers, and so do rules without a range or a message.
        let breadth = |rule: &&HoldLifeRule| (rule.mcc.map_or(usize::MAX, MccRange::breadth), rule.message.is_none());
        self.rules.iter().filter(applies).min_by_key(breadth).map_or(self.default, |rule| rule.life)
    }
}

/// Which clearings above the hold are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OverClearing {
    /// None.
    #[default]
    Accepted,
    /// Those above what card networks let merchants of the category clear.
    Network,
}

impl OverClearing {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Accepted, Self::Network];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Network => "NETWORK",
        }
    }

    /// The most that may be cleared of an authorised amount at a merchant of this category, in minor units of the
    /// merchant's currency. `None`: any amount.
    ///
    /// The margins are those of the public rules of Visa and Mastercard: tips of 20 % in restaurants, bars and taxis, 15 %
    /// in hotels and on cruises, and fuel up to 100 after an authorization of 1. Other merchants clear at most what was
    /// authorised. Fractions of a minor unit are cut off.
    pub fn most(self, authorised: Minor, mcc: &str, currency: Currency) -> Option<Minor> {
        if self == Self::Accepted {
            return None;
        }
        let with_percent = |percent: i128| {
            let most = i128::from(authorised.0) * (100 + percent) / 100;
            Minor(i64::try_from(most).unwrap_or(i64::MAX))
        };
        Some(match mcc.parse::<u16>().unwrap_or_default() {
            5812..=5814 | 4121 => with_percent(20),
            7011 | 7512 | 3501..=3999 => with_percent(15),
            5541 | 5542 => authorised.max(Minor(100 * 10_i64.pow(currency.decimals()))),
            _ => authorised,
        })
    }
}
