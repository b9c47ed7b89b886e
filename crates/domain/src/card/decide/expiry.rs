//! Holds that expire (contract 5.5).

use super::step::Step;
use super::{CardDecision, CardRefusal, ChainSituation, MessageStamp};
use crate::card::conversion::Terms;
use crate::card::{ChainEnd, MessageKind};

/// Decides whether the hold of a chain expires now: `None` while it is not due, or where another message came first.
pub fn decide_expiry(situation: &ChainSituation, stamp: &MessageStamp) -> Result<Option<CardDecision>, CardRefusal> {
    let Some(chain) = situation.chain.as_ref().filter(|chain| chain.end.is_none()) else { return Ok(None) };
    if chain.due_at().is_none_or(|due_at| stamp.now < due_at) {
        return Ok(None);
    }
    let terms = Terms::of(situation.card.currency, situation.first.conversion);
    let step = Step { situation, chain, terms, stamp, kind: MessageKind::Expiry, preceding: chain.id };
    step.release_all(ChainEnd::Expired).map(Some)
}
