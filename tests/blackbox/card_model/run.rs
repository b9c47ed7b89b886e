//! A run: a world on a server, its model, and the ids and tokens of its objects.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::controls::Controls;
use super::model::{Budget, Card, CardState, Funds, Lives, Model, Outcome, Record};
use super::money::Currency;
use crate::support::assert::{expect_error, expect_fault, expect_json, text, time};
use crate::support::client::{Answer, Client};
use crate::support::management::{BUDGETS, CARDS, budget_of, new_budget};
use crate::support::server::Server;
use crate::support::worlds::create_world;

/// The time at which the worlds begin: shortly before the end of a day, a week and a month.
const START: &str = "2026-01-30T21:00:00Z";

/// The budgets below the account's parent budget: name, number of the budget above, currencies. They have the numbers
/// from 1, and the parent budget is number 0.
const INITIAL_BUDGETS: [(&str, usize, &[Currency]); 4] = [
    ("Cash", 0, &[Currency::Gbp]),
    ("Mixed", 0, &[Currency::Gbp, Currency::Eur, Currency::Jpy]),
    ("Nested", 2, &[Currency::Jpy, Currency::Eur]),
    ("Euro", 0, &[Currency::Eur]),
];

/// The shared cards that exist from the start: the number of the budget, and the currency.
const INITIAL_CARDS: [(usize, Currency); 7] = [
    (1, Currency::Gbp),
    (1, Currency::Gbp),
    (2, Currency::Gbp),
    (2, Currency::Jpy),
    (3, Currency::Jpy),
    (3, Currency::Eur),
    (4, Currency::Eur),
];

/// A write that succeeded, and can be repeated.
pub(super) struct Write {
    method: &'static str,
    path: String,
    /// The idempotency key.
    key: String,
    body: String,
    answer: Answer,
}

/// A world on a server, and its model.
pub(super) struct Run {
    pub(super) client: Client,
    pub(super) model: Model,
    /// The ids of the budgets.
    pub(super) budgets: Vec<String>,
    /// The ids of the cards.
    pub(super) cards: Vec<String>,
    /// The security codes of the cards.
    pub(super) codes: Vec<String>,
    pub(super) person: String,
    /// The token of each message, if an answer showed it.
    pub(super) tokens: Vec<Option<String>>,
    /// The ids of limits by their number.
    pub(super) limits: HashMap<usize, String>,
    pub(super) disputes: Vec<String>,
    /// The id of the row of each credit and transfer, if an answer showed it.
    pub(super) boxes: Vec<Option<String>>,
    pub(super) writes: Vec<Write>,
    /// Number of idempotency keys that were used.
    pub(super) keys: usize,
    /// Number of times that each operation had each result.
    pub(super) counts: BTreeMap<(String, String), usize>,
}

fn empty_model() -> Model {
    let funds = Currency::HELD.map(|currency| (currency, Funds::default())).into();
    Model {
        now: time(&json!(START)).timestamp(),
        budgets: vec![Budget { parent: None, funds, controls: Controls::default() }],
        cards: Vec::new(),
        chains: Vec::new(),
        messages: Vec::new(),
        disputes: Vec::new(),
        boxes: Vec::new(),
        lives: Lives { default: None, rules: Vec::new() },
        is_network: false,
        is_person_active: true,
        limits_created: 0,
    }
}

impl Run {
    /// Creates a world with budgets, cards and some money.
    pub(super) fn begin(server: &Server, seed: u64) -> Self {
        let (_, client) =
            create_world(server, json!({"template": "empty", "startsAt": START, "seed": format!("model {seed}")}));
        let parent = expect_json(&client.get(BUDGETS), 200);
        let mut run = Self {
            budgets: vec![text(&parent, "/rows/0/id").to_owned()],
            client,
            model: empty_model(),
            cards: Vec::new(),
            codes: Vec::new(),
            person: String::new(),
            tokens: Vec::new(),
            limits: HashMap::new(),
            disputes: Vec::new(),
            boxes: Vec::new(),
            writes: Vec::new(),
            keys: 0,
            counts: BTreeMap::new(),
        };
        for (name, parent, currencies) in INITIAL_BUDGETS {
            let codes: Vec<_> = currencies.iter().map(|currency| currency.code()).collect();
            let mut body = new_budget(name, &codes);
            body["parentId"] = json!(run.budgets[parent]);
            run.budgets.push(budget_of(&run.client, &body));
            let funds = currencies.iter().map(|currency| (*currency, Funds::default())).collect();
            run.model.budgets.push(Budget { parent: Some(parent), funds, controls: Controls::default() });
        }
        for (budget, currency) in INITIAL_CARDS {
            run.new_card(budget, currency, None);
        }
        run.individual_card();
        run
    }

    /// Creates an active shared card.
    pub(super) fn new_card(&mut self, budget: usize, currency: Currency, days: Option<i64>) {
        let last_day = days.map(|days| self.model.now.div_euclid(super::limits::DAY) + days);
        let mut body = json!({
            "cardOwnerType": "BUDGET", "budgetId": self.budgets[budget], "name": "Shared",
            "currencyCode": currency.code(), "activate": true,
        });
        if let Some(last) = last_day {
            body["expiryDate"] = json!(super::limits::date(last * super::limits::DAY).to_string());
        }
        let answer = self.write("POST", CARDS, &body, &Outcome::Done(201)).unwrap();
        self.model.cards.push(Card {
            budget,
            currency,
            state: CardState::Active,
            last_day,
            pin: None,
            is_individual: false,
            limits: Vec::new(),
            controls: Controls::default(),
        });
        self.store_card(text(&answer, "/id"));
    }

    /// Creates the individual card of a person. The card spends from the second of its active budgets, because the
    /// first one does not hold the card's currency.
    fn individual_card(&mut self) {
        let person = json!({
            "accountId": self.client.account, "firstName": "Ada", "lastName": "Lovelace", "roleName": "User",
            "emailAddress": "ada@example.com",
        });
        let person = self.write("POST", "/v2/people", &person, &Outcome::Done(201)).unwrap();
        text(&person, "/id").clone_into(&mut self.person);
        let budgets = [(3, false), (1, true), (2, true), (4, true)];
        let budgets = budgets.map(|(budget, active)| json!({"budgetId": self.budgets[budget], "active": active}));
        let body = json!({
            "cardOwnerType": "PEOPLE", "personId": self.person, "budgets": budgets, "name": "Individual",
            "currencyCode": "EUR", "activate": true,
        });
        let answer = self.write("POST", CARDS, &body, &Outcome::Done(201)).unwrap();
        let like = self.model.cards[0].clone();
        self.model.cards.push(Card { budget: 2, currency: Currency::Eur, is_individual: true, ..like });
        self.store_card(text(&answer, "/id"));
    }

    /// Stores the id and the security code of the newest card.
    pub(super) fn store_card(&mut self, id: &str) {
        let details = expect_json(&self.client.get(&format!("{CARDS}/{id}/details")), 200);
        self.codes.push(text(&details, "/securityCode").to_owned());
        self.cards.push(id.to_owned());
    }

    /// Sends a write under a new idempotency key, and expects an outcome. Returns the body of a success.
    pub(super) fn write(
        &mut self,
        method: &'static str,
        path: &str,
        body: &Value,
        expected: &Outcome,
    ) -> Option<Value> {
        self.keys += 1;
        let (key, body) = (format!("write-{}", self.keys), body.to_string());
        let body = if body == "null" { String::new() } else { body };
        let answer = send(&self.client, method, path, &key, &body);
        let found = self.expect(&answer, expected);
        assert!(!answer.replayed(), "{answer:?}");
        if answer.status < 300 {
            self.writes.push(Write { method, path: path.to_owned(), key, body, answer });
        }
        found
    }

    /// Compares an answer with an outcome.
    pub(super) fn expect(&self, answer: &Answer, expected: &Outcome) -> Option<Value> {
        match expected {
            Outcome::Done(204) => assert_eq!(answer.status, 204, "{answer:?}"),
            Outcome::Done(status) => return Some(expect_json(answer, *status)),
            Outcome::Message(record) => {
                let body = expect_json(answer, 201);
                self.expect_record(&body["transaction"], record);
                return Some(body);
            }
            Outcome::Refused(status, code, path) => {
                expect_fault(answer, *status, path, code);
            }
        }
        None
    }

    /// Compares the record of a message, and the balances that it shows, with the model.
    fn expect_record(&self, shown: &Value, record: &Record) {
        let chain = &self.model.chains[self.model.messages[record.message].chain];
        let card = chain.card;
        let funds = self.model.card_funds(card);
        let formatted = |minor: i64| json!(self.model.cards[card].currency.format(minor));
        let expected = vec![
            ("/type", json!(record.kind)),
            ("/state", json!(record.state)),
            ("/response/code", json!(record.code)),
            ("/gpa/ledgerBalance", formatted(funds.ledger)),
            ("/gpa/availableBalance", formatted(funds.available)),
            ("/cardToken", json!(self.cards[card])),
            ("/currencyCode", json!(self.model.cards[card].currency.code())),
            ("/amount", formatted(record.amount)),
            ("/requestAmount", formatted(record.requested)),
            ("/gpa/impactedAmount", formatted(record.impacted)),
        ];
        let found: Vec<_> =
            expected.iter().map(|(at, _)| (*at, shown.pointer(at).cloned().unwrap_or_default())).collect();
        assert!(found == expected, "expected {}\n     got {}\n{shown}", listed(&expected), listed(&found));
        assert_eq!(time(&shown["createdTime"]).timestamp(), self.model.now, "{shown}");
    }

    /// Repeats an earlier write with its idempotency key, and expects its answer again.
    pub(super) fn again(&self, number: usize) {
        let Write { method, path, key, body, answer } = &self.writes[number];
        let again = send(&self.client, method, path, key, body);
        assert!(again.replayed(), "{path} {body}: {again:?}");
        assert_eq!((again.status, again.text()), (answer.status, answer.text()), "{path} {body}");
    }

    /// Uses the idempotency key of an earlier write for another request, which must be refused.
    pub(super) fn misuse(&self, number: usize) {
        let body = json!({"lowBalanceThreshold": null}).to_string();
        let path = format!("{BUDGETS}/{}", self.budgets[0]);
        let answer = send(&self.client, "PATCH", &path, &self.writes[number].key, &body);
        let faults = expect_error(&answer, 422);
        assert!(faults.iter().all(|fault| fault.code == "idempotency_mismatch"), "{answer:?}");
    }
}

fn listed(values: &[(&str, Value)]) -> String {
    values.iter().map(|(at, value)| format!("{at}={value}")).collect::<Vec<_>>().join(" ")
}

pub(super) fn send(client: &Client, method: &str, path: &str, key: &str, body: &str) -> Answer {
    let call = client.call(method, path).header("Idempotency-Key", key);
    if body.is_empty() { call.send() } else { call.json(body).send() }
}
