//! How long holds last (contract 5.7).
//!
//! Sources:
//! - Most networks release a hold that was not captured after about 7 days, and holds of hotels and rentals after up to
//!   31 days.
//!   <https://support.stripe.com/questions/issuing-common-questions-about-reversals>

use super::{MccRange, MessageKind};
use crate::fault::{Fault, Flaw};
use chrono::TimeDelta;

/// The life of new holds of an account: a default, and rules for some holds. Existing holds keep their life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldLife {
    /// The life of a hold that no rule applies to.
    pub default: TimeDelta,
    /// The rules. The most specific rule applies.
    pub rules: Vec<HoldLifeRule>,
}

/// A rule that sets the life of holds by merchant category and first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldLifeRule {
    /// The merchant categories. `None`: all.
    pub mcc: Option<MccRange>,
    /// The first message, one of [`HoldLife::MESSAGES`]. `None`: all of them.
    pub message: Option<MessageKind>,
    /// The life.
    pub life: TimeDelta,
}

/// Every hold lasts seven days.
impl Default for HoldLife {
    fn default() -> Self {
        Self { default: Self::DEFAULT, rules: Vec::new() }
    }
}

impl HoldLife {
    /// The life of holds if the account has no other setting (contract 5.5).
    pub const DEFAULT: TimeDelta = TimeDelta::days(7);
    /// The shortest life.
    pub const MIN: TimeDelta = TimeDelta::seconds(1);
    /// The longest life.
    pub const MAX: TimeDelta = TimeDelta::days(365);
    /// Maximum number of rules.
    pub const MAX_RULES: usize = 100;
    /// The first messages that hold money.
    pub const MESSAGES: [MessageKind; 3] =
        [MessageKind::Authorization, MessageKind::CashbackAuthorization, MessageKind::AtmAuthorization];

    /// Parses a life: an ISO 8601 duration from one second to 365 days.
    ///
    /// ```
    /// use chrono::TimeDelta;
    /// use florin_domain::card::HoldLife;
    ///
    /// assert_eq!(HoldLife::parse("P30D"), Ok(TimeDelta::days(30)));
    /// assert!(HoldLife::parse("P366D").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<TimeDelta, Flaw> {
        let life = crate::world::parse_duration(text)?;
        if Self::includes(life) { Ok(life) } else { Err(Flaw::range("must be at most 365 days")) }
    }

    /// Whether a life is in the allowed range.
    pub fn includes(life: TimeDelta) -> bool {
        (Self::MIN..=Self::MAX).contains(&life)
    }

    /// Creates a setting. Refuses two rules with the same categories and message. Paths refer to the request's body.
    pub fn checked(default: TimeDelta, rules: Vec<HoldLifeRule>) -> Result<Self, Vec<Fault>> {
        let repeats = |(place, rule): (usize, &HoldLifeRule)| {
            let first = rules.iter().position(|other| (other.mcc, other.message) == (rule.mcc, rule.message))?;
            let flaw = || Flaw::value(format!("must differ from rules[{first}] in mcc or message"));
            (first < place).then(|| flaw().at(format!("body.rules[{place}]")))
        };
        let faults: Vec<_> = rules.iter().enumerate().filter_map(repeats).collect();
        if faults.is_empty() { Ok(Self { default, rules }) } else { Err(faults) }
    }

    /// Returns the life of the hold of a first message at a merchant of this category.
    ///
    /// If several rules apply, the rule with the narrowest range of categories is used. If ranges are equally narrow, a
    /// rule that names a message is used. If several rules remain, the first is used. A rule for all categories has the
    /// widest range.
    pub fn of(&self, message: MessageKind, mcc: &str) -> TimeDelta {
        let code = mcc.parse::<u16>().ok();
        let applies = |rule: &&HoldLifeRule| {
            rule.mcc.is_none_or(|range| code.is_some_and(|code| range.includes(code)))
                && rule.message.is_none_or(|kind| kind == message)
        };
        let breadth = |rule: &&HoldLifeRule| (rule.mcc.map_or(u16::MAX, MccRange::breadth), rule.message.is_none());
        self.rules.iter().filter(applies).min_by_key(breadth).map_or(self.default, |rule| rule.life)
    }
}

#[cfg(test)]
#[path = "hold_life_tests.rs"]
mod tests;
