//! The bodies of first messages.

use super::message_extras::{CardholderBody, PosBody, ThreeDSecureBody, WalletTokenBody};
use crate::declare::{CountryCode, MerchantCategory, PositiveNumber, ZeroOrMoreNumber, body, named};
use florin_application::NewMessage;
use florin_domain::card::decide::{Extras, FirstKind, FirstMessage};
use florin_domain::card::{Acceptor, AcceptorInput, Network, Pin, Response};
use florin_domain::ids::CardId;
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
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of its follow-ups are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// If funds are insufficient, approve the available part (response code 0002). Florin extension.
        "partialApproval" => partial_approval: Option<bool>,
        /// The part of the amount that the merchant pays out in cash. Florin extension.
        "cashBackAmount" => cash_back: Option<PositiveNumber>,
        /// How the card is used at the point of sale. Florin extension.
        "pos" => pos: Option<PosBody>,
        /// The result of 3-D Secure. Florin extension.
        "threeDSecure" => three_d_secure: Option<ThreeDSecureBody>,
        /// The token of the digital wallet, if the payment uses one. Florin extension.
        "digitalWalletToken" => wallet_token: Option<WalletTokenBody>,
        /// Data that the cardholder enters, which Florin compares with the stored data. Florin extension.
        "cardholder" => cardholder: Option<CardholderBody>,
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
        /// The acquirer's currency, an ISO 4217 code. The amounts of this message and of its follow-ups are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// The acquirer's fee on top of the amount, in the same currency. Florin extension.
        "acquirerFeeAmount" => acquirer_fee: Option<ZeroOrMoreNumber>,
        /// The PIN that the cardholder enters: four digits. A message with a wrong PIN is declined. Florin extension.
        #[example("0427")]
        "pin" => pin: Option<Pin>,
        /// How the card is used at the point of sale. Florin extension.
        "pos" => pos: Option<PosBody>,
        /// The token of the digital wallet, if the payment uses one. Florin extension.
        "digitalWalletToken" => wallet_token: Option<WalletTokenBody>,
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
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of its returns are in this
        /// currency.
        "currencyCode" => currency: Option<Currency>,
        /// The part of the amount that the merchant pays out in cash.
        "cashBackAmount" => cash_back: Option<PositiveNumber>,
        /// The PIN that the cardholder enters: four digits. A message with a wrong PIN is declined.
        #[example("0427")]
        "pin" => pin: Option<Pin>,
        /// How the card is used at the point of sale.
        "pos" => pos: Option<PosBody>,
        /// The result of 3-D Secure.
        "threeDSecure" => three_d_secure: Option<ThreeDSecureBody>,
        /// The token of the digital wallet, if the payment uses one.
        "digitalWalletToken" => wallet_token: Option<WalletTokenBody>,
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
        /// The PIN that the cardholder enters: four digits. A message with a wrong PIN is declined.
        #[example("0427")]
        "pin" => pin: Option<Pin>,
        /// How the card is used at the point of sale.
        "pos" => pos: Option<PosBody>,
        /// The token of the digital wallet, if the payment uses one.
        "digitalWalletToken" => wallet_token: Option<WalletTokenBody>,
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
        /// `D`: the fee is charged. `C`: the fee is paid back.
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
        /// The merchant's currency, an ISO 4217 code. The amounts of this message and of its follow-ups are in this
        /// currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
        /// How the card is used at the point of sale. Florin extension.
        "pos" => pos: Option<PosBody>,
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

/// A decline that a caller forces. Callers name it by its response code.
#[derive(Clone, Copy)]
pub(crate) struct ForcedDecline(Response);

named! {
    ForcedDecline: Response::DECLINES.map(ForcedDecline), |decline| decline.0.code();
}

impl From<AuthorizationBody> for NewMessage {
    fn from(body: AuthorizationBody) -> Self {
        let extras = Extras {
            partial_approval: body.partial_approval.unwrap_or_default(),
            decline: forced_decline(body.sandbox),
            cash_back: body.cash_back.map(|cash| cash.0),
            pos: body.pos.map(Into::into),
            three_d_secure: body.three_d_secure.map(|result| result.outcome),
            wallet_token: body.wallet_token.map(Into::into),
            cardholder: body.cardholder.map(Into::into),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Purchase, amount, network, acceptor, extras };
        Self { card: body.card, message, merchant_currency: body.currency, pin: None }
    }
}

impl From<WithdrawalBody> for NewMessage {
    fn from(body: WithdrawalBody) -> Self {
        let acquirer_fee = body.acquirer_fee.map(|fee| fee.0);
        let extras = Extras {
            acquirer_fee,
            decline: forced_decline(body.sandbox),
            pos: body.pos.map(Into::into),
            wallet_token: body.wallet_token.map(Into::into),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Atm, amount, network, acceptor, extras };
        Self { card: body.card, message, merchant_currency: body.currency, pin: body.pin }
    }
}

impl From<DebitBody> for NewMessage {
    fn from(body: DebitBody) -> Self {
        let cash_back = body.cash_back.map(|cash| cash.0);
        let extras = Extras {
            cash_back,
            decline: forced_decline(body.sandbox),
            pos: body.pos.map(Into::into),
            three_d_secure: body.three_d_secure.map(|result| result.outcome),
            wallet_token: body.wallet_token.map(Into::into),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (body.amount.0, body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Debit, amount, network, acceptor, extras };
        Self { card: body.card, message, merchant_currency: body.currency, pin: body.pin }
    }
}

impl From<InquiryBody> for NewMessage {
    fn from(body: InquiryBody) -> Self {
        let extras = Extras {
            decline: forced_decline(body.sandbox),
            pos: body.pos.map(Into::into),
            wallet_token: body.wallet_token.map(Into::into),
            ..Extras::default()
        };
        let (amount, network, acceptor) = (DecimalAmount::zero(), body.network, body.acceptor.into());
        let message = FirstMessage { kind: FirstKind::Inquiry, amount, network, acceptor, extras };
        Self { card: body.card, message, merchant_currency: None, pin: body.pin }
    }
}

impl From<FeeBody> for NewMessage {
    fn from(body: FeeBody) -> Self {
        let kind = match body.direction {
            FeeDirection::Charge => FirstKind::FeeCharge,
            FeeDirection::Credit => FirstKind::FeeCredit,
        };
        let message = FirstMessage::of_network(kind, body.amount.0, body.fee_type);
        Self { card: body.card, message, merchant_currency: None, pin: None }
    }
}

impl RefundBody {
    /// Builds the authorization of a refund.
    pub(super) fn authorization(self) -> NewMessage {
        self.of_kind(FirstKind::Refund)
    }

    /// Builds a refund without an authorization.
    pub(super) fn unlinked(self) -> NewMessage {
        self.of_kind(FirstKind::UnlinkedRefund)
    }

    fn of_kind(self, kind: FirstKind) -> NewMessage {
        let (decline, pos) = (forced_decline(self.sandbox), self.pos.map(Into::into));
        let extras = Extras { decline, pos, ..Extras::default() };
        let (amount, network, acceptor) = (self.amount.0, self.network, self.acceptor.into());
        let message = FirstMessage { kind, amount, network, acceptor, extras };
        NewMessage { card: self.card, message, merchant_currency: self.currency, pin: None }
    }
}

impl From<AcceptorBody> for Acceptor {
    fn from(body: AcceptorBody) -> Self {
        let input = AcceptorInput {
            mid: body.mid,
            name: body.name,
            city: body.city,
            state: body.state,
            postal_code: body.postal_code,
            country_code: body.country_code.map(|code| code.0),
            mcc: body.category.map(|code| code.0),
        };
        input.completed()
    }
}

/// Returns the decline that a caller forces. `None`: the rules decide.
pub(super) fn forced_decline(sandbox: Option<SandboxBody>) -> Option<Response> {
    sandbox.and_then(|sandbox| sandbox.decline).map(|decline| decline.0)
}
