//! Movements of an account.

use super::{Amount, PaymentView, Time, TransactionView};
use florin_domain::activity::{Activity, ActivityDetail, CreditDetail};
use florin_domain::money::{Currency, Minor};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// One movement.
#[derive(Serialize, ToSchema)]
#[schema(as = Activity)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityView {
    /// The id of the movement: the token of a card message, or the id of a payment, of a transfer, or of the journal
    /// transaction of a credit.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The type of the card message, or `credit`, `payment`, `transfer`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status of the card message or payment; `completed` for credits and transfers.
    #[schema(pattern = "^(PENDING|CLEARED|COMPLETION|DECLINED|confirmed|started|completed|failed|returned)$")]
    status: &'static str,
    /// The id of the budget; on a transfer, of the sending budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// The id of the receiving budget of a transfer; null on other movements.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    to_budget_id: Option<Uuid>,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The amount of the movement, never negative.
    #[schema(value_type = String)]
    amount: Amount,
    /// The effect on the budget's funds. Negative if the movement reduces them.
    #[schema(value_type = String)]
    impacted_amount: Amount,
    /// The id of the card; null on movements without a card.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    card_id: Option<Uuid>,
    /// The token of the first message of the chain; null on other movements.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    chain_token: Option<Uuid>,
    /// The id of the batch of a payment; null on other movements.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    payment_batch_id: Option<Uuid>,
    /// The merchant, the sender of a credit, or the recipient of a payment.
    #[schema(required)]
    counterparty: Option<String>,
    /// The reference of a credit, payment or transfer.
    #[schema(required)]
    reference: Option<String>,
    /// When the movement was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

/// One movement with all its details.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityDetail)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityDetailView<'a> {
    #[serde(flatten)]
    activity: ActivityView,
    /// The record of the card message; null on other movements.
    #[schema(required)]
    card_transaction: Option<TransactionView<'a>>,
    /// The details of the credit; null on other movements, and on the opening balance of a demo account.
    #[schema(required)]
    credit: Option<CreditView<'a>>,
    /// The payment; null on other movements.
    #[schema(required)]
    payment: Option<PaymentView>,
    /// The payment of the payer that completed the top-up; null on other movements.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    merchant_payment_id: Option<Uuid>,
}

/// The details of a credit.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditDetail)]
#[serde(rename_all = "camelCase")]
struct CreditView<'a> {
    /// Sequence number of the credit within the account.
    #[schema(minimum = 1)]
    box_transaction_id: i64,
    #[schema(pattern = "^(FasterPayment|BACS|CHAPS|Swift|SEPA)$")]
    scheme_name: &'static str,
    remitters_name: &'a str,
    remitters_address: &'a str,
    beneficiary_name: &'a str,
    #[schema(required)]
    reference: Option<&'a str>,
    #[schema(required)]
    bank_identifier: Option<&'a str>,
    #[schema(required)]
    account_identifier: Option<&'a str>,
    #[schema(required)]
    order_id: Option<&'a str>,
    #[schema(required)]
    third_party_reference: Option<&'a str>,
    #[schema(required)]
    institution_name: Option<&'a str>,
    #[schema(required)]
    institution_address: Option<&'a str>,
    /// The ledger balance of the budget after the credit.
    #[schema(value_type = String)]
    running_balance: Amount,
    /// The available balance of the budget after the credit.
    #[schema(value_type = String)]
    available_balance: Amount,
}

/// The fields of a movement that depend on its type.
#[derive(Default)]
struct Particulars {
    to: Option<Uuid>,
    card: Option<Uuid>,
    chain: Option<Uuid>,
    batch: Option<Uuid>,
    counterparty: Option<String>,
    reference: Option<String>,
}

fn particulars(detail: &ActivityDetail) -> Particulars {
    match detail {
        ActivityDetail::Card(message) => Particulars {
            card: Some(message.card.0),
            chain: Some(message.chain.0),
            counterparty: Some(message.acceptor.name.clone()),
            ..Particulars::default()
        },
        ActivityDetail::Credit(credit) => Particulars {
            counterparty: credit.as_ref().map(|credit| credit.remitters_name.clone()),
            reference: credit.as_ref().and_then(|credit| credit.reference.clone()),
            ..Particulars::default()
        },
        ActivityDetail::Payment(payment) => Particulars {
            batch: Some(payment.batch.0),
            counterparty: payment.input.recipient.name.clone(),
            reference: payment.input.reference.clone(),
            ..Particulars::default()
        },
        ActivityDetail::Transfer(transfer) => {
            Particulars { to: Some(transfer.to.0), reference: transfer.reference.clone(), ..Particulars::default() }
        }
        ActivityDetail::Deposit(_) => Particulars::default(),
    }
}

impl From<&Activity> for ActivityView {
    fn from(activity: &Activity) -> Self {
        let Particulars { to, card, chain, batch, counterparty, reference } = particulars(&activity.detail);
        Self {
            id: activity.id.0,
            kind: activity.kind.as_str(),
            status: activity.status.as_str(),
            budget_id: activity.budget.0,
            to_budget_id: to,
            currency_code: activity.currency.code(),
            amount: Amount(activity.amount.of(activity.currency)),
            impacted_amount: Amount(activity.impacted.of(activity.currency)),
            card_id: card,
            chain_token: chain,
            payment_batch_id: batch,
            counterparty,
            reference,
            created_at: Time(activity.created_at),
        }
    }
}

impl<'a> From<&'a Activity> for ActivityDetailView<'a> {
    fn from(activity: &'a Activity) -> Self {
        let mut view = Self {
            activity: activity.into(),
            card_transaction: None,
            credit: None,
            payment: None,
            merchant_payment_id: None,
        };
        match &activity.detail {
            ActivityDetail::Card(message) => view.card_transaction = Some(message.as_ref().into()),
            ActivityDetail::Credit(credit) => {
                view.credit = credit.as_deref().map(|credit| CreditView::of(credit, activity.currency));
            }
            ActivityDetail::Payment(payment) => view.payment = Some(payment.as_ref().clone().into()),
            // A transfer has no further details.
            ActivityDetail::Transfer(_) => {}
            ActivityDetail::Deposit(payment) => view.merchant_payment_id = Some(payment.0),
        }
        view
    }
}

impl<'a> CreditView<'a> {
    fn of(credit: &'a CreditDetail, currency: Currency) -> Self {
        let amount = |minor: Minor| Amount(minor.of(currency));
        Self {
            box_transaction_id: credit.box_transaction_id,
            scheme_name: credit.scheme.as_str(),
            remitters_name: &credit.remitters_name,
            remitters_address: &credit.remitters_address,
            beneficiary_name: &credit.beneficiary_name,
            reference: credit.reference.as_deref(),
            bank_identifier: credit.bank_identifier.as_deref(),
            account_identifier: credit.account_identifier.as_deref(),
            order_id: credit.order_id.as_deref(),
            third_party_reference: credit.third_party_reference.as_deref(),
            institution_name: credit.institution_name.as_deref(),
            institution_address: credit.institution_address.as_deref(),
            running_balance: amount(credit.balances.ledger()),
            available_balance: amount(credit.balances.available()),
        }
    }
}
