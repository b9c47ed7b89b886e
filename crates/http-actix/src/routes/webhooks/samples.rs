//! Test events: sample data, rendered in the same way as real events.

use super::merchant_samples;
use crate::problem::Problem;
use crate::views::event_envelope;
use chrono::{DateTime, SecondsFormat, Utc};
use florin_application::TestEvent;
use florin_domain::batch::{
    FailureReason, Payment, PaymentBatchStatus, PaymentInput, PaymentNetwork, PaymentOrder, PaymentState, PaymentTerms,
    RecipientInput, StartedTerms,
};
use florin_domain::card::{
    Acceptor, CardState, CardTransaction, ChainKind, MessageDetails, MessageKind, Network, Response, TransactionState,
};
use florin_domain::event::{
    BatchEvent, BatchResult, BudgetEvent, CardStateChange, Event, EventBody, EventKind, MovementSource, PaymentMethod,
};
use florin_domain::ids::{
    AccountId, BudgetId, CardId, EventId, OrderId, PaymentBatchId, PaymentId, TransactionToken, UserToken,
};
use florin_domain::money::{Currency, Minor};
use florin_domain::webhook::Webhook;
use serde_json::{Map, Value, json};
use uuid::{Uuid, uuid};

/// The account in test events of subscriptions without an account.
const ACCOUNT: &str = "F50091";
/// The id of every object in test events.
const ID: Uuid = uuid!("0198c0de-0005-7000-8000-000000000001");
const AMOUNT: Minor = Minor(1_000);

/// Returns a test event of a subscription's type.
pub(super) fn test_event(webhook: &Webhook, id: Uuid, now: DateTime<Utc>) -> Result<TestEvent, Problem> {
    let account = match &webhook.account {
        Some(account) => account.clone(),
        None => AccountId::parse(ACCOUNT).map_err(|_| Problem::internal())?,
    };
    let event = sample(webhook.kind, &account, now).ok_or_else(Problem::internal)?;
    let mut body = members(&event_envelope(&event, EventId(id), 0)?)?;
    let common = json!({
        "accountId": account.as_str(),
        "objectId": id.to_string(),
        "occurredAt": now.to_rfc3339_opts(SecondsFormat::Secs, true),
        "sequence": 0,
        "test": true,
        "messageId": id.to_string(),
        "webhookEventTypeName": webhook.type_name,
    });
    if let Value::Object(common) = common {
        body.extend(common);
    }
    let body = json!({ "body": body }).to_string();
    Ok(TestEvent { id: EventId(id), account, body, now })
}

/// Returns the members of the body in an envelope.
fn members(envelope: &str) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str::<Value>(envelope).map(|mut envelope| envelope["body"].take()) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Problem::internal()),
    }
}

/// Returns an event of a kind with sample data. `None`: the sample data is invalid. A test proves that it never is.
fn sample(kind: EventKind, account: &AccountId, at: DateTime<Utc>) -> Option<Event> {
    let body = match kind {
        EventKind::BoxCredited => EventBody::Budget(Box::new(BudgetEvent {
            source: MovementSource::Deposits,
            order: None,
            remitters_name: Some("Ada Byron".into()),
            remitters_address: Some("1 Inkersley Road, Manchester".into()),
            ..movement()?
        })),
        EventKind::BoxDebited => EventBody::Budget(Box::new(movement()?)),
        EventKind::CardTransaction => EventBody::CardTransaction(Box::new(message(account, at)?)),
        EventKind::CardStateUpdated => EventBody::CardState(CardStateChange {
            card: CardId(ID),
            previous: Some(CardState::Active),
            state: CardState::Suspended,
            reason: None,
        }),
        EventKind::PaymentCreated | EventKind::PaymentReturned => {
            EventBody::Payment(Box::new(payment(kind, account, at)?))
        }
        EventKind::PaymentBatchCreated
        | EventKind::PaymentBatchOrderCreated
        | EventKind::PaymentBatchProcessing
        | EventKind::PaymentBatchCompleted
        | EventKind::PaymentBatchCancelled
        | EventKind::PaymentBatchOrderCancelled => EventBody::Batch(Box::new(batch(kind)?)),
        EventKind::MerchantCheckoutSessionCompleted
        | EventKind::MerchantCheckoutSessionCancelled
        | EventKind::MerchantCheckoutSessionAbandoned
        | EventKind::MerchantCheckoutSessionExpired => {
            EventBody::CheckoutSession(Box::new(merchant_samples::session(kind, account, at, (ID, AMOUNT.of(gbp()?)))))
        }
        EventKind::MerchantPaymentFailed
        | EventKind::MerchantRefundCompleted
        | EventKind::MerchantPaymentReconciled => {
            EventBody::MerchantPayment(Box::new(merchant_samples::payment(kind, account, at, (ID, AMOUNT.of(gbp()?)))?))
        }
    };
    Some(Event { account: account.clone(), kind, at, body })
}

fn gbp() -> Option<Currency> {
    Currency::parse("GBP").ok()
}

fn movement() -> Option<BudgetEvent> {
    Some(BudgetEvent {
        number: 1,
        budget: BudgetId(ID),
        budget_name: "Travel".into(),
        amount: AMOUNT,
        currency: gbp()?,
        ledger_balance: AMOUNT,
        source: MovementSource::Orders,
        method: PaymentMethod::FasterPayments,
        order: Some(ID.to_string()),
        reference: Some("Invoice 1".into()),
        bank_identifier: Some("200000".into()),
        institution_address: None,
        identification: Some("55784958".into()),
        remitters_name: None,
        remitters_address: None,
    })
}

fn message(account: &AccountId, at: DateTime<Utc>) -> Option<CardTransaction> {
    Some(CardTransaction {
        token: TransactionToken(ID),
        chain: TransactionToken(ID),
        account: account.clone(),
        card: CardId(ID),
        user_token: UserToken(ID),
        budget: BudgetId(ID),
        chain_kind: ChainKind::Purchase,
        kind: MessageKind::Authorization,
        state: TransactionState::Pending,
        currency: gbp()?,
        amount: AMOUNT,
        requested: AMOUNT,
        acquirer_fee: Minor(0),
        conversion: None,
        impacted: Minor(-AMOUNT.0),
        response: Response::Approved,
        ledger_balance: AMOUNT,
        available_balance: Minor(0),
        preceding: None,
        network: Network::Visa,
        acceptor: Acceptor::of_network(),
        created_at: at,
        details: MessageDetails::default(),
    })
}

fn payment(kind: EventKind, account: &AccountId, at: DateTime<Utc>) -> Option<Payment> {
    let terms = PaymentTerms {
        order: OrderId(ID),
        budget: BudgetId(ID),
        currency: gbp()?,
        amount: AMOUNT,
        fee: Minor(0),
        network: PaymentNetwork::FasterPayments,
    };
    let sent = StartedTerms { terms, started_at: at };
    let state = match kind {
        EventKind::PaymentReturned => PaymentState::Returned { sent, reason: FailureReason::AccountClosed },
        _ => PaymentState::Completed { sent, ask_at: None },
    };
    let input = PaymentInput {
        amount: Some("10.00".into()),
        currency_code: Some("GBP".into()),
        funding_budget_id: Some(ID.to_string()),
        reference: Some("Invoice 1".into()),
        recipient: RecipientInput {
            name: Some("Ada Byron".into()),
            account_identifier: Some("55784958".into()),
            bank_identifier: Some("200000".into()),
            ..RecipientInput::default()
        },
        ..PaymentInput::default()
    };
    let (id, batch) = (PaymentId(ID), PaymentBatchId(ID));
    Some(Payment { id, account: account.clone(), batch, index: 0, state, input, created_at: at, updated_at: at })
}

fn batch(kind: EventKind) -> Option<BatchEvent> {
    let order = PaymentOrder {
        id: OrderId(ID),
        budget: BudgetId(ID),
        currency: gbp()?,
        total: AMOUNT,
        fees: Minor(0),
        payments: 1,
    };
    let is_of_order = matches!(kind, EventKind::PaymentBatchOrderCreated | EventKind::PaymentBatchOrderCancelled);
    let is_complete = kind == EventKind::PaymentBatchCompleted;
    Some(BatchEvent {
        batch: PaymentBatchId(ID),
        name: "Salaries".into(),
        status: match kind {
            EventKind::PaymentBatchCreated => PaymentBatchStatus::Validated,
            EventKind::PaymentBatchOrderCreated => PaymentBatchStatus::Confirmed,
            EventKind::PaymentBatchProcessing => PaymentBatchStatus::Started,
            EventKind::PaymentBatchCompleted => PaymentBatchStatus::Completed,
            _ => PaymentBatchStatus::Cancelled,
        },
        order: is_of_order.then_some(order),
        result: is_complete.then_some(BatchResult { succeeded: 1, failed: 0 }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_sample() {
        let account = AccountId::parse(ACCOUNT).unwrap();
        for kind in EventKind::ALL {
            let event = sample(*kind, &account, DateTime::UNIX_EPOCH).unwrap();
            assert_eq!(event.kind, *kind);
            assert!(
                !members(&event_envelope(&event, EventId(ID), 0).ok().unwrap()).ok().unwrap().is_empty(),
                "{kind:?}"
            );
        }
    }
}
