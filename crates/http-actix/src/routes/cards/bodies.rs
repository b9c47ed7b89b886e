//! The bodies of card messages.

use crate::declare::{CountryCode, MerchantCategory, PositiveNumber, ZeroOrMoreNumber, body, named};
use florin_domain::card::decide::{ClearingInput, Extras, FirstKind, FirstMessage, FollowUp};
use florin_domain::card::{Acceptor, AcceptorInput, Network, Response};
use florin_domain::ids::{CardId, TransactionToken};
use florin_domain::money::{Currency, DecimalAmount};
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
        /// The part of the amount that the merchant pays out in cash. Florin extension.
        "cashBackAmount" => cash_back: Option<PositiveNumber>,
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
    /// A simulated debit in a single message.
    pub(crate) struct DebitBody as "CardDebitRequest" {
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
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of its reversals are in this
        /// currency.
        "currencyCode" => currency: Option<Currency>,
        /// The part of the amount that the merchant pays out in cash.
        "cashBackAmount" => cash_back: Option<PositiveNumber>,
        /// Forces an outcome.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// A simulated balance inquiry.
    pub(crate) struct InquiryBody as "CardBalanceInquiryRequest" {
        /// The id of the card.
        "cardId" => card: CardId,
        /// Card network.
        #[example("VISA")]
        "network" => network: Network,
        /// The ATM or merchant.
        "cardAcceptor" => acceptor: AcceptorBody,
        /// Forces an outcome.
        "sandbox" => sandbox: Option<SandboxBody>,
    }
}

body! {
    /// A simulated fee of the card network.
    pub(crate) struct FeeBody as "CardFeeRequest" {
        /// The id of the card.
        "cardId" => card: CardId,
        /// Amount above zero, in the card's currency.
        #[example(0.50)]
        "amount" => amount: PositiveNumber,
        /// What the fee is for, in the network's words.
        #[example("cross-border")]
        "feeType" => fee_type: Text<1, 40>,
        /// `D`: the fee is charged. `C`: it is paid back.
        #[example("D")]
        "creditDebit" => direction: FeeDirection,
    }
}

/// Whether a fee is charged or paid back.
#[derive(Clone, Copy)]
pub(crate) enum FeeDirection {
    Charge,
    Credit,
}

named! {
    FeeDirection: [FeeDirection::Charge, FeeDirection::Credit], |direction| match direction {
        FeeDirection::Charge => "D",
        FeeDirection::Credit => "C",
    };
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
    /// A message that follows another one and has no amount.
    pub(crate) struct TokenBody as "CardTokenRequest" {
        /// The token of the authorization, or of any approved message of its chain that is not a clearing.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
    }
}

body! {
    /// A clearing of a purchase: of an authorization, or with `forcePost` of a card. Send exactly one of
    /// `precedingRelatedTransactionToken` and `cardId`.
    pub(crate) struct ClearingBody as "CardClearingRequest" {
        /// The token of any approved authorization, advice, increment or partial reversal of the chain.
        "precedingRelatedTransactionToken" => preceding: Option<TransactionToken>,
        /// Amount above zero, in the currency of the first message.
        #[example(10.00)]
        "amount" => amount: PositiveNumber,
        /// Whether to release the rest of the hold. Default: true.
        "finalClearing" => is_final: Option<bool>,
        /// Clear even if the authorization has ended or is already cleared, and leave its hold as it is; or without an
        /// authorization. Florin extension.
        "forcePost" => force_post: Option<bool>,
        /// The id of the card, for a clearing without an authorization. Florin extension.
        "cardId" => card: Option<CardId>,
        /// Card network, with `cardId`. Florin extension.
        "network" => network: Option<Network>,
        /// The merchant, with `cardId`. Florin extension.
        "cardAcceptor" => acceptor: Option<AcceptorBody>,
        /// The merchant's currency, an ISO 4217 code, with `cardId`. Florin extension.
        "currencyCode" => currency: Option<Currency>,
    }
}

body! {
    /// A return of a debit or of a refund, whole or in part.
    pub(crate) struct ReturnBody as "CardReturnRequest" {
        /// The token of the debit or refund, or of the clearing of a refund.
        "precedingRelatedTransactionToken" => preceding: TransactionToken,
        /// Amount above zero, in the currency of the first message. Default: all that is left.
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
            cash_back: body.cash_back.map(|cash| cash.0),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Purchase, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<WithdrawalBody> for First {
    fn from(body: WithdrawalBody) -> Self {
        let acquirer_fee = body.acquirer_fee.map(|fee| fee.0);
        let extras = Extras { acquirer_fee, decline: forced_decline(body.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Atm, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<DebitBody> for First {
    fn from(body: DebitBody) -> Self {
        let cash_back = body.cash_back.map(|cash| cash.0);
        let extras = Extras { cash_back, decline: forced_decline(body.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Debit, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: body.currency }
    }
}

impl From<InquiryBody> for First {
    fn from(body: InquiryBody) -> Self {
        let extras = Extras { decline: forced_decline(body.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (DecimalAmount::zero(), body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Inquiry, amount, network, acceptor, extras };
        Self { card: body.card, message, currency: None }
    }
}

impl From<FeeBody> for First {
    fn from(body: FeeBody) -> Self {
        let kind = match body.direction {
            FeeDirection::Charge => FirstKind::FeeCharge,
            FeeDirection::Credit => FirstKind::FeeCredit,
        };
        Self { card: body.card, message: FirstMessage::of_network(kind, body.amount.0, body.fee_type), currency: None }
    }
}

impl RefundBody {
    /// Builds the authorization of a refund.
    pub(super) fn authorization(self) -> First {
        self.of_kind(FirstKind::Refund)
    }

    /// Builds a refund without an authorization.
    pub(super) fn unlinked(self) -> First {
        self.of_kind(FirstKind::UnlinkedRefund)
    }

    fn of_kind(self, kind: FirstKind) -> First {
        let extras = Extras { decline: forced_decline(self.sandbox), ..Extras::default() };
        let (amount, network, acceptor) = (self.amount.0, self.network, self.acceptor.into());
        let message = FirstMessage { kind, amount, network, acceptor, extras };
        First { card: self.card, message, currency: self.currency }
    }
}

impl From<AcceptorBody> for Acceptor {
    fn from(body: AcceptorBody) -> Self {
        let sent = AcceptorInput {
            mid: body.mid,
            name: body.name,
            city: body.city,
            state: body.state,
            postal_code: body.postal_code,
            country_code: body.country_code.map(|code| code.0),
            mcc: body.category.map(|code| code.0),
        };
        sent.completed()
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

impl TokenBody {
    /// Builds a reversal of a refund authorization.
    pub(super) fn refund_reversal(self) -> Next {
        Next { preceding: self.preceding, message: FollowUp::RefundReversal }
    }

    /// Builds the expiry of a hold.
    pub(super) fn expiration(self) -> Next {
        Next { preceding: self.preceding, message: FollowUp::Expiration }
    }
}

impl ReturnBody {
    /// Builds a reversal of a debit.
    pub(super) fn debit_reversal(self) -> Next {
        let message = FollowUp::DebitReversal { amount: self.amount.map(|amount| amount.0) };
        Next { preceding: self.preceding, message }
    }

    /// Builds a reversal of a settled refund.
    pub(super) fn refund_return(self) -> Next {
        let message = FollowUp::RefundReturn { amount: self.amount.map(|amount| amount.0) };
        Next { preceding: self.preceding, message }
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
        }
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
