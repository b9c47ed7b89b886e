//! The record of one card message.

use super::{
    Acceptor, ChainKind, Conversion, DecisionCheck, DisputeLink, MultiClearing, Network, PointOfSale, Response,
    ThreeDSecure, Verification, WalletToken,
};
use crate::ids::{AccountId, BudgetId, CardId, TransactionToken, UserToken};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// The kind of a message: the `type` of its record in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// Authorization of a purchase.
    Authorization,
    /// Authorization of an ATM withdrawal.
    AtmAuthorization,
    /// Authorization of a refund.
    RefundAuthorization,
    /// A new total for the hold of an authorization.
    Advice,
    /// An amount added to the hold of an authorization.
    Incremental,
    /// Settlement of a purchase.
    Clearing,
    /// Settlement of an ATM withdrawal.
    AtmClearing,
    /// Settlement of a refund.
    RefundClearing,
    /// Release of all or part of a hold, sent by the acceptor.
    Reversal,
    /// Withdrawal of a refund, sent by the acceptor.
    RefundReversal,
    /// Release of a hold that was not cleared in time.
    Expiry,
    /// Authorization of a purchase with cash back.
    CashbackAuthorization,
    /// Settlement of a purchase with cash back.
    CashbackClearing,
    /// Debit in a single message, with the PIN.
    PinDebit,
    /// Debit in a single message, with cash back.
    PinDebitCashback,
    /// Return of a debit, whole or in part.
    PinDebitReversal,
    /// Balance inquiry.
    BalanceInquiry,
    /// Refund without an authorization.
    Refund,
    /// Withdrawal of a settled refund, whole or in part.
    RefundReturn,
    /// Fee of the network.
    FeeCharge,
    /// Fee that the network pays back.
    FeeChargeReversal,
    /// Credit of a disputed amount until the network decides.
    ProvisionalCredit,
    /// Credit of a disputed amount after the dispute was won.
    Chargeback,
    /// Confirmation of a provisional credit after the dispute was won.
    ChargebackCompleted,
    /// Withdrawal of a provisional credit after the dispute was lost.
    ProvisionalDebit,
}

impl MessageKind {
    /// All kinds.
    pub const ALL: [Self; 25] = [
        Self::Authorization,
        Self::AtmAuthorization,
        Self::RefundAuthorization,
        Self::Advice,
        Self::Incremental,
        Self::Clearing,
        Self::AtmClearing,
        Self::RefundClearing,
        Self::Reversal,
        Self::RefundReversal,
        Self::Expiry,
        Self::CashbackAuthorization,
        Self::CashbackClearing,
        Self::PinDebit,
        Self::PinDebitCashback,
        Self::PinDebitReversal,
        Self::BalanceInquiry,
        Self::Refund,
        Self::RefundReturn,
        Self::FeeCharge,
        Self::FeeChargeReversal,
        Self::ProvisionalCredit,
        Self::Chargeback,
        Self::ChargebackCompleted,
        Self::ProvisionalDebit,
    ];

    /// The dotted name, such as `authorization.clearing`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authorization => "authorization",
            Self::AtmAuthorization => "authorization.atm.withdrawal",
            Self::RefundAuthorization => "refund.authorization",
            Self::Advice => "authorization.advice",
            Self::Incremental => "authorization.incremental",
            Self::Clearing => "authorization.clearing",
            Self::AtmClearing => "authorization.clearing.atm.withdrawal",
            Self::RefundClearing => "refund.authorization.clearing",
            Self::Reversal => "authorization.reversal",
            Self::RefundReversal => "refund.authorization.reversal",
            Self::Expiry => "authorization.reversal.issuerexpiration",
            Self::CashbackAuthorization => "authorization.cashback",
            Self::CashbackClearing => "authorization.clearing.cashback",
            Self::PinDebit => "pindebit",
            Self::PinDebitCashback => "pindebit.cashback",
            Self::PinDebitReversal => "pindebit.reversal",
            Self::BalanceInquiry => "balanceinquiry",
            Self::Refund => "refund",
            Self::RefundReturn => "refund.reversal",
            Self::FeeCharge => "fee.charge",
            Self::FeeChargeReversal => "fee.charge.reversal",
            Self::ProvisionalCredit => "authorization.clearing.chargeback.provisional.credit",
            Self::Chargeback => "authorization.clearing.chargeback",
            Self::ChargebackCompleted => "authorization.clearing.chargeback.completed",
            Self::ProvisionalDebit => "authorization.clearing.chargeback.provisional.debit",
        }
    }
}

/// The state of a message. Only the state of a first message changes: when its chain ends, or when a message after the
/// end changes the cleared amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransactionState {
    /// Approved; the chain stays open.
    Pending,
    /// CLEARED in the API: ended with nothing cleared; or a full reversal, an expiry, a refund reversal or the return
    /// of a debit.
    NothingCleared,
    /// COMPLETION in the API: ended with money cleared; or a message that takes full effect immediately, such as a
    /// clearing or an account check.
    Completed,
    /// Declined.
    Declined,
}

impl TransactionState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Pending, Self::NothingCleared, Self::Completed, Self::Declined];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::NothingCleared => "CLEARED",
            Self::Completed => "COMPLETION",
            Self::Declined => "DECLINED",
        }
    }
}

/// The record of one card message. Only its [`state`](Self::state) can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTransaction {
    /// Its token.
    pub token: TransactionToken,
    /// The token of the first message of its chain. A first message has its own token here.
    pub chain: TransactionToken,
    /// The account.
    pub account: AccountId,
    /// The card.
    pub card: CardId,
    /// The `userToken` of the card.
    pub user_token: UserToken,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The kind of its chain.
    pub chain_kind: ChainKind,
    /// Its kind.
    pub kind: MessageKind,
    /// Its state.
    pub state: TransactionState,
    /// The card's currency. All amounts except `conversion` are in it.
    pub currency: Currency,
    /// Its own amount, without the acquirer's fee.
    pub amount: Minor,
    /// The requested amount. For a reversal, an expiry or a return, the approved amount of the first message.
    pub requested: Minor,
    /// The fee of an ATM's acquirer in addition to the amount.
    pub acquirer_fee: Minor,
    /// The amount in the merchant's currency. `None` if that is the card's currency.
    pub conversion: Option<Conversion>,
    /// The change of funds: negative when funds are debited.
    pub impacted: Minor,
    /// Its response.
    pub response: Response,
    /// The budget's ledger balance after the message.
    pub ledger_balance: Minor,
    /// The budget's available balance after the message.
    pub available_balance: Minor,
    /// The token of the earlier message that it follows. `None` for first messages.
    pub preceding: Option<TransactionToken>,
    /// The card network.
    pub network: Network,
    /// The merchant or machine that sent it.
    pub acceptor: Acceptor,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
    /// The details that only some messages have.
    pub details: MessageDetails,
}

/// The details that only some messages have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageDetails {
    /// The part of the amount that the merchant pays out in cash, above zero.
    pub cash_back: Option<Minor>,
    /// The type of a fee, in the network's words.
    pub fee_type: Option<String>,
    /// The use of the card at the point of sale, as the caller described it.
    pub pos: Option<PointOfSale>,
    /// The outcome of 3-D Secure.
    pub three_d_secure: Option<ThreeDSecure>,
    /// The token of the digital wallet.
    pub wallet_token: Option<WalletToken>,
    /// The result of verifying the cardholder.
    pub verification: Option<Verification>,
    /// The place of a clearing among several of one authorization.
    pub multi_clearing: MultiClearing,
    /// The dispute that caused it.
    pub dispute: Option<DisputeLink>,
    /// The verdict of the account's decision endpoint, if it was asked.
    pub decision: Option<DecisionCheck>,
}

impl CardTransaction {
    /// The message that it follows. For the first message of a dispute's chain, the disputed message.
    pub fn follows(&self) -> Option<TransactionToken> {
        self.preceding.or_else(|| self.details.dispute.map(|link| link.transaction))
    }

    /// The subnetwork, derived from network and kind.
    pub const fn subnetwork(&self) -> &'static str {
        self.network.subnetwork(self.chain_kind)
    }
}
