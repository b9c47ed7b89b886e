//! The examples of `/openapi.json`, as requests that can be sent. If an example needs an object that the demo data
//! lacks, the links of the document lead to an answer that contains the object's id. The docs page does the same.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Map, Value, json};

use super::logo::{png, set_logo};
use super::{Answer, Client, Server};

/// The operations that run first, and those that run last. All others run in between, in the order of the document.
/// With this order, the recorded answers show lists with an entry, and card messages without a decision endpoint.
const FIRST: [&str; 3] = ["createWorld", "takeSnapshot", "createBudget"];
const LAST: [&str; 12] = [
    "setCardDecisions",
    "getCardDecisions",
    "rotateCardDecisionsSecret",
    "deleteCardDecisions",
    "deleteWebhook",
    "setClock",
    "restoreWorld",
    "deleteImportedSnapshot",
    "deleteSnapshot",
    "deleteWorld",
    "removeSpendingLimit",
    "removeTransactionLimit",
];

/// The number in the next unique `idempotencyKey` of an example.
static NEXT_KEY: AtomicU32 = AtomicU32::new(1);

/// How the example of an operation refers to an exchange with another operation.
#[derive(Clone)]
struct Link {
    /// The id of the other operation.
    source: String,
    /// Whether the example uses up the object: no further example can change it.
    uses_up: bool,
    /// The values of the example that differ for each exchange, and the expressions for them.
    bindings: Vec<(String, String)>,
}

/// An operation with its examples.
#[derive(Clone)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    path: String,
    /// The path and the query.
    pub(crate) target: String,
    pub(crate) body: Option<String>,
    /// Whether the body is a form with a file, for which the document has no example.
    is_form: bool,
    /// Whether the body is JSON.
    pub(crate) is_json: bool,
    /// Whether the operation needs an API key.
    pub(crate) needs_key: bool,
    link: Option<Link>,
}

impl Operation {
    fn read(path: &str, method: &str, description: &Value) -> Self {
        let (mut target, mut query) = (path.to_owned(), Vec::new());
        for parameter in description["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let required = parameter["required"] == true;
            let Some(value) = parameter["example"].as_str() else {
                assert!(!required, "{method} {path}: {name} has no example");
                continue;
            };
            match parameter["in"].as_str() {
                Some("path") => target = target.replace(&format!("{{{name}}}"), value),
                Some("query") => query.push(format!("{name}={}", value.replace(' ', "%20"))),
                other => panic!("{path}: an example in {other:?}"),
            }
        }
        let content = &description["requestBody"]["content"];
        let json = &content["application/json"];
        assert!(json.is_null() || json["example"].is_object(), "{method} {path} has no example of its body");
        let text = content["application/x-ndjson"]["example"].as_str();
        Self {
            id: description["operationId"].as_str().unwrap().to_owned(),
            method: method.to_uppercase(),
            path: path.to_owned(),
            target: format!("{target}?{}", query.join("&")),
            is_form: content["multipart/form-data"].is_object(),
            is_json: json.is_object(),
            body: json.get("example").map(Value::to_string).or_else(|| text.map(str::to_owned)),
            needs_key: description["security"] != json!([]) && description["security"] != json!([{}]),
            link: None,
        }
    }

    /// Sets the link that leads to the operation, unless another response has set it.
    fn set_link(&mut self, source: &str, link: &Value) {
        let mut bindings = Vec::new();
        for (name, expression) in link["parameters"].as_object().into_iter().flatten() {
            let value = self.parameter(name);
            bindings.push((value, expression.as_str().unwrap().to_owned()));
        }
        let body = self.body.as_deref().map(|body| serde_json::from_str(body).unwrap_or_else(|_| body.into()));
        bind(&link["requestBody"], &body.unwrap_or_default(), &mut bindings);
        self.link = Some(Link { source: source.to_owned(), uses_up: link["x-florin-uses-up"] == true, bindings });
    }

    /// Returns a parameter of the path or the query.
    fn parameter(&self, name: &str) -> String {
        let (path, query) = self.target.split_once('?').unwrap();
        let placeholder = format!("{{{name}}}");
        let in_path = self.path.split('/').zip(path.split('/')).find(|(part, _)| *part == placeholder);
        let in_query = || query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let value = in_path.map(|(_, value)| value).or_else(in_query);
        value.unwrap_or_else(|| panic!("{} has no parameter {name}", self.id)).to_owned()
    }

    /// Whether an example takes a value from an exchange with another operation.
    pub(crate) const fn has_link(&self) -> bool {
        self.link.is_some()
    }

    /// Whether no later example can change the object of this one.
    pub(crate) fn ends_object(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.uses_up || self.method == "DELETE")
    }

    /// Returns the operation with the target and body that `change` returns.
    pub(crate) fn with(&self, change: impl Fn(&str) -> String) -> Self {
        Self { target: change(&self.target), body: self.body.as_deref().map(change), ..self.clone() }
    }

    /// Returns the operation with another body.
    pub(crate) fn with_body(&self, body: &str) -> Self {
        Self { body: Some(body.to_owned()), ..self.clone() }
    }

    /// Returns the operation with an `idempotencyKey` that no other request has, if its body contains one.
    fn with_new_idempotency_key(&self) -> Self {
        const MEMBER: &str = "\"idempotencyKey\":\"";
        let number = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
        self.with(|text| text.replace(MEMBER, &format!("{MEMBER}{number}-")))
    }

    /// Sends the example.
    pub(crate) fn send(&self, client: &Client) -> Answer {
        let client = if self.needs_key { client.clone() } else { client.with_authorization(None) };
        let call = client.call(&self.method, &self.target);
        match &self.body {
            _ if self.is_form => set_logo(&client, &png()),
            Some(body) if self.is_json => call.json(body).send(),
            Some(body) => call.header("Content-Type", "application/x-ndjson").bytes(body).send(),
            None => call.send(),
        }
    }
}

/// Adds the expressions in the body of a link, with the values in the example of the body.
fn bind(linked: &Value, example: &Value, bindings: &mut Vec<(String, String)>) {
    match linked {
        Value::String(text) if text.starts_with('$') => {
            bindings.push((example.as_str().unwrap().to_owned(), text.clone()));
        }
        Value::Object(members) => members.iter().for_each(|(name, member)| bind(member, &example[name], bindings)),
        _ => {}
    }
}

/// A request and the answer to it.
#[derive(Clone)]
struct Exchange {
    request: Operation,
    answer: String,
    is_used_up: bool,
}

impl Exchange {
    /// Evaluates an expression, such as `$response.body#/id`.
    fn value(&self, expression: &str) -> String {
        let find = |text: &str, pointer: &str| {
            let document: Value = serde_json::from_str(text).unwrap();
            let value = document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            value.unwrap_or_else(|| panic!("{}: {expression} is not in {text}", self.request.id))
        };
        let (part, rest) = expression.split_at(expression.find('#').unwrap_or(expression.len()));
        match (part, rest.strip_prefix('#')) {
            ("$response.body", None) => self.answer.clone(),
            ("$response.body", Some(pointer)) => find(&self.answer, pointer),
            ("$request.body", Some(pointer)) => find(self.request.body.as_deref().unwrap(), pointer),
            _ => self.request.parameter(part.rsplit('.').next().unwrap()),
        }
    }
}

/// The examples of all operations.
pub(crate) struct Examples {
    /// The operations, in an order in which each succeeds on the demo data.
    pub(crate) operations: Vec<Operation>,
    /// The last exchange with each operation, by its id.
    exchanges: RefCell<BTreeMap<String, Exchange>>,
}

impl Examples {
    /// Reads the document of a server.
    pub(crate) fn of(server: &Server) -> Self {
        let document = server.client().get("/openapi.json?").json();
        let (mut operations, mut links) = (Vec::new(), Vec::new());
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, description) in item.as_object().unwrap().iter().filter(|(method, _)| *method != "parameters")
            {
                operations.push(Operation::read(path, method, description));
                let responses = description["responses"].as_object().unwrap().values();
                let linked = responses.filter_map(|response| response["links"].as_object());
                let source = description["operationId"].as_str().unwrap();
                links.extend(linked.flat_map(Map::values).map(|link| (source, link)));
            }
        }
        for (source, link) in links {
            let target = operations.iter_mut().find(|operation| link["operationId"] == *operation.id);
            target.unwrap_or_else(|| panic!("{link} leads nowhere")).set_link(source, link);
        }
        operations.sort_by_key(|operation| {
            let first = FIRST.iter().position(|id| *id == operation.id).map(|place| (0, place));
            let last = LAST.iter().position(|id| *id == operation.id).map(|place| (2, place));
            first.or(last).unwrap_or((1, 0))
        });
        Self { operations, exchanges: RefCell::default() }
    }

    pub(crate) fn find(&self, id: &str) -> &Operation {
        self.operations.iter().find(|operation| operation.id == id).unwrap_or_else(|| panic!("no operation {id}"))
    }

    /// Returns an example with the ids of the last exchange with the operation that its link names. If there was no
    /// such exchange, or its object was used up, sends the example of that operation first.
    pub(crate) fn ready(&self, server: &Server, operation: &Operation) -> Operation {
        let Some(link) = &operation.link else { return operation.clone() };
        let known = self.exchanges.borrow().get(&link.source).cloned();
        let exchange = known.filter(|known| operation.method == "GET" || !known.is_used_up).unwrap_or_else(|| {
            let example = self.ready(server, self.find(&link.source)).with_new_idempotency_key();
            let answer = example.send(&server.client());
            assert!((200..300).contains(&answer.status), "{} for {}: {answer:?}", example.id, operation.id);
            self.record(&example, &answer);
            self.exchanges.borrow()[&link.source].clone()
        });
        let values: Vec<_> =
            link.bindings.iter().map(|(value, expression)| (value, exchange.value(expression))).collect();
        operation.with(|text| values.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from.as_str(), to)))
    }

    /// Records an exchange, and whether it deleted or used up the object that the request names.
    pub(crate) fn record(&self, request: &Operation, answer: &Answer) {
        if let Some(link) = &request.link {
            if request.method == "DELETE" {
                self.forget(&link.source);
            } else if link.uses_up {
                self.use_up(&link.source);
            }
        }
        if self.operations.iter().any(|target| target.link.as_ref().is_some_and(|link| link.source == request.id)) {
            self.forget(&request.id);
            let exchange = Exchange { request: request.clone(), answer: answer.text(), is_used_up: false };
            self.exchanges.borrow_mut().insert(request.id.clone(), exchange);
        }
    }

    /// Forgets the exchange with an operation, and the exchanges with operations whose examples take values from it.
    fn forget(&self, id: &str) {
        self.exchanges.borrow_mut().remove(id);
        let follows = |operation: &&Operation| operation.link.as_ref().is_some_and(|link| link.source == id);
        self.operations.iter().filter(follows).for_each(|operation| self.forget(&operation.id));
    }

    /// Marks the exchange with an operation as used up, and the exchanges from which its example took its values.
    fn use_up(&self, id: &str) {
        if let Some(exchange) = self.exchanges.borrow_mut().get_mut(id) {
            exchange.is_used_up = true;
        }
        if let Some(link) = &self.find(id).link {
            self.use_up(&link.source);
        }
    }
}
