//! Compares the responses of the server with the model.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::merchant::{Merchant, SessionHandles};
use super::model::{Kind, Session};
use crate::events::{assert_no_gaps, events, name};
use crate::support::assert::{text, time};
use crate::support::management::balance;
use crate::support::money::format_amount;
use crate::support::payer::{Payer, heading};
use crate::support::shop::{ORDERS, PAYMENTS, REFUNDS, SESSIONS, TOP_UPS};
use crate::support::worlds::clock;
use crate::support::{Client, expect_json};

fn get(client: &Client, path: &str) -> Value {
    expect_json(&client.get(path), 200)
}

fn pounds(minor: i64) -> Value {
    json!({"amount": format_amount(minor, "GBP"), "currencyCode": "GBP"})
}

impl Merchant {
    /// Returns a time in minutes since the start of the merchant; `None` for `null`.
    fn minute(&self, value: &Value) -> Option<i64> {
        if value.is_null() { None } else { Some((time(value) - self.start()).num_minutes()) }
    }

    fn start(&self) -> DateTime<Utc> {
        self.started
    }

    /// Compares sessions with their payments, refunds and orders, and the sums of the account.
    pub(super) fn agree(&self, places: &[usize]) {
        for place in places {
            self.session_agrees(&self.sessions[*place], &self.handles[*place]);
        }
        self.sums_agree();
    }

    /// Compares everything but the events.
    pub(super) fn agree_everywhere(&self) {
        assert_eq!(self.minute(&clock(&self.client)["now"]), Some(self.now));
        for (session, handles) in self.sessions.iter().zip(&self.handles) {
            self.session_agrees(session, handles);
        }
        self.sums_agree();
    }

    fn session_agrees(&self, session: &Session, handles: &SessionHandles) {
        let path = if session.kind == Kind::Budget { TOP_UPS } else { SESSIONS };
        let found = get(&self.client, &format!("{path}/{}", handles.id));
        assert_eq!(found["status"], session.status, "{found}");
        assert_eq!(found["amount"], pounds(session.amount), "{found}");
        assert_eq!(self.minute(&found["expiresAt"]), Some(session.expires), "{found}");
        let completed = session.ended.filter(|_| session.is_completed());
        assert_eq!(self.minute(&found["completedAt"]), completed, "{found}");
        if session.ended.is_some() {
            assert_eq!(self.minute(&found["updatedAt"]), session.ended, "{found}");
        }
        assert_eq!(found["paymentId"].is_string(), session.is_completed(), "{found}");
        self.payments_agree(session, handles, &found);
        if session.kind == Kind::Budget {
            return;
        }
        assert_eq!(found["orderId"].is_string(), session.is_completed() && session.is_shopping(), "{found}");
        if let Some(order) = found["orderId"].as_str() {
            let order = get(&self.client, &format!("{ORDERS}/{order}"));
            assert_eq!((&order["checkoutSessionId"], &order["paymentId"]), (&found["id"], &found["paymentId"]));
            assert_eq!(order["amount"], found["amount"], "{order}");
        }
    }

    fn payments_agree(&self, session: &Session, handles: &SessionHandles, found: &Value) {
        let path =
            format!("{PAYMENTS}?accountId={}&checkoutSessionId={}&sort=createdAt", self.client.account, handles.id);
        let rows = get(&self.client, &path)["rows"].as_array().unwrap().clone();
        let (refunds, payments): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row["type"] == "REFUND");
        let actual = payments.iter().map(|row| (row["status"].clone(), row["failureReason"].clone()));
        let expected = session.payments.iter().map(|payment| (json!(payment.status), json!(payment.reason)));
        assert_eq!(actual.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{rows:#?}");
        for row in &payments {
            let is_paid = row["status"] == "COMPLETED";
            assert_eq!(row["isRefundable"], is_paid && session.refundable() > 0, "{row}");
            assert_eq!(row["amount"], pounds(session.amount), "{row}");
            assert!(!is_paid || row["id"] == found["paymentId"], "{row}");
        }
        assert_eq!((refunds.len(), session.refunds.len()), (handles.refunds.len(), handles.refunds.len()), "{rows:#?}");
        for (refund, (id, _)) in session.refunds.iter().zip(&handles.refunds) {
            let one = get(&self.client, &format!("{REFUNDS}/{id}"));
            assert_eq!((&one["status"], &one["amount"]), (&json!(refund.status), &pounds(refund.amount)), "{one}");
            assert_eq!(self.minute(&one["completedAt"]), refund.completed, "{one}");
            let row = refunds.iter().find(|row| row["refundId"] == json!(id)).unwrap();
            assert_eq!((&row["status"], &row["isRefundable"]), (&json!(refund.row_status()), &json!(false)), "{row}");
            assert_eq!(row["refundedPaymentId"], found["paymentId"], "{row}");
        }
    }

    /// Compares the sums of payments and refunds, and the balance of the budget.
    fn sums_agree(&self) {
        let paid: Vec<_> = self.sessions.iter().filter(|session| session.is_completed()).collect();
        let sum = |amounts: &mut dyn Iterator<Item = i64>| format_amount(amounts.sum(), "GBP");
        let refunded = paid.iter().flat_map(|session| &session.refunds).filter(|refund| refund.completed.is_some());
        let expected = json!([{
            "currencyCode": "GBP", "count": paid.len(), "paidAmount": sum(&mut paid.iter().map(|paid| paid.amount)),
            "refundedAmount": sum(&mut refunded.map(|refund| refund.amount)),
        }]);
        let path = format!("/v2/merchant?accountId={}&include=paymentsSummary", self.client.account);
        let actual = get(&self.client, &path)["paymentsSummary"].take();
        assert_eq!(actual, if paid.is_empty() { json!([]) } else { expected });
        let credited = sum(&mut paid.iter().filter(|paid| paid.kind == Kind::Budget).map(|paid| paid.amount));
        assert_eq!(balance(&self.client, &self.budget)[..2], [credited.clone(), credited]);
    }

    /// Compares the pages and the events, and asks for the invariants.
    pub(super) fn agree_at_the_end(&self) {
        self.agree_everywhere();
        for (session, handles) in self.sessions.iter().zip(&self.handles) {
            let page = self.payer(&handles.path).page();
            assert!(headings(session).contains(&heading(&page)), "{session:?}: {page}");
        }
        let all = events(&self.client, "");
        assert_no_gaps(&all);
        let of = |id: &str| -> Vec<(String, i64)> {
            let own = all.iter().filter(|body| text(body, "/objectId") == id);
            own.map(|body| (name(body), self.minute(&body["occurredAt"]).unwrap())).collect()
        };
        for (session, handles) in self.sessions.iter().zip(&self.handles) {
            let expected: Vec<_> = session.events.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect();
            assert_eq!(of(&handles.id), expected, "{session:#?}");
            let ends = expected.iter().filter(|(name, _)| name.starts_with("MerchantCheckoutSession")).count();
            let is_named = session.kind != Kind::Budget && session.ended.is_some();
            assert_eq!(ends, usize::from(is_named), "one event for an end: {session:#?}");
        }
        let top_ups = self.sessions.iter().filter(|session| session.kind == Kind::Budget && session.is_completed());
        let mut credits: Vec<_> = top_ups.map(|paid| ("BoxCredited".to_owned(), paid.ended.unwrap())).collect();
        credits.sort_by_key(|(_, at)| *at);
        assert_eq!(of(&self.budget), credits);
        let books = get(&self.client, "/v2/sandbox/invariants");
        assert_eq!(books["verdict"], "holds", "{books}");
    }

    pub(super) fn payer(&self, path: &str) -> Payer {
        Payer::at(&self.client, &format!("http://{}{path}", self.client.address))
    }
}

/// Returns the headings that the page of a session may have.
pub(super) fn headings(session: &Session) -> &'static [&'static str] {
    match session.status {
        "PROCESSING" => &["Waiting for your bank"],
        "COMPLETED" if session.is_shopping() => &["Payment complete"],
        "COMPLETED" => &["Top-up complete"],
        "CANCELLED" => &["Payment cancelled"],
        "ABANDONED" | "EXPIRED" => &["The time to pay has run out"],
        _ if session.is_at_bank() => &["Approve the payment"],
        _ => &["Check your payment", "Check your top-up", "Choose your bank", "The payment did not go through"],
    }
}
