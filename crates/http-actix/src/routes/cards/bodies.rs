//! The bodies of card messages.

use crate::declare::{CountryCode, MerchantCategory, PositiveNumber, ZeroOrMoreNumber, body, named};
use florin_domain::card::decide::{Extras, FirstMessage, FollowUp};
use florin_domain::card::{AcceptorInput, ChainKind, Network, Response};
use florin_domain::ids::{CardId, TransactionToken};
use florin_domain::money::Currency;
use florin_domain::text::Text;

body! {
    /// A simulated purchase authorization.
    pub(crate) struct AuthorizationBody as "CardAuthorizationRequest" {
        /// The id of the card.
        "cardId" => card: CardId,
        /// Amount, in the card's currency unless `currencyCode` names another. Zero requests an account check.
        #[example(10.00)]
        "amount" => amount: ZeroOrMoreNumber,
        /// Card network.
        #[example("VISA")]
        "network" => network: Network,
        /// The merchant.
        "cardAcceptor" => acceptor: AcceptorBody,
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of those that follow are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// If funds are insufficient, approve the available part (response code 0002). Florin extension.
        "partialApproval" => partial_approval: Option<bool>,
        /// Forces an outcome. Florin extension.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// A simulated ATM withdrawal.
    pub(crate) struct WithdrawalBody as "AtmWithdrawalRequest" {
        /// The id of the card.
        "cardId" => card: CardId,
        /// Amount above zero, in the card's currency unless `currencyCode` names another.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// Card network.
        #[example("VISA")]
        "network" => network: Network,
        /// The ATM.
        "cardAcceptor" => acceptor: AcceptorBody,
        /// The acquirer's currency, an ISO 4217 code. The amounts of this message and of those that follow are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// The acquirer's fee on top of the amount, in the same currency. Florin extension.
        "acquirerFeeAmount" => acquirer_fee: Option<ZeroOrMoreNumber>,
        /// Forces an outcome. Florin extension.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// A simulated refund.
    pub(crate) struct RefundBody as "CardRefundRequest" {
        /// The id of the card.
        "cardId" => card: CardId,
        /// Amount above zero, in the card's currency unless `currencyCode` names another.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// Card network.
        #[example("VISA")]
        "network" => network: Network,
        /// The merchant.
        "cardAcceptor" => acceptor: AcceptorBody,
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of those that follow are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// Forces an outcome. Florin extension.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// An outcome that the sandbox must produce regardless of the rules. Florin extension.
    pub(crate) struct SandboxBody as "CardSandboxRequest" {
        /// Decline the message with this response code.
        #[example("1016")]
        "decline" => decline: Option<ForcedDecline>,
    }
}

body! {
    /// The merchant or ATM where the card is used.
    pub(crate) struct AcceptorBody as "CardAcceptorRequest" {
        /// Merchant id (MID). A numeric id is padded with leading zeros to 15 digits.
        #[example("11111")]
        "mid" => mid: Text<1, 36>,
        /// Merchant name.
        "name" => name: Option<Text<0, 255>>,
        /// City.
        "city" => city: Option<Text<0, 255>>,
        /// State or county.
        "state" => state: Option<Text<0, 40>>,
        /// Postal code.
        "postalCode" => postal_code: Option<Text<0, 10>>,
        /// Country, an ISO 3166 alpha-3 code.
        "countryCode" => country_code: Option<CountryCode>,
        /// Merchant category code, ISO 18245.
        "mcc" => category: Option<MerchantCategory>,
    }
}

body! {
    /// A follow-up of an earlier message.
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
    /// A reversal of a refund.
    pub(crate) struct RefundReversalBody as "CardRefundReversalRequest" {
        /// The token of the refund authorization.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
    }
}

body! {
    /// A clearing of a purchase.
    pub(crate) struct ClearingBody as "CardClearingRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// Whether to release the rest of the hold. Default: true.
        "finalClearing" => is_final: Option<bool>,
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

/// A decline, by its response code.
#[derive(Clone, Copy)]
pub(crate) struct ForcedDecline(Response);

named! {
    ForcedDecline: Response::DECLINES.map(ForcedDecline), |decline| decline.0.code();
}

/// A first message to a card, with the merchant's currency if the body names one.
pub(super) struct First {
    pub(super) card: CardId,
    pub(super) message: FirstMessage,
    pub(super) currency: Option<Currency>,
}

/// A follow-up, with the token of the message that it follows.
pub(super) struct Next {
    pub(super) preceding: TransactionToken,
    pub(super) message: FollowUp,
}

impl From<AuthorizationBody> for First {
    fn from(body: AuthorizationBody) -> Self {
        let extras = Extras {
            partial_approval: body.partial_approval.unwrap_or_default(),
            decline: forced_decline(body.sandbox),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: ChainKind::Purchase, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<WithdrawalBody> for First {
    fn from(body: WithdrawalBody) -> Self {
        let acquirer_fee = body.acquirer_fee.map(|fee| fee.0);
        let extras = Extras { acquirer_fee, decline: forced_decline(body.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: ChainKind::Atm, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<RefundBody> for First {
    fn from(body: RefundBody) -> Self {
        let extras = Extras { decline: forced_decline(body.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: ChainKind::Refund, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<AcceptorBody> for AcceptorInput {
    fn from(body: AcceptorBody) -> Self {
        Self {
            mid: body.mid,
            name: body.name,
            city: body.city,
            state: body.state,
            postal_code: body.postal_code,
            country_code: body.country_code.map(|code| code.0),
            mcc: body.category.map(|code| code.0),
        }
    }
}

fn forced_decline(sandbox: Option<SandboxBody>) -> Option<Response> {
    sandbox.and_then(|sandbox| sandbox.decline).map(|decline| decline.0)
}

impl From<IncrementBody> for Next {
    fn from(body: IncrementBody) -> Self {
        let message = FollowUp::Incremental { amount: body.amount.0, decline: forced_decline(body.sandbox) };
        Self { preceding: body.preceding, message }
    }
}

impl From<AtmClearingBody> for Next {
    fn from(body: AtmClearingBody) -> Self {
        let message = FollowUp::AtmClearing { amount: body.amount.0, fee: body.acquirer_fee.map(|fee| fee.0) };
        Self { preceding: body.preceding, message }
    }
}

impl From<RefundReversalBody> for Next {
    fn from(body: RefundReversalBody) -> Self {
        Self { preceding: body.preceding, message: FollowUp::RefundReversal }
    }
}

impl From<ClearingBody> for Next {
    fn from(body: ClearingBody) -> Self {
        let message = FollowUp::Clearing { amount: body.amount.0, is_final: body.is_final.unwrap_or(true) };
        Self { preceding: body.preceding, message }
    }
}

impl From<ReversalBody> for Next {
    fn from(body: ReversalBody) -> Self {
        let message = FollowUp::Reversal { amount: body.amount.map(|amount| amount.0) };
        Self { preceding: body.preceding, message }
    }
}

impl TokenAndAmountBody {
    /// Builds an authorization advice.
    pub(super) fn advice(self) -> Next {
        Next { preceding: self.preceding, message: FollowUp::Advice { amount: self.amount.0 } }
    }

    /// Builds a clearing of a refund.
    pub(super) fn refund_clearing(self) -> Next {
        Next { preceding: self.preceding, message: FollowUp::RefundClearing { amount: self.amount.0 } }
    }
}
