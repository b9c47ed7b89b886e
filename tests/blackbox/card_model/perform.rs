//! Performs the operations over HTTP, and compares the results with the model.

use serde_json::{Value, json};

use super::chain::Kind;
use super::first::First;
use super::follow::{Follow, FollowKind, TOKEN};
use super::model::Outcome;
use super::run::Run;
use super::steps::Step;
use crate::support::assert::text;
use crate::support::worlds::CLOCK;
use crate::support::{ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, INCREMENT, REFUND, REFUND_CLEARING};
use crate::support::{REFUND_REVERSAL, REVERSAL};

const SIMULATIONS: &str = "/v2/cards/simulations";

impl Run {
    /// Performs an operation, compares the answer and every object that it may have changed, and counts the result.
    pub(super) fn perform(&mut self, step: &Step) {
        let result = self.play(step);
        *self.counts.entry((step.name(), result)).or_default() += 1;
        self.tokens.resize(self.model.messages.len(), None);
        let card_of = |message: usize| self.model.chains[self.model.messages[message].chain].card;
        let dispute_of = |number: usize| card_of(self.model.disputes[number].message);
        let card = match step {
            Step::First(First { card, .. })
            | Step::Preview(First { card, .. })
            | Step::SetLimit(card, ..)
            | Step::RemoveLimit(card, _)
            | Step::ChangeState(card, _) => *card,
            Step::Follow(follow) | Step::PreviewFollow(follow) => card_of(follow.after),
            Step::Dispute(message, _) => card_of(*message),
            Step::CreditDispute(number) | Step::Resolve(number, _) => dispute_of(*number),
            Step::Credit { budget, .. } => return self.balance_agrees(*budget),
            Step::Transfer { from, to, .. } => {
                return [from, to].into_iter().for_each(|budget| self.balance_agrees(*budget));
            }
            _ => return self.balances_agree(),
        };
        self.balance_agrees(self.model.cards[card].budget);
        self.limits_agree(card);
    }

    /// Performs an operation, and returns its result as one word.
    fn play(&mut self, step: &Step) -> String {
        match step {
            Step::First(first) => {
                let (path, body) = self.first_request(first);
                let outcome = self.model.first(first);
                return self.message(&path, &body, &outcome);
            }
            Step::Follow(follow) => {
                let Some((path, body)) = self.follow_request(follow) else { return "skipped".into() };
                let outcome = self.model.follow(follow);
                return self.message(path, &body, &outcome);
            }
            Step::Preview(first) => {
                let (path, body) = self.first_request(first);
                return self.preview(&path, &body, |model| model.first(first));
            }
            Step::PreviewFollow(follow) => {
                let Some((path, body)) = self.follow_request(follow) else { return "skipped".into() };
                return self.preview(path, &body, |model| model.follow(follow));
            }
            Step::Credit { .. } | Step::Transfer { .. } => return self.move_money(step),
            Step::Advance(text, seconds) => {
                self.model.advance(*seconds);
                let body = json!({"advanceBy": text});
                let clock = self.write("POST", CLOCK, &body, &Outcome::Done(200)).unwrap();
                let now = crate::support::assert::time(&clock["now"]).timestamp();
                assert_eq!(now, self.model.now, "{clock}");
            }
            Step::Dispute(message, amount) => return self.open_dispute(*message, *amount),
            Step::CreditDispute(number) => {
                let outcome = self.model.credit_dispute(*number);
                let path = format!("{SIMULATIONS}/disputes/{}/provisional-credit", self.disputes[*number]);
                return self.dispute_message(&path, &Value::Null, *number, &outcome);
            }
            Step::Resolve(number, is_won) => {
                let outcome = self.model.resolve(*number, *is_won);
                let path = format!("{SIMULATIONS}/disputes/{}/resolve", self.disputes[*number]);
                let body = json!({"outcome": if *is_won { "WON" } else { "LOST" }});
                return self.dispute_message(&path, &body, *number, &outcome);
            }
            Step::Again(number) => self.again(*number),
            Step::Misuse(number) => self.misuse(*number),
            Step::AbsentCard | Step::AbsentMessage => return self.absent(step),
            _ => return self.manage(step),
        }
        "done".into()
    }

    /// Sends a card message, and stores its token.
    fn message(&mut self, path: &str, body: &Value, outcome: &Outcome) -> String {
        let found = self.write("POST", path, body, outcome);
        self.remember(outcome, found.as_ref());
        result_of(outcome)
    }

    fn remember(&mut self, outcome: &Outcome, body: Option<&Value>) {
        if let (Outcome::Message(record), Some(body)) = (outcome, body) {
            self.tokens.resize(self.model.messages.len(), None);
            self.tokens[record.message] = Some(text(body, "/transaction/token").to_owned());
        }
    }

    /// Sends a dry run. Neither the server's state nor the model changes.
    fn preview(&mut self, path: &str, body: &Value, play: impl Fn(&mut super::model::Model) -> Outcome) -> String {
        let before = self.model.clone();
        let outcome = play(&mut self.model);
        let path = format!("{path}?accountId={}&dryRun=true", self.client.account);
        let answer = self.client.post(&path, body.to_string());
        self.expect(&answer, &outcome);
        self.model = before;
        result_of(&outcome)
    }

    fn first_request(&self, first: &First) -> (String, Value) {
        let currency = first.currency.unwrap_or(self.model.cards[first.card].currency);
        let amount = if first.is_too_fine { currency.too_fine(first.amount) } else { currency.number(first.amount) };
        let mut body = json!({"cardId": self.cards[first.card]});
        if first.kind != Kind::Inquiry {
            body["amount"] = amount;
        }
        if matches!(first.kind, Kind::Fee | Kind::FeeBack) {
            body["feeType"] = json!("atm");
            body["creditDebit"] = json!(if first.kind == Kind::Fee { "D" } else { "C" });
            return (format!("{SIMULATIONS}/fee"), body);
        }
        body["network"] = json!("VISA");
        body["cardAcceptor"] = first.acceptor.body();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[name] = value;
            }
        };
        let shown = &first.presents;
        add("currencyCode", first.currency.map(|currency| json!(currency.code())));
        add("cashBackAmount", first.cash_back.map(|minor| currency.number(minor)));
        add("acquirerFeeAmount", first.acquirer_fee.map(|minor| currency.number(minor)));
        add("partialApproval", first.partial.then_some(json!(true)));
        add("pos", shown.mode.map(|mode| json!({"entryMode": mode})));
        add("pin", shown.pin.map(|pin| json!(format!("{pin:04}"))));
        let right = &self.codes[first.card];
        let wrong = if right == "123" { "124" } else { "123" };
        let code = shown.security_code.map(|is_right| if is_right { right.as_str() } else { wrong });
        add("cardholder", code.map(|code| json!({"securityCode": code})));
        add("digitalWalletToken", shown.wallet.map(|state| json!({"token": "phone", "state": state})));
        add("threeDSecure", shown.three_ds.map(|outcome| json!({"outcome": outcome})));
        add("sandbox", first.forced.map(|code| json!({"decline": code})));
        add("forcePost", (first.kind == Kind::ForcePost).then_some(json!(true)));
        let path = match first.kind {
            Kind::Atm => ATM.to_owned(),
            Kind::Refund => REFUND.to_owned(),
            Kind::UnlinkedRefund => format!("{SIMULATIONS}/refund"),
            Kind::Debit | Kind::DebitCashBack => format!("{SIMULATIONS}/debit"),
            Kind::Inquiry => format!("{SIMULATIONS}/balance-inquiry"),
            Kind::ForcePost => CLEARING.to_owned(),
            _ => AUTHORIZATION.to_owned(),
        };
        (path, body)
    }

    /// Returns the request of a follow-up; `None` if the token of the message that it follows is not known.
    fn follow_request(&self, follow: &Follow) -> Option<(&'static str, Value)> {
        let token = self.tokens[follow.after].as_ref()?;
        let currency = self.model.chains[self.model.messages[follow.after].chain].currencies.0;
        let mut body = json!({"precedingRelatedTransactionToken": token});
        if let Some(minor) = follow.amount {
            body["amount"] = if follow.is_too_fine { currency.too_fine(minor) } else { currency.number(minor) };
        }
        if let Some(minor) = follow.acquirer_fee {
            body["acquirerFeeAmount"] = currency.number(minor);
        }
        if let Some(code) = follow.forced {
            body["sandbox"] = json!({"decline": code});
        }
        let path = match follow.kind {
            FollowKind::Advice => ADVICE,
            FollowKind::Increment => INCREMENT,
            FollowKind::Clear { .. } | FollowKind::ForcePost => CLEARING,
            FollowKind::AtmClear => ATM_CLEARING,
            FollowKind::Reverse => REVERSAL,
            FollowKind::Expire => "/v2/cards/simulations/transaction/authorization/expiration",
            FollowKind::RefundClear => REFUND_CLEARING,
            FollowKind::RefundReverse => REFUND_REVERSAL,
            FollowKind::DebitReturn => "/v2/cards/simulations/debit/reversal",
            FollowKind::RefundReturn => "/v2/cards/simulations/refund/reversal",
        };
        match follow.kind {
            FollowKind::Clear { is_final: false } => body["finalClearing"] = json!(false),
            FollowKind::ForcePost => body["forcePost"] = json!(true),
            _ => {}
        }
        Some((path, body))
    }

    fn open_dispute(&mut self, message: usize, amount: Option<i64>) -> String {
        let Some(token) = self.tokens[message].clone() else { return "skipped".into() };
        let card = &self.model.cards[self.model.chains[self.model.messages[message].chain].card];
        let mut body = json!({"transactionToken": token, "reason": "FRAUD"});
        if let Some(minor) = amount {
            body["amount"] = card.currency.number(minor);
        }
        let currency = card.currency;
        let outcome = self.model.dispute(message, amount);
        let path = format!("{SIMULATIONS}/disputes");
        if let Some(found) = self.write("POST", &path, &body, &outcome) {
            let dispute = self.model.disputes.last().unwrap();
            assert_eq!(currency.read(&found["amount"]), dispute.amount, "{found}");
            assert_eq!(found["status"], "OPEN", "{found}");
            self.disputes.push(text(&found, "/id").to_owned());
        }
        result_of(&outcome)
    }

    /// Sends a message of a dispute, and compares the status of the dispute.
    fn dispute_message(&mut self, path: &str, body: &Value, number: usize, outcome: &Outcome) -> String {
        let found = self.write("POST", path, body, outcome);
        self.remember(outcome, found.as_ref());
        if let Some(found) = found {
            assert_eq!(found["dispute"]["status"], self.model.disputes[number].status.name(), "{found}");
            assert_eq!(found["transaction"].is_null(), matches!(outcome, Outcome::Done(_)), "{found}");
        }
        result_of(outcome)
    }

    fn absent(&mut self, step: &Step) -> String {
        let is_card = matches!(step, Step::AbsentCard);
        let (path, body, at) = if is_card {
            let body = json!({"cardId": ABSENT, "amount": 1, "network": "VISA", "cardAcceptor": {"mid": "1"}});
            (AUTHORIZATION, body, "body.cardId")
        } else {
            (CLEARING, json!({"precedingRelatedTransactionToken": ABSENT, "amount": 1}), TOKEN)
        };
        let outcome = Outcome::Refused(404, "not_found", at);
        self.message(path, &body, &outcome)
    }
}

/// Returns a result as one word.
pub(super) fn result_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Message(record) => record.code.to_owned(),
        Outcome::Done(_) => "done".to_owned(),
        Outcome::Refused(_, code, _) => (*code).to_owned(),
    }
}
