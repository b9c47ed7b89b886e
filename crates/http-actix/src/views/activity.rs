//! The activity of an account in responses.

use super::scalars::Number;
use super::{Amount, PaymentView, Time, TransactionView};
use florin_domain::activity::{
    Activity, ActivityChanges, ActivityDetail, ActivitySource, ChainDetail, CreditDetail, PaymentNumbers,
};
use florin_domain::batch::Payment;
use florin_domain::card::CardNumber;
use florin_domain::money::{Currency, Minor};
use florin_domain::page::{Page, PageRequest};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// One movement of the activity. Members that do not belong to its `resourceType` are absent.
#[derive(Serialize, ToSchema)]
#[schema(as = Activity)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityView<'a> {
    /// `card` for a chain of card messages, `payment` for a payment of a batch, `box` for all others.
    #[schema(pattern = "^(box|card|payment)$")]
    resource_type: &'static str,
    /// The id of the movement: the token of the chain's first message, the id of the payment, or the id of the journal
    /// transaction that credited the budget. The paying side of a transfer has the id of the transfer.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the account.
    account_id: &'a str,
    /// The type of the movement. `unload` and `load` are the paying and the receiving side of a transfer.
    #[serde(rename = "type")]
    #[schema(pattern = "^[a-zA-Z]+$")]
    kind: &'static str,
    /// The status of the movement.
    #[schema(pattern = "^[a-zA-Z]+$")]
    status: &'static str,
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// The person who owns the card at present. Null if the card belongs to a budget, and for movements without a card.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    person_id: Option<Uuid>,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The amount, never negative. For a chain of card messages: the amount held and cleared, less returns. For a
    /// declined message: the requested amount.
    #[schema(value_type = f64)]
    amount: Number,
    /// The effect on the budget's funds. Negative if the movement reduces them. Florin extension.
    #[schema(value_type = f64)]
    impacted_amount: Number,
    /// The merchant, the sender of a credit, or the recipient of a payment. Null for transfers, top-ups and the opening
    /// balance of a demo account. Florin extension.
    #[schema(required)]
    counterparty: Option<&'a str>,
    /// The reference of a credit, payment or transfer; null if there is none.
    #[schema(required)]
    reference: Option<&'a str>,
    /// When the money moved, or was first held or reserved.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the movement last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    #[serde(flatten)]
    transaction: Option<TransactionMembers<'a>>,
    #[serde(flatten)]
    payment: Option<PaymentMembers<'a>>,
    /// The ids and the number of a credit, a top-up, or one side of a transfer; absent on other movements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transaction_box: Option<BoxView>,
    /// The card, merchant and response of a chain of card messages; absent on other movements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transaction_card: Option<CardMembers<'a>>,
    /// The messages of the chain, first message first. Only with `include=messages`. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    messages: Option<Vec<TransactionView<'a>>>,
}

/// Members of movements with the `resourceType` `box` or `card`.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityTransactionMembers)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "these are the names of the members")]
struct TransactionMembers<'a> {
    /// `Marqeta` for a chain of card messages, `Boxes` for all others.
    #[schema(nullable = false, required = false, pattern = "^(Boxes|Marqeta)$")]
    transaction_type: &'static str,
    /// The id of the group. Both sides of a transfer have the same one.
    #[schema(value_type = String, format = Uuid, required = false)]
    transaction_group_id: Uuid,
    /// The group of the movement.
    #[schema(required = false)]
    transaction_group: GroupView<'a>,
}

/// The group of a movement. The two sides of a transfer are one group; any other movement is a group by itself.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityTransactionGroup)]
#[serde(rename_all = "camelCase")]
struct GroupView<'a> {
    /// The id of the group.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the account.
    account_id: &'a str,
    /// Equals `personId` of the movement.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    person_id: Option<Uuid>,
    /// The id of the budget.
    #[schema(value_type = String, format = Uuid)]
    budget_id: Uuid,
    /// Equals `createdAt` of the movement.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// Equals `updatedAt` of the movement.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
}

/// A credit, a top-up, or one side of a transfer.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityBox)]
#[serde(rename_all = "camelCase")]
struct BoxView {
    /// Equals the `id` of the movement.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// Equals the `id` of the movement.
    #[schema(value_type = String, format = Uuid)]
    transaction_id: Uuid,
    /// The number in the account's sequence; null if it was not recorded, as for the opening balance of a demo account.
    #[schema(required, minimum = 1)]
    box_transaction_id: Option<i64>,
}

/// Members of a chain of card messages.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityCard)]
#[serde(rename_all = "camelCase")]
struct CardMembers<'a> {
    /// The id of the card.
    #[schema(value_type = String, format = Uuid)]
    card_id: Uuid,
    /// The last four digits of the card.
    last_four: String,
    /// The name of the merchant.
    merchant_name: &'a str,
    /// The merchant category code.
    mcc: &'a str,
    /// The response code of the first message.
    response_code: &'static str,
    /// The amount that the first message requested.
    #[schema(value_type = f64)]
    requested_amount: Number,
}

/// Members of movements with the `resourceType` `payment`.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityPaymentMembers)]
#[serde(rename_all = "camelCase")]
struct PaymentMembers<'a> {
    /// The id of the batch. Florin extension.
    #[schema(value_type = String, format = Uuid, required = false)]
    payment_batch_id: Uuid,
    /// The number of the payment in the account's sequence. Absent until the payment is completed, and if the number
    /// was not recorded. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    box_transaction_id: Option<i64>,
    /// The number of the payment's return in the account's sequence. Absent unless the payment was returned, and if the
    /// number was not recorded. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1)]
    return_box_transaction_id: Option<i64>,
    /// The status of the payment in its batch. Florin extension.
    #[schema(required = false, pattern = "^(confirmed|started|completed|failed|returned|cancelled)$")]
    payment_status: &'static str,
    /// The id of the payment order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid, nullable = false)]
    order_id: Option<Uuid>,
    /// The name of the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beneficiary_name: Option<&'a str>,
    /// The recipient's account number; absent if the recipient has an IBAN.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beneficiary_account_number: Option<&'a str>,
    /// The recipient's IBAN; absent if the recipient has an account number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beneficiary_iban: Option<&'a str>,
    /// The sort code of the recipient's bank; absent if the bank has another code or none was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beneficiary_sort_code: Option<&'a str>,
    /// The code of the recipient's bank, such as a BIC; absent if the bank has a sort code or none was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    beneficiary_bank_code: Option<&'a str>,
    /// Equals `currencyCode`.
    #[schema(required = false)]
    currency: &'static str,
    /// Equals `currencyCode`, because payments are not converted.
    #[schema(required = false)]
    sell_currency: &'static str,
    /// Equals `currencyCode`.
    #[schema(required = false)]
    buy_currency: &'static str,
    /// The sum of the amount and the fee.
    #[schema(value_type = f64, required = false)]
    settlement_amount: Number,
    /// The fee.
    #[schema(value_type = f64, required = false)]
    settlement_fee: Number,
    /// The amount without the fee.
    #[schema(value_type = f64, required = false)]
    settlement_amount_without_fee: Number,
}

/// A movement with all its details.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityDetail)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityDetailView<'a> {
    #[serde(flatten)]
    activity: ActivityView<'a>,
    /// The details of a credit; null for other movements and for the opening balance of a demo account.
    /// Florin extension.
    #[schema(required)]
    credit: Option<CreditView<'a>>,
    /// The payment of a batch; null for other movements. Florin extension.
    #[schema(required)]
    payment: Option<PaymentView>,
    /// The id of the payment that completed a top-up; null for other movements. Florin extension.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    merchant_payment_id: Option<Uuid>,
}

/// The details of a credit.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditDetail)]
#[serde(rename_all = "camelCase")]
struct CreditView<'a> {
    /// The number of the credit in the account's sequence.
    #[schema(minimum = 1)]
    box_transaction_id: i64,
    /// The payment scheme by which the money arrived.
    #[schema(pattern = "^(FasterPayment|BACS|CHAPS|Swift|SEPA)$")]
    scheme_name: &'static str,
    /// The name of the sender.
    remitters_name: &'a str,
    /// The address of the sender.
    remitters_address: &'a str,
    /// The name of the recipient.
    beneficiary_name: &'a str,
    /// The reference that the sender gave.
    #[schema(required)]
    reference: Option<&'a str>,
    /// The sort code or BIC of the sender's bank.
    #[schema(required)]
    bank_identifier: Option<&'a str>,
    /// The sender's account number or IBAN.
    #[schema(required)]
    account_identifier: Option<&'a str>,
    /// The order id at the sender's bank.
    #[schema(required)]
    order_id: Option<&'a str>,
    /// The reference of a third party.
    #[schema(required)]
    third_party_reference: Option<&'a str>,
    /// The name of the sender's bank.
    #[schema(required)]
    institution_name: Option<&'a str>,
    /// The address of the sender's bank.
    #[schema(required)]
    institution_address: Option<&'a str>,
    /// The ledger balance of the budget after the credit.
    #[schema(value_type = String)]
    running_balance: Amount,
    /// The available balance of the budget after the credit.
    #[schema(value_type = String)]
    available_balance: Amount,
}

/// A page of the activity, or a part of the feed of changes.
#[derive(Serialize, ToSchema)]
#[schema(as = ActivityList)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActivityListView<'a> {
    /// Maximum number of movements.
    #[schema(minimum = 1, maximum = 1000)]
    limit: i64,
    /// Number of movements skipped; 0 in the feed.
    #[schema(minimum = 0)]
    offset: i64,
    /// Number of movements on all pages together; null in the feed.
    #[schema(required, minimum = 0)]
    count: Option<i64>,
    /// The movements.
    rows: Vec<ActivityView<'a>>,
    /// The `cursor` for the next request to the feed. Absent in the list. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

impl<'a> ActivityListView<'a> {
    /// Builds a page of the list. `messages`: include the messages of chains.
    pub(crate) fn page(request: PageRequest, page: &'a Page<Activity>, messages: bool) -> Self {
        Self {
            limit: request.limit,
            offset: request.offset,
            count: Some(page.count),
            rows: page.rows.iter().map(|row| ActivityView::of(row, messages)).collect(),
            next_cursor: None,
        }
    }

    /// Builds a part of the feed. `messages`: include the messages of chains.
    pub(crate) fn changes(request: PageRequest, changes: &'a ActivityChanges, messages: bool) -> Self {
        Self {
            limit: request.limit,
            offset: 0,
            count: None,
            rows: changes.rows.iter().map(|row| ActivityView::of(row, messages)).collect(),
            next_cursor: Some(changes.next.to_string()),
        }
    }
}

impl<'a> ActivityView<'a> {
    /// Builds the view of a movement. `messages`: include the messages of a chain.
    pub(crate) fn of(activity: &'a Activity, messages: bool) -> Self {
        let number = |minor: Minor| Number::from(minor.of(activity.currency));
        let (resource_type, transaction_type) = match activity.source() {
            ActivitySource::Card => ("card", Some("Marqeta")),
            ActivitySource::Payment => ("payment", None),
            _ => ("box", Some("Boxes")),
        };
        let is_box = resource_type == "box";
        let (transaction_card, messages) = match &activity.detail {
            ActivityDetail::Card(chain) => (Some(CardMembers::of(chain)), messages.then(|| messages_of(chain))),
            _ => (None, None),
        };
        Self {
            resource_type,
            id: activity.id.0,
            account_id: activity.account.as_str(),
            kind: activity.kind.as_str(),
            status: activity.status.as_str(),
            budget_id: activity.budget.0,
            person_id: activity.person().map(|person| person.0),
            currency_code: activity.currency.code(),
            amount: number(activity.amount),
            impacted_amount: number(activity.impacted),
            counterparty: activity.counterparty(),
            reference: activity.reference(),
            created_at: Time(activity.created_at),
            updated_at: Time(activity.updated_at),
            transaction: transaction_type.map(|name| TransactionMembers::of(activity, name)),
            payment: match &activity.detail {
                ActivityDetail::Payment { payment, numbers } => PaymentMembers::of(payment, *numbers),
                _ => None,
            },
            transaction_box: is_box.then(|| BoxView::of(activity)),
            transaction_card,
            messages,
        }
    }
}

fn messages_of(chain: &ChainDetail) -> Vec<TransactionView<'_>> {
    std::iter::once(&chain.first).chain(&chain.follow_ups).map(TransactionView::from).collect()
}

impl<'a> TransactionMembers<'a> {
    fn of(activity: &'a Activity, transaction_type: &'static str) -> Self {
        let id = match &activity.detail {
            ActivityDetail::Unload(transfer) | ActivityDetail::Load(transfer) => transfer.id.0,
            _ => activity.id.0,
        };
        let transaction_group = GroupView {
            id,
            account_id: activity.account.as_str(),
            person_id: activity.person().map(|person| person.0),
            budget_id: activity.budget.0,
            created_at: Time(activity.created_at),
            updated_at: Time(activity.updated_at),
        };
        Self { transaction_type, transaction_group_id: id, transaction_group }
    }
}

impl BoxView {
    fn of(activity: &Activity) -> Self {
        Self { id: activity.id.0, transaction_id: activity.id.0, box_transaction_id: activity.number() }
    }
}

impl<'a> CardMembers<'a> {
    fn of(chain: &'a ChainDetail) -> Self {
        let first = &chain.first;
        Self {
            card_id: first.card.0,
            last_four: CardNumber::last_four(first.card),
            merchant_name: &first.acceptor.name,
            mcc: &first.acceptor.mcc,
            response_code: first.response.code(),
            requested_amount: Number::from(first.requested.of(first.currency)),
        }
    }
}

impl<'a> PaymentMembers<'a> {
    /// Builds the members of a payment. `None`: the payment has no terms, or its cost overflows. The rules exclude both
    /// cases.
    fn of(payment: &'a Payment, numbers: PaymentNumbers) -> Option<Self> {
        let terms = payment.terms()?;
        let number = |minor: Minor| Number::from(minor.of(terms.currency));
        let recipient = &payment.input.recipient;
        let (account, bank) = (recipient.account_identifier.as_deref(), recipient.bank_identifier.as_deref());
        let is_iban = |text: &&str| text.starts_with(|first: char| first.is_ascii_alphabetic());
        let is_sort_code = |text: &&str| text.starts_with(|first: char| first.is_ascii_digit());
        let code = terms.currency.code();
        Some(Self {
            payment_batch_id: payment.batch.0,
            box_transaction_id: numbers.paid,
            return_box_transaction_id: numbers.returned,
            payment_status: payment.status().as_str(),
            order_id: Some(terms.order.0),
            beneficiary_name: recipient.name.as_deref(),
            beneficiary_account_number: account.filter(|text| !is_iban(text)),
            beneficiary_iban: account.filter(is_iban),
            beneficiary_sort_code: bank.filter(is_sort_code),
            beneficiary_bank_code: bank.filter(|text| !is_sort_code(text)),
            currency: code,
            sell_currency: code,
            buy_currency: code,
            settlement_amount: number(terms.cost()?),
            settlement_fee: number(terms.fee),
            settlement_amount_without_fee: number(terms.amount),
        })
    }
}

impl<'a> ActivityDetailView<'a> {
    /// Builds the view of a movement with its details. `messages`: include the messages of a chain.
    pub(crate) fn of(activity: &'a Activity, messages: bool) -> Self {
        let mut view = Self {
            activity: ActivityView::of(activity, messages),
            credit: None,
            payment: None,
            merchant_payment_id: None,
        };
        match &activity.detail {
            ActivityDetail::Credit(credit) => {
                view.credit = credit.as_deref().map(|credit| CreditView::of(credit, activity.currency));
            }
            ActivityDetail::Payment { payment, .. } => view.payment = Some(payment.as_ref().clone().into()),
            // The view of the movement already contains these details.
            ActivityDetail::Card(_) | ActivityDetail::Unload(_) | ActivityDetail::Load(_) => {}
            ActivityDetail::TopUp { payment, .. } => view.merchant_payment_id = Some(payment.0),
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
