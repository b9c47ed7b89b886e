//! The bodies of follow-ups.

use super::bodies::{AcceptorBody, SandboxBody, forced_decline};
use super::message_extras::PosBody;
use crate::declare::{PositiveNumber, WholeNumber, ZeroOrMoreNumber, body};
use florin_domain::card::decide::{ClearingInput, FollowUp};
use florin_domain::card::{Acceptor, MultiClearing, Network};
use florin_domain::ids::{CardId, TransactionToken};
use florin_domain::money::Currency;

body! {
    /// A follow-up with an amount.
    pub(crate) struct TokenAndAmountBody as "CardFollowUpRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
    }
}

body! {
    /// An increment of an authorization.
    pub(crate) struct IncrementBody as "CardIncrementRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Additional amount above zero, in the currency of the first message.
        #[example(2.50)]
        "amount" => amount: PositiveNumber,
        /// Forces an outcome. Florin extension.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// A clearing of an ATM withdrawal.
    pub(crate) struct AtmClearingBody as "AtmClearingRequest" {
        /// The token of any approved authorization or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// The acquirer's fee on top of the amount, in the same currency. Florin extension.
        "acquirerFeeAmount" => acquirer_fee: Option<ZeroOrMoreNumber>,
    }
}

body! {
    /// A follow-up without an amount.
    pub(crate) struct TokenBody as "CardTokenRequest" {
        /// The token of the authorization, or of any approved message of its chain that is not a clearing.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
    }
}

body! {
    /// A clearing of a purchase: of an authorized one, or with `forcePost` of one without an authorization. Send
    /// exactly one of `precedingRelatedTransactionToken` and `cardId`.
    pub(crate) struct ClearingBody as "CardClearingRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: Option<TransactionToken>,
        /// Amount above zero, in the currency of the first message.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// Whether to release the rest of the hold. Default: true. Not allowed with `forcePost` or `cardId`.
        "finalClearing" => is_final: Option<bool>,
        /// Whether to post the clearing even if the authorization has ended or is already cleared. The hold does not
        /// change. Must be true with `cardId`. Florin extension.
        "forcePost" => force_post: Option<bool>,
        /// The id of the card, for a clearing without an authorization. Florin extension.
        "cardId" => card: Option<CardId>,
        /// Card network. Required with `cardId`, otherwise not allowed. Florin extension.
        "network" => network: Option<Network>,
        /// The merchant. Required with `cardId`, otherwise not allowed. Florin extension.
        "cardAcceptor" => acceptor: Option<AcceptorBody>,
        /// The merchant's currency, an ISO 4217 code. With `cardId` only. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// How the card was used at the point of sale. With `cardId` only. Florin extension.
        "pos" => pos: Option<PosBody>,
        /// The number of this clearing among the clearings of one authorization, from 1. Florin extension.
        #[example(1)]
        "multiClearingSequenceNumber" => sequence_number: Option<WholeNumber<1, 99>>,
        /// The total number of clearings of the authorization. Florin extension.
        #[example(2)]
        "multiClearingSequenceCount" => sequence_count: Option<WholeNumber<1, 99>>,
    }
}

body! {
    /// A return of a debit or of a settled refund, in full or in part.
    pub(crate) struct ReturnBody as "CardReturnRequest" {
        /// The token of the debit or refund, or of the clearing of a refund.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message. Default: everything that can still be returned.
        "amount" => amount: Option<PositiveNumber>,
    }
}

body! {
    /// A reversal of a purchase or an ATM withdrawal.
    pub(crate) struct ReversalBody as "CardReversalRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message. Default: the whole hold.
        "amount" => amount: Option<PositiveNumber>,
    }
}

/// A follow-up, with the token of the message that it follows.
pub(crate) struct NewFollowUp {
    pub(super) preceding: TransactionToken,
    pub(super) message: FollowUp,
    /// The number of a clearing, and the total number of clearings, if the body has them.
    pub(super) place: MultiClearing,
}

impl NewFollowUp {
    fn of(preceding: TransactionToken, message: FollowUp) -> Self {
        Self { preceding, message, place: MultiClearing::default() }
    }
}

impl From<IncrementBody> for NewFollowUp {
    fn from(body: IncrementBody) -> Self {
        let message = FollowUp::Incremental { amount: body.amount.0, decline: forced_decline(body.sandbox) };
        Self::of(body.preceding, message)
    }
}

impl From<AtmClearingBody> for NewFollowUp {
    fn from(body: AtmClearingBody) -> Self {
        let message = FollowUp::AtmClearing { amount: body.amount.0, fee: body.acquirer_fee.map(|fee| fee.0) };
        Self::of(body.preceding, message)
    }
}

impl TokenBody {
    /// Builds a reversal of a refund authorization.
    pub(super) fn refund_reversal(self) -> NewFollowUp {
        NewFollowUp::of(self.preceding, FollowUp::RefundReversal)
    }

    /// Builds the expiry of a hold.
    pub(super) fn expiration(self) -> NewFollowUp {
        NewFollowUp::of(self.preceding, FollowUp::Expiration)
    }
}

impl ReturnBody {
    /// Builds a return of a debit.
    pub(super) fn debit_return(self) -> NewFollowUp {
        let message = FollowUp::DebitReversal { amount: self.amount.map(|amount| amount.0) };
        NewFollowUp::of(self.preceding, message)
    }

    /// Builds a return of a settled refund.
    pub(super) fn refund_return(self) -> NewFollowUp {
        let message = FollowUp::RefundReturn { amount: self.amount.map(|amount| amount.0) };
        NewFollowUp::of(self.preceding, message)
    }
}

impl From<ClearingBody> for ClearingInput {
    fn from(body: ClearingBody) -> Self {
        Self {
            preceding: body.preceding,
            card: body.card,
            amount: body.amount.0,
            is_final: body.is_final,
            force_post: body.force_post.unwrap_or_default(),
            network: body.network,
            acceptor: body.acceptor.map(Acceptor::from),
            currency: body.currency,
            pos: body.pos.map(Into::into),
            place: MultiClearing { number: as_u32(body.sequence_number), count: as_u32(body.sequence_count) },
        }
    }
}

impl From<ReversalBody> for NewFollowUp {
    fn from(body: ReversalBody) -> Self {
        let message = FollowUp::Reversal { amount: body.amount.map(|amount| amount.0) };
        Self::of(body.preceding, message)
    }
}

impl TokenAndAmountBody {
    /// Builds an authorization advice.
    pub(super) fn advice(self) -> NewFollowUp {
        NewFollowUp::of(self.preceding, FollowUp::Advice { amount: self.amount.0 })
    }

    /// Builds a clearing of a refund.
    pub(super) fn refund_clearing(self) -> NewFollowUp {
        NewFollowUp::of(self.preceding, FollowUp::RefundClearing { amount: self.amount.0 })
    }
}

fn as_u32(number: Option<WholeNumber<1, 99>>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number.0).ok())
}
