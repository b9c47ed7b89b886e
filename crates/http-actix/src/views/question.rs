//! The questions that are sent to decision endpoints. Florin extensions.

use super::message_extras::{PosView, ThreeDSecureView, VerificationView, WalletTokenView};
use super::transaction::{AcceptorView, ConversionView};
use super::{Amount, Time};
use florin_application::QuestionToRender;
use florin_domain::card::CardTransaction;
use florin_domain::money::Minor;
use florin_ports::StoreError;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A question to the decision endpoint of an account: whether to approve a card message.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDecisionQuestion)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuestionView<'a> {
    /// The id of the question, which is also in the header `webhook-id`. If the message is recorded, this becomes its
    /// token.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the account.
    #[schema(min_length = 1, max_length = 36)]
    account_id: &'a str,
    /// The id of the budget that the card spends from.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// When the message arrived, by the clock of the account.
    #[schema(value_type = String, format = DateTime)]
    occurred_at: Time,
    /// Whether the message is a dry run, so that the decision has no effect.
    preview: bool,
    /// The amount to approve, in the currency of the message and without the acquirer's fee. The amount of a partial
    /// approval must be above zero and at most this amount.
    #[schema(value_type = String)]
    amount: Amount,
    /// The currency of `amount` (ISO 4217, alphabetic).
    currency_code: &'static str,
    /// Whether the message can be approved in part.
    partial_approval: bool,
    /// The balances of the budget before the message.
    balances: QuestionBalancesView,
    /// The message. Its amounts are in the currency of the card.
    transaction: QuestionMessageView<'a>,
}

/// The balances of a budget, in the currency of the card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDecisionBalances)]
#[serde(rename_all = "camelCase")]
struct QuestionBalancesView {
    /// The ledger balance.
    #[schema(value_type = String)]
    ledger_balance: Amount,
    /// The available balance.
    #[schema(value_type = String)]
    available_balance: Amount,
}

/// A card message that awaits a decision. Its members are those of a card transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDecisionTransaction)]
#[serde(rename_all = "camelCase")]
struct QuestionMessageView<'a> {
    /// The token that the message will have.
    #[schema(value_type = String, format = Uuid)]
    token: Uuid,
    /// The token of the first message of the chain. For a first message, it equals `token`.
    #[schema(value_type = String, format = Uuid)]
    chain_token: Uuid,
    /// The type of the message, in dotted notation.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The `userToken` of the card.
    #[schema(value_type = String, format = Uuid)]
    user_token: Uuid,
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_token: Uuid,
    /// The amount of the message.
    #[schema(value_type = String)]
    amount: Amount,
    /// The fee of the acquirer, in addition to the amount.
    #[schema(value_type = String)]
    acquirer_fee_amount: Amount,
    /// The part of the amount that the merchant pays out in cash; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    cash_back_amount: Option<Amount>,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The conversion between the merchant's currency and the card's. The rate is 1 if they are the same.
    currency_conversion: ConversionView,
    /// The token of the preceding message; absent on first messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid, nullable = false)]
    preceding_related_transaction_token: Option<Uuid>,
    /// The card network.
    #[schema(pattern = "^(VISA|MASTERCARD|DISCOVER|PULSE)$")]
    network: &'static str,
    /// The subnetwork of the card network.
    subnetwork: &'static str,
    /// The merchant or ATM where the card is used.
    card_acceptor: AcceptorView<'a>,
    /// How the card is used; absent if the message does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pos: Option<PosView>,
    /// The result of 3-D Secure; absent if the message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    three_d_secure: Option<ThreeDSecureView>,
    /// The token of the digital wallet; absent if the message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    digital_wallet_token: Option<WalletTokenView<'a>>,
    /// The comparison of the message's data about the cardholder with the stored data; absent if the message contains
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    verification: Option<VerificationView>,
}

impl<'a> From<&'a CardTransaction> for QuestionMessageView<'a> {
    fn from(message: &'a CardTransaction) -> Self {
        let money = |minor: Minor| Amount(minor.of(message.currency));
        let details = &message.details;
        Self {
            token: message.token.0,
            chain_token: message.chain.0,
            kind: message.kind.as_str(),
            user_token: message.user_token.0,
            card_token: message.card.0,
            amount: money(message.amount),
            acquirer_fee_amount: money(message.acquirer_fee),
            cash_back_amount: details.cash_back.map(money),
            currency_code: message.currency.code(),
            currency_conversion: ConversionView::from(message),
            preceding_related_transaction_token: message.preceding.map(|token| token.0),
            network: message.network.as_str(),
            subnetwork: message.subnetwork(),
            card_acceptor: AcceptorView::from(&message.acceptor),
            pos: details.pos.map(PosView::from),
            three_d_secure: details.three_d_secure.map(|outcome| ThreeDSecureView { outcome: outcome.as_str() }),
            digital_wallet_token: details.wallet_token.as_ref().map(WalletTokenView::from),
            verification: details.verification.map(VerificationView::from),
        }
    }
}

impl<'a> From<QuestionToRender<'a>> for QuestionView<'a> {
    fn from(QuestionToRender { id, question, is_dry_run }: QuestionToRender<'a>) -> Self {
        let message = &question.message;
        let money = |minor: Minor| Amount(minor.of(message.currency));
        Self {
            id: id.0,
            account_id: message.account.as_str(),
            budget_id: message.budget.0,
            occurred_at: Time(message.created_at),
            preview: is_dry_run,
            amount: Amount(question.amount),
            currency_code: question.amount.currency.code(),
            partial_approval: question.allows_partial,
            balances: QuestionBalancesView {
                ledger_balance: money(message.ledger_balance),
                available_balance: money(message.available_balance),
            },
            transaction: QuestionMessageView::from(message),
        }
    }
}

/// Renders a question to a decision endpoint as a JSON text.
pub fn decision_question(to_render: QuestionToRender<'_>) -> Result<String, StoreError> {
    let text = serde_json::to_string(&QuestionView::from(to_render));
    text.map_err(|error| StoreError::Corrupt(format!("a question can't be rendered: {error}")))
}
