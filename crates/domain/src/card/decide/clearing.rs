//! A clearing as a caller sends it: of an authorization, or on a card without an authorization.
//!
//! Sources:
//! - An issuer must post a clearing that has no authorization (force post).
//!   <https://docs.galileo-ft.com/pro/docs/force-post-simulation>
//! - Controls and the state of the card do not apply to captures.
//!   <https://docs.stripe.com/issuing/purchases/transactions?locale=en-GB>

use super::{Extras, FirstKind, FirstMessage, FollowUp};
use crate::card::{Acceptor, MultiClearing, Network, PointOfSale};
use crate::fault::{Fault, Flaw, FlawCode};
use crate::ids::{CardId, TransactionToken};
use crate::money::{Currency, DecimalAmount};

/// The members of a clearing. It names either an earlier message or a card.
#[derive(Clone, Debug)]
pub struct ClearingInput {
    /// The earlier message of the chain.
    pub preceding: Option<TransactionToken>,
    /// The card of a clearing without an authorization.
    pub card: Option<CardId>,
    /// The amount.
    pub amount: DecimalAmount,
    /// Whether it releases the rest of the hold. `None`: yes.
    pub is_final: Option<bool>,
    /// Whether it is a force post: accepted in any state of the authorization, or without an authorization.
    pub force_post: bool,
    /// The card network. Allowed only with `card`.
    pub network: Option<Network>,
    /// The merchant. Allowed only with `card`.
    pub acceptor: Option<Acceptor>,
    /// The merchant's currency. Allowed only with `card`.
    pub currency: Option<Currency>,
    /// The use of the card at the point of sale. Allowed only with `card`.
    pub pos: Option<PointOfSale>,
    /// Its place among several clearings.
    pub place: MultiClearing,
}

/// The two kinds of clearing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clearing {
    /// The clearing of an authorization, with its place among several clearings.
    OfAuthorization(TransactionToken, FollowUp, MultiClearing),
    /// A clearing without an authorization, with the merchant's currency if it is named.
    WithoutAuthorization(CardId, Box<FirstMessage>, Option<Currency>),
}

impl Clearing {
    /// Checks the members, and returns the kind of clearing. Paths refer to the request's body.
    pub fn of(input: ClearingInput) -> Result<Self, Vec<Fault>> {
        match (input.preceding, input.card) {
            (Some(preceding), None) => input.of_authorization(preceding),
            (None, Some(card)) => input.of_card(card),
            (None, None) => Err(vec![
                Flaw::new(FlawCode::Required, "is required unless cardId is sent")
                    .at("body.precedingRelatedTransactionToken"),
            ]),
            (Some(_), Some(_)) => {
                let flaw = Flaw::value("must be absent if precedingRelatedTransactionToken is sent");
                Err(vec![flaw.at("body.cardId")])
            }
        }
    }
}

impl ClearingInput {
    fn of_authorization(self, preceding: TransactionToken) -> Result<Clearing, Vec<Fault>> {
        let only_for_cards = [
            ("body.network", self.network.is_some()),
            ("body.cardAcceptor", self.acceptor.is_some()),
            ("body.currencyCode", self.currency.is_some()),
            ("body.pos", self.pos.is_some()),
        ];
        let sent = only_for_cards.into_iter().filter(|(_, is_sent)| *is_sent);
        let mut faults: Vec<_> =
            sent.map(|(path, _)| Flaw::value("must be absent unless cardId is sent").at(path)).collect();
        if self.force_post && self.is_final.is_some() {
            faults.push(Flaw::value("must be absent if forcePost is true").at("body.finalClearing"));
        }
        faults.extend(self.misplaced());
        if !faults.is_empty() {
            return Err(faults);
        }
        let message = if self.force_post {
            FollowUp::ForcedClearing { amount: self.amount }
        } else {
            FollowUp::Clearing { amount: self.amount, is_final: self.is_final.unwrap_or(true) }
        };
        Ok(Clearing::OfAuthorization(preceding, message, self.place))
    }

    fn of_card(self, card: CardId) -> Result<Clearing, Vec<Fault>> {
        let mut faults = Vec::new();
        if !self.force_post {
            faults.push(Flaw::value("must be true if cardId is sent").at("body.forcePost"));
        }
        if self.is_final.is_some() {
            faults.push(Flaw::value("must be absent if cardId is sent").at("body.finalClearing"));
        }
        let missing = || Flaw::new(FlawCode::Required, "is required if cardId is sent");
        if self.network.is_none() {
            faults.push(missing().at("body.network"));
        }
        if self.acceptor.is_none() {
            faults.push(missing().at("body.cardAcceptor"));
        }
        faults.extend(self.misplaced());
        match (self.network, self.acceptor) {
            (Some(network), Some(acceptor)) if faults.is_empty() => {
                let (kind, extras) =
                    (FirstKind::ForcePost, Extras { pos: self.pos, multi_clearing: self.place, ..Extras::default() });
                let message = FirstMessage { kind, amount: self.amount, network, acceptor, extras };
                Ok(Clearing::WithoutAuthorization(card, Box::new(message), self.currency))
            }
            _ => Err(faults),
        }
    }

    /// Returns a fault if the number of this clearing exceeds the number of all clearings.
    fn misplaced(&self) -> Option<Fault> {
        let MultiClearing { number: Some(number), count: Some(count) } = self.place else { return None };
        let flaw = Flaw::range(format!("must be at most multiClearingSequenceCount, {count}"));
        (number > count).then(|| flaw.at("body.multiClearingSequenceNumber"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{a_card, decimal, first_message};
    use uuid::Uuid;

    const TOKEN: TransactionToken = TransactionToken(Uuid::max());

    fn input() -> ClearingInput {
        ClearingInput {
            preceding: None,
            card: None,
            amount: decimal("10"),
            is_final: None,
            force_post: false,
            network: None,
            acceptor: None,
            currency: None,
            pos: None,
            place: MultiClearing::default(),
        }
    }

    fn of_card() -> ClearingInput {
        let FirstMessage { network, acceptor, .. } = first_message(FirstKind::ForcePost, "10");
        let (card, network, acceptor) = (Some(a_card().build().id), Some(network), Some(acceptor));
        ClearingInput { card, force_post: true, network, acceptor, ..input() }
    }

    fn fault_paths(input: ClearingInput) -> Vec<String> {
        Clearing::of(input).unwrap_err().into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn a_clearing_names_an_authorization_or_a_card() {
        let of = |is_final, force_post| {
            Clearing::of(ClearingInput { preceding: Some(TOKEN), is_final, force_post, ..input() }).unwrap()
        };
        let amount = decimal("10");
        let of_token = |message| Clearing::OfAuthorization(TOKEN, message, MultiClearing::default());
        let normal = |is_final| of_token(FollowUp::Clearing { amount: decimal("10"), is_final });
        assert_eq!((of(None, false), of(Some(false), false)), (normal(true), normal(false)));
        assert_eq!(of(None, true), of_token(FollowUp::ForcedClearing { amount }));
        let message = first_message(FirstKind::ForcePost, "10");
        assert_eq!(
            Clearing::of(of_card()),
            Ok(Clearing::WithoutAuthorization(a_card().build().id, Box::new(message), None))
        );
    }

    #[test]
    fn the_number_of_a_clearing_is_at_most_their_count() {
        let at = |number, count| MultiClearing { number, count };
        for (place, is_right) in [
            (at(Some(3), Some(3)), true),
            (at(Some(4), Some(3)), false),
            (at(Some(4), None), true),
            (at(None, Some(1)), true),
        ] {
            let of_token = ClearingInput { preceding: Some(TOKEN), place, ..input() };
            for input in [of_token, ClearingInput { place, ..of_card() }] {
                let faults = Clearing::of(input).err().unwrap_or_default();
                let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
                let expected: &[&str] = if is_right { &[] } else { &["body.multiClearingSequenceNumber"] };
                assert_eq!(paths, expected, "{place:?}");
            }
        }
    }

    #[test]
    fn each_member_that_does_not_fit_is_named() {
        assert_eq!(fault_paths(input()), ["body.precedingRelatedTransactionToken"]);
        assert_eq!(fault_paths(ClearingInput { preceding: Some(TOKEN), ..of_card() }), ["body.cardId"]);
        let with_card_members = ClearingInput {
            preceding: Some(TOKEN),
            card: None,
            is_final: Some(true),
            currency: Some(crate::test_support::currency("EUR")),
            pos: Some(PointOfSale::default()),
            ..of_card()
        };
        let expected = ["body.network", "body.cardAcceptor", "body.currencyCode", "body.pos", "body.finalClearing"];
        assert_eq!(fault_paths(with_card_members), expected);
        let bare = ClearingInput { card: of_card().card, is_final: Some(true), ..input() };
        let expected = ["body.forcePost", "body.finalClearing", "body.network", "body.cardAcceptor"];
        assert_eq!(fault_paths(bare), expected);
    }
}
