//! A clearing as a caller sends it: of an authorization, or of a card without one.

use super::{Extras, FirstKind, FirstMessage, FollowUp};
use crate::card::{Acceptor, Network};
use crate::fault::{Fault, Flaw, FlawCode};
use crate::ids::{CardId, TransactionToken};
use crate::money::{Currency, DecimalAmount};

/// The members of a clearing. It names either an earlier message or a card.
#[derive(Clone, Debug)]
pub struct ClearingInput {
    /// The earlier message.
    pub preceding: Option<TransactionToken>,
    /// The card, of a clearing without an authorization.
    pub card: Option<CardId>,
    /// The amount.
    pub amount: DecimalAmount,
    /// Whether it releases the rest of the hold. Yes by default.
    pub is_final: Option<bool>,
    /// Whether it is posted whatever the state of the authorization, or without one.
    pub force_post: bool,
    /// The card network, for a card only.
    pub network: Option<Network>,
    /// The merchant, for a card only.
    pub acceptor: Option<Acceptor>,
    /// The merchant's currency, for a card only.
    pub currency: Option<Currency>,
}

/// What a clearing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clearing {
    /// The clearing of an authorization.
    Of(TransactionToken, FollowUp),
    /// A clearing without an authorization, with the merchant's currency if it is named.
    Without(CardId, Box<FirstMessage>, Option<Currency>),
}

impl Clearing {
    /// Decides which clearing it is. The paths of faults are those of the request's body.
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
        ];
        let sent = only_for_cards.into_iter().filter(|(_, is_sent)| *is_sent);
        let mut faults: Vec<_> =
            sent.map(|(path, _)| Flaw::value("must be absent unless cardId is sent").at(path)).collect();
        if self.force_post && self.is_final.is_some() {
            faults.push(Flaw::value("must be absent if forcePost is true").at("body.finalClearing"));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let message = if self.force_post {
            FollowUp::ForcedClearing { amount: self.amount }
        } else {
            FollowUp::Clearing { amount: self.amount, is_final: self.is_final.unwrap_or(true) }
        };
        Ok(Clearing::Of(preceding, message))
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
        match (self.network, self.acceptor) {
            (Some(network), Some(acceptor)) if faults.is_empty() => {
                let (kind, extras) = (FirstKind::ForcePost, Extras::default());
                let message = FirstMessage { kind, amount: self.amount, network, acceptor, extras };
                Ok(Clearing::Without(card, Box::new(message), self.currency))
            }
            _ => Err(faults),
        }
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
        }
    }

    fn of_card() -> ClearingInput {
        let FirstMessage { network, acceptor, .. } = first_message(FirstKind::ForcePost, "10");
        let (card, network, acceptor) = (Some(a_card().build().id), Some(network), Some(acceptor));
        ClearingInput { card, force_post: true, network, acceptor, ..input() }
    }

    fn places(input: ClearingInput) -> Vec<String> {
        Clearing::of(input).unwrap_err().into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn it_names_an_authorization_or_a_card() {
        let of = |is_final, force_post| {
            Clearing::of(ClearingInput { preceding: Some(TOKEN), is_final, force_post, ..input() }).unwrap()
        };
        let amount = decimal("10");
        let normal = |is_final| Clearing::Of(TOKEN, FollowUp::Clearing { amount: decimal("10"), is_final });
        assert_eq!((of(None, false), of(Some(false), false)), (normal(true), normal(false)));
        assert_eq!(of(None, true), Clearing::Of(TOKEN, FollowUp::ForcedClearing { amount }));
        let message = first_message(FirstKind::ForcePost, "10");
        assert_eq!(Clearing::of(of_card()), Ok(Clearing::Without(a_card().build().id, Box::new(message), None)));
    }

    #[test]
    fn each_member_that_does_not_fit_is_named() {
        assert_eq!(places(input()), ["body.precedingRelatedTransactionToken"]);
        assert_eq!(places(ClearingInput { preceding: Some(TOKEN), ..of_card() }), ["body.cardId"]);
        let with_card_members = ClearingInput {
            preceding: Some(TOKEN),
            card: None,
            is_final: Some(true),
            currency: Some(crate::test_support::currency("EUR")),
            ..of_card()
        };
        let expected = ["body.network", "body.cardAcceptor", "body.currencyCode", "body.finalClearing"];
        assert_eq!(places(with_card_members), expected);
        let bare = ClearingInput { card: of_card().card, is_final: Some(true), ..input() };
        let expected = ["body.forcePost", "body.finalClearing", "body.network", "body.cardAcceptor"];
        assert_eq!(places(bare), expected);
    }
}
