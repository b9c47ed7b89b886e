//! Performs steps over HTTP, and compares the results with the model.

use serde_json::{Value, json};

use super::agree::headings;
use super::merchant::{Merchant, SessionHandles, Write, page_path};
use super::model::{Kind, Outcome, Session};
use super::steps::{FormAction, Step};
use crate::support::assert::text;
use crate::support::management::with;
use crate::support::money::format_amount;
use crate::support::payer::{heading, html};
use crate::support::shop::{PAYMENTS, SESSIONS, SHIPPING_FIELDS, TOP_UPS, new_session, shipping_address};
use crate::support::worlds::set_clock;
use crate::support::{expect_fault, expect_json};

impl Merchant {
    /// Performs a step, and compares the objects that it may have changed.
    pub(super) fn perform(&mut self, step: Step) {
        match step {
            Step::Create(kind, amount, minutes) => self.create(kind, amount, minutes),
            Step::CreateAgain(place) => self.create_again(place),
            Step::ReadPage(place) => self.read_page(place),
            Step::Continue(place) => self.press_continue(place),
            Step::Choose(place) => {
                self.sessions[place].choose(self.now);
                let payer = self.payer(&self.handles[place].path);
                let fields = [("action", "choose"), ("bankId", self.bank.as_str())];
                payer.arrive(&payer.send(&payer.part("banks"), &fields));
            }
            Step::AtBank(place, outcome, minutes, by_name) => {
                self.sessions[place].decide(outcome, minutes, self.now);
                self.at_bank(&self.handles[place].path, outcome, minutes, by_name);
            }
            Step::PayerCancels(place) => {
                self.sessions[place].cancel(self.now);
                self.payer(&self.handles[place].path).follow(&[("action", "cancel")]);
            }
            Step::SendOldForm(place, action) => self.send_old_form(place, action),
            Step::Pay(place, outcome, minutes) => self.pay(place, outcome, minutes),
            Step::MerchantCancels(place) => self.merchant_cancels(place),
            Step::Refund(place, amount) => self.refund(place, amount),
            Step::Authorise(place, refund, outcome, minutes, on_page) => {
                self.authorise(place, refund, (outcome, minutes), on_page);
            }
            Step::Wait(minutes) => {
                self.wait(minutes);
            }
            Step::Retry => self.retry(),
        }
        match step {
            Step::CreateAgain(place)
            | Step::ReadPage(place)
            | Step::Continue(place)
            | Step::Choose(place)
            | Step::AtBank(place, ..)
            | Step::PayerCancels(place)
            | Step::SendOldForm(place, _)
            | Step::Pay(place, ..)
            | Step::MerchantCancels(place)
            | Step::Refund(place, _)
            | Step::Authorise(place, ..) => self.agree(&[place]),
            Step::Create(..) => self.agree(&[self.sessions.len() - 1]),
            Step::Wait(_) => {}
            Step::Retry => self.agree_everywhere(),
        }
    }

    /// Advances the clock, and compares the objects that time changes.
    fn wait(&mut self, minutes: i64) {
        set_clock(&self.client, json!({"advanceBy": format!("PT{minutes}M")}));
        self.now += minutes;
        let live: Vec<_> = (0..self.sessions.len()).filter(|place| self.sessions[*place].is_live()).collect();
        self.sessions.iter_mut().for_each(|session| session.advance(self.now));
        self.agree(&live);
    }

    fn create(&mut self, kind: Kind, amount: i64, minutes: i64) {
        let (key, money) =
            (self.sessions.len().to_string(), json!({"amount": format_amount(amount, "GBP"), "currencyCode": "GBP"}));
        let [shopping, parcels, top_ups] = &self.checkouts;
        let (path, body) = match kind {
            Kind::Budget => (TOP_UPS, json!({"budgetId": self.budget, "idempotencyKey": key})),
            Kind::Shopping => (SESSIONS, new_session(shopping, &key)),
            Kind::Parcel => (SESSIONS, new_session(parcels, &key)),
            Kind::Payee => {
                (SESSIONS, with(new_session(top_ups, &key), &json!({"type": "TOP_UP", "payeeId": self.payee})))
            }
        };
        let mut body = with(body, &json!({"amount": money}));
        if kind != Kind::Budget {
            body["expiresInMinutes"] = json!(minutes);
        }
        let created = self.write(path, &body, Ok(201)).json();
        self.sessions.push(Session::new(kind, amount, self.now + minutes));
        self.handles.push(SessionHandles {
            id: text(&created, "/id").to_owned(),
            path: page_path(text(&created, "/checkoutUrl")),
            creation: (path.to_owned(), body),
            old_page: None,
            refunds: Vec::new(),
        });
    }

    fn create_again(&self, place: usize) {
        let handles = &self.handles[place];
        let again = self.client.post(&handles.creation.0, handles.creation.1.to_string());
        assert!(again.replayed(), "{again:?}");
        let again = expect_json(&again, 200);
        assert_eq!((text(&again, "/id"), text(&again, "/status")), (handles.id.as_str(), self.sessions[place].status));
    }

    fn read_page(&mut self, place: usize) {
        let session = &self.sessions[place];
        let page = self.payer(&self.handles[place].path).page();
        assert!(headings(session).contains(&heading(&page)), "{session:?}: {page}");
        assert_eq!(page.contains("name=\"formToken\""), session.is_open(), "{page}");
        if session.is_open() {
            self.handles[place].old_page = Some((page, session.stage()));
        }
    }

    fn press_continue(&mut self, place: usize) {
        let session = &mut self.sessions[place];
        session.begin();
        let fields = continue_fields(session);
        session.has_address |= session.kind == Kind::Parcel;
        self.payer(&self.handles[place].path).follow(&fields);
    }

    /// Sends a form of the bank's page.
    fn at_bank(&self, path: &str, outcome: Outcome, minutes: i64, by_name: bool) {
        let payer = self.payer(path);
        let minutes = minutes.to_string();
        let button = match outcome {
            Outcome::Reject => "reject",
            Outcome::Leave => "leave",
            _ => "approve",
        };
        let mut fields = vec![("action", button), ("name", "Ada"), ("afterMinutes", minutes.as_str())];
        if by_name {
            // The name decides, whichever button is pressed.
            (fields[0].1, fields[1].1) = ("reject", outcome.name());
        } else if button == "approve" {
            fields.push(("outcome", outcome.name()));
        }
        payer.follow(&fields);
    }

    fn send_old_form(&mut self, place: usize, action: FormAction) {
        let Some((page, stage)) = self.handles[place].old_page.take() else { return };
        let session = &mut self.sessions[place];
        let has_effect = session.is_open() && session.stage() == stage;
        let action = if matches!(action, FormAction::Approve) && has_effect && !session.is_at_bank() {
            FormAction::Choose
        } else {
            action
        };
        let fields = match action {
            FormAction::Cancel => [("action", "cancel"), ("name", "")],
            FormAction::Choose => [("action", "choose"), ("bankId", self.bank.as_str())],
            FormAction::Approve => [("action", "approve"), ("name", "Ada")],
        };
        let fields = if matches!(action, FormAction::Cancel) { &fields[..1] } else { &fields[..] };
        if has_effect {
            match action {
                FormAction::Cancel => session.cancel(self.now),
                FormAction::Choose => session.choose(self.now),
                FormAction::Approve => session.decide(Outcome::Approve, 1, self.now),
            }
        }
        let payer = self.payer(&self.handles[place].path);
        payer.arrive(&payer.send(&page, fields));
    }

    fn pay(&mut self, place: usize, outcome: Outcome, minutes: i64) {
        let session = &mut self.sessions[place];
        let path = format!("/v2/sandbox/checkout-sessions/{}/pay", self.handles[place].id);
        let mut body = json!({"bankId": self.bank, "outcome": outcome.name()});
        if outcome.is_late() {
            body["afterMinutes"] = json!(minutes);
        }
        if session.lacks_address() {
            body["shipping"] = shipping_address();
        }
        let expected = if session.is_open() { Ok(200) } else { Err("path.checkoutSessionId") };
        if expected.is_ok() {
            session.has_address |= session.kind == Kind::Parcel;
            session.choose(self.now);
            session.decide(outcome, minutes, self.now);
        }
        let status = session.status;
        let answer = self.write(&path, &body, expected);
        assert!(expected.is_err() || answer.json()["status"] == status, "{answer:?}");
    }

    fn merchant_cancels(&mut self, place: usize) {
        let (session, id) = (&mut self.sessions[place], &self.handles[place].id);
        let is_top_up = session.kind == Kind::Budget;
        let (path, at) = if is_top_up { (TOP_UPS, "path.topUpId") } else { (SESSIONS, "path.checkoutSessionId") };
        let (path, expected) = (format!("{path}/{id}/cancel"), if session.is_open() { Ok(200) } else { Err(at) });
        if expected.is_ok() {
            session.cancel(self.now);
        }
        self.write(&path, &json!({}), expected);
    }

    fn refund(&mut self, place: usize, amount: i64) {
        let (session, handles) = (&mut self.sessions[place], &self.handles[place]);
        let path = format!("{PAYMENTS}?accountId={}&checkoutSessionId={}", self.client.account, handles.id);
        let rows = expect_json(&self.client.get(&path), 200)["rows"].as_array().unwrap().clone();
        let paid = rows.iter().find(|row| row["type"] == "PAYMENT" && row["status"] == "COMPLETED").unwrap();
        let path = format!("{PAYMENTS}/{}/refunds", text(paid, "/id"));
        let body =
            json!({"amount": {"amount": format_amount(amount, "GBP"), "currencyCode": "GBP"}, "reason": "Returned"});
        let refundable = session.refundable();
        let expected = session.refund(amount, self.now);
        let answer = self.write(&path, &body, expected.map(|()| 201));
        if expected.is_ok() {
            let refund = answer.json();
            let page = page_path(text(&refund, "/authorisationUrl"));
            self.handles[place].refunds.push((text(&refund, "/id").to_owned(), page));
        } else if amount > refundable {
            let fault = expect_fault(&answer, 409, "body.amount", "invalid_state");
            let refundable = format!("{} GBP", format_amount(refundable, "GBP"));
            assert!(fault.message.contains(&refundable), "{refundable}: {}", fault.message);
        }
    }

    fn authorise(&mut self, place: usize, number: usize, (outcome, minutes): (Outcome, i64), on_page: bool) {
        let awaits = self.sessions[place].refunds[number].awaits_authorisation();
        if awaits {
            self.sessions[place].authorise(number, outcome, minutes, self.now);
        }
        let (id, page) = &self.handles[place].refunds[number];
        match (on_page, awaits) {
            (true, true) => self.at_bank(page, outcome, minutes, minutes % 2 == 0),
            (true, false) => {
                html(&self.payer(page).read(page), 410);
            }
            (false, _) => {
                let path = format!("/v2/sandbox/refunds/{id}/authorise");
                let mut body = json!({"outcome": outcome.name()});
                if outcome.is_late() {
                    body["afterMinutes"] = json!(minutes);
                }
                self.write(&path, &body, if awaits { Ok(200) } else { Err("path.refundId") });
            }
        }
    }

    fn retry(&self) {
        let Some(Write { path, key, body, answer }) = &self.last else { return };
        let again = self.client.post_once(path, key, body);
        assert!(again.replayed(), "{again:?}");
        assert_eq!((again.status, without_links(&again.json())), (answer.status, without_links(&answer.json())));
    }
}

/// Returns the fields of `continue`.
fn continue_fields(session: &Session) -> Vec<(&'static str, &'static str)> {
    let address = if session.lacks_address() { &SHIPPING_FIELDS[..] } else { &[] };
    [&[("action", "continue")], address].concat()
}

/// Returns an answer without the link, which only the first answer contains.
fn without_links(answer: &Value) -> Value {
    with(answer.clone(), &json!({"authorisationUrl": null}))
}
