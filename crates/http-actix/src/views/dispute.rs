//! Disputes of card transactions in responses.

use super::transaction::TransactionView;
use super::{Amount, DryRunView, Time};
use florin_domain::card::Dispute;
use florin_domain::card::decide::DisputeDone;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A dispute of a settled purchase or debit.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDispute)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisputeView<'a> {
    /// The id of the dispute.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the account.
    account_id: &'a str,
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_id: Uuid,
    /// The token of the disputed message.
    #[schema(value_type = String, format = Uuid)]
    transaction_token: Uuid,
    /// The token of the first message of the disputed chain.
    #[schema(value_type = String, format = Uuid)]
    first_transaction_token: Uuid,
    /// The disputed amount.
    #[schema(value_type = String)]
    amount: Amount,
    /// The card's currency (ISO 4217, alphabetic).
    currency_code: &'static str,
    /// Why the cardholder contests the transaction.
    #[schema(pattern = "^(FRAUD|DUPLICATE|NOT_RECEIVED|NOT_AS_DESCRIBED|WRONG_AMOUNT)$")]
    reason: &'static str,
    /// The status of the dispute.
    #[schema(pattern = "^(OPEN|WON|LOST)$")]
    status: &'static str,
    /// The token of the provisional credit; null if none was given.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    provisional_credit_token: Option<Uuid>,
    /// The token of the message that the outcome caused. Null while the dispute is OPEN, and if the dispute was lost
    /// without a provisional credit.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    resolution_token: Option<Uuid>,
    /// The evidence, oldest first.
    evidence: Vec<EvidenceView<'a>>,
    /// When the dispute was opened.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the dispute last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// When the dispute was won or lost; null while it is OPEN.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    resolved_at: Option<Time>,
}

/// A text that supports a dispute.
#[derive(Serialize, ToSchema)]
#[schema(as = DisputeEvidence)]
#[serde(rename_all = "camelCase")]
struct EvidenceView<'a> {
    /// The text of the evidence.
    text: &'a str,
    /// When the evidence was added.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

/// A dispute, or its dry run.
#[derive(Serialize, ToSchema)]
#[schema(as = DisputeAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisputeAnswer<'a> {
    #[serde(flatten)]
    dispute: DisputeView<'a>,
    /// The changes that the request would make. Only with `dryRun=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// The message that an action on a dispute caused, and the dispute after it.
#[derive(Serialize, ToSchema)]
#[schema(as = DisputeMessageAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisputeMessageAnswer<'a> {
    /// The record of the message; null if the dispute was lost without a provisional credit.
    #[schema(required, nullable = true)]
    transaction: Option<TransactionView<'a>>,
    /// The dispute after the message.
    dispute: DisputeView<'a>,
    /// The changes that the request would make. Only with `dryRun=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

impl<'a> From<&'a Dispute> for DisputeView<'a> {
    fn from(dispute: &'a Dispute) -> Self {
        let evidence = dispute.evidence.iter();
        Self {
            id: dispute.id.0,
            account_id: dispute.account.as_str(),
            card_id: dispute.card.0,
            transaction_token: dispute.transaction.0,
            first_transaction_token: dispute.chain.0,
            amount: Amount(dispute.amount.of(dispute.currency)),
            currency_code: dispute.currency.code(),
            reason: dispute.reason.as_str(),
            status: dispute.state.status().as_str(),
            provisional_credit_token: dispute.credit.map(|token| token.0),
            resolution_token: dispute.state.settlement().map(|token| token.0),
            evidence: evidence
                .map(|item| EvidenceView { text: &item.text, created_at: Time(item.created_at) })
                .collect(),
            created_at: Time(dispute.created_at),
            updated_at: Time(dispute.updated_at),
            resolved_at: dispute.state.resolved_at().map(Time),
        }
    }
}

impl<'a> DisputeAnswer<'a> {
    /// Builds the response to a request that opens a dispute or adds evidence, or to its dry run.
    pub(crate) fn new(done: &'a DisputeDone, dry_run: Option<DryRunView>) -> Self {
        Self { dispute: DisputeView::from(&done.dispute), dry_run }
    }
}

impl<'a> DisputeMessageAnswer<'a> {
    /// Builds the response to a request that can move the money of a dispute, or to its dry run.
    pub(crate) fn new(done: &'a DisputeDone, dry_run: Option<DryRunView>) -> Self {
        let transaction = done.transaction.as_ref().map(TransactionView::from);
        Self { transaction, dispute: DisputeView::from(&done.dispute), dry_run }
    }
}
