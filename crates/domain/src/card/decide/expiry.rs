//! Expiry of holds (contract 5.5).
//!
//! Sources:
//! - A hold that was not captured in time expires, and its funds are available again.
//!   <https://support.stripe.com/questions/issuing-common-questions-about-reversals>

use super::conversion::ConversionTerms;
use super::follow_up_effects::FollowUpInput;
use super::{CardDecision, CardRefusal, ChainSituation};
use crate::card::{ChainEnd, MessageKind};
use crate::stamp::Stamp;

/// Decides whether the hold of a chain expires now. `None` if the hold is not due yet, or the chain has already ended.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::card::decide::decide_expiry;
/// use florin_domain::test_support::{CardScenario, a_budget, a_card, minor};
///
/// let mut scenario = CardScenario::of(a_card(), a_budget().with("10.00 GBP"));
/// let token = scenario.authorize("2.40").token;
/// assert_eq!(decide_expiry(&scenario.situation(token), &scenario.stamp()), Ok(None));
/// scenario.wait(TimeDelta::days(7));
/// let expired = decide_expiry(&scenario.situation(token), &scenario.stamp()).unwrap().unwrap();
/// assert_eq!(expired.balances.held(), minor("0.00 GBP"));
/// ```
pub fn decide_expiry(situation: &ChainSituation, stamp: &Stamp<'_>) -> Result<Option<CardDecision>, CardRefusal> {
    let Some(chain) = situation.chain.as_ref().filter(|chain| chain.end().is_none()) else { return Ok(None) };
    if chain.due_at().is_none_or(|due_at| stamp.now < due_at) {
        return Ok(None);
    }
    let terms = ConversionTerms::of(situation.card.currency, situation.first.conversion);
    let step = FollowUpInput::new(situation, chain, terms, (MessageKind::Expiry, chain.id), stamp);
    step.release_all(ChainEnd::Expired).map(Some)
}
