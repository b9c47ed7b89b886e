//! The examples of `/openapi.json`, as requests that can be sent.

use serde_json::{Value, json};

use super::logo::{png, set_logo};
use super::worlds::{below_world, make, snapshot, world_path};
use super::{Answer, Client, Server};

/// The first operations. An operation that creates an object runs before operations that refer to it, and one that
/// removes the object runs last. Unlisted operations run between, in the order of the document.
pub(crate) const FIRST: [&str; 3] = ["createWorld", "takeSnapshot", "createBudget"];
const LAST: [&str; 15] = [
    "setCardDecisions",
    "getCardDecisions",
    "rotateCardDecisionsSecret",
    "deleteCardDecisions",
    "deleteWebhook",
    "uploadPayments",
    "openMfaSession",
    "confirmPaymentBatch",
    "setClock",
    "restoreWorld",
    "deleteImportedSnapshot",
    "deleteSnapshot",
    "deleteWorld",
    "removeSpendingLimit",
    "removeTransactionLimit",
];

/// The placeholder of an id that the document cannot know. The value comes from the answer of an earlier operation.
const PLACEHOLDER: &str = "0198c0de-0000-7000-8000-000000000000";

/// The placeholder of the id of an event for a webhook.
const MESSAGE: &str = "0198c0de-0000-7000-8000-00000000000e";

/// A time in an example that must be recent.
const RECENT: &str = "2026-11-22T12:00:00Z";

/// Operations with the placeholder, the operation whose answer contains the id, and the location of the id in that
/// answer.
pub(crate) const FOLLOW_UPS: [(&str, &str, &str); 34] = [
    ("cancelCheckoutSession", "createCheckoutSession", "/id"),
    ("cancelTopUp", "createTopUp", "/id"),
    ("authoriseMerchantRefund", "createMerchantRefund", "/id"),
    ("deleteSettlementAccount", "listSettlementAccounts", "/rows/0/id"),
    ("adviseTransaction", "authorizeTransaction", "/transaction/token"),
    ("incrementTransaction", "authorizeTransaction", "/transaction/token"),
    ("clearTransaction", "authorizeTransaction", "/transaction/token"),
    ("reverseTransaction", "authorizeTransaction", "/transaction/token"),
    ("getTransactionChain", "authorizeTransaction", "/transaction/token"),
    ("clearAtmWithdrawal", "authorizeAtmWithdrawal", "/transaction/token"),
    ("clearRefund", "authorizeRefund", "/transaction/token"),
    ("reverseRefund", "authorizeRefund", "/transaction/token"),
    ("expireTransaction", "authorizeTransaction", "/transaction/token"),
    ("reverseDebit", "debit", "/transaction/token"),
    ("returnRefund", "refund", "/transaction/token"),
    ("openDispute", "debit", "/transaction/token"),
    ("getDispute", "openDispute", "/id"),
    ("addDisputeEvidence", "openDispute", "/id"),
    ("creditDispute", "openDispute", "/id"),
    ("resolveDispute", "openDispute", "/id"),
    ("confirmPaymentBatch", "openMfaSession", "/sessionId"),
    ("transfer", "createBudget", "/id"),
    ("deleteIpAddress", "listIpAddresses", "/rows/0/id"),
    ("removeSpendingLimit", "setSpendingLimit", "/id"),
    ("removeTransactionLimit", "setTransactionLimit", "/id"),
    ("getWebhook", "createWebhook", "/id"),
    ("updateWebhook", "createWebhook", "/id"),
    ("deleteWebhook", "createWebhook", "/id"),
    ("rotateWebhookSecret", "createWebhook", "/id"),
    ("testWebhook", "createWebhook", "/id"),
    ("listDeliveries", "createWebhook", "/id"),
    ("redeliver", "createWebhook", "/id"),
    ("recoverWebhook", "createWebhook", "/id"),
    ("deleteImportedSnapshot", "importSnapshot", "/id"),
];

/// An operation with its examples.
#[derive(Clone)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) method: String,
    /// The path and the query.
    pub(crate) target: String,
    pub(crate) body: Option<String>,
    /// Whether the body is a form with a file, which the document can't show.
    is_form: bool,
    pub(crate) has_key: bool,
}

impl Operation {
    fn read(path: &str, method: &str, described: &Value) -> Self {
        let (mut target, mut query) = (path.to_owned(), Vec::new());
        for parameter in described["parameters"].as_array().into_iter().flatten() {
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
        let content = &described["requestBody"]["content"]["application/json"];
        assert!(content.is_null() || content["example"].is_object(), "{method} {path} has no example of its body");
        Self {
            id: described["operationId"].as_str().unwrap().to_owned(),
            method: method.to_uppercase(),
            target: format!("{target}?{}", query.join("&")),
            is_form: described["requestBody"]["content"]["multipart/form-data"].is_object(),
            body: content.get("example").map(Value::to_string),
            has_key: described["security"] != json!([]) && described["security"] != json!([{}]),
        }
    }

    /// Whether the example refers to an object that another operation must create first.
    pub(crate) fn has_placeholder(&self) -> bool {
        self.mentions(PLACEHOLDER)
    }

    fn mentions(&self, text: &str) -> bool {
        self.target.contains(text) || self.body.as_ref().is_some_and(|body| body.contains(text))
    }

    /// Returns the operation with the target and body that `change` returns.
    pub(crate) fn with(&self, change: impl Fn(&str) -> String) -> Self {
        Self { target: change(&self.target), body: self.body.as_deref().map(change), ..self.clone() }
    }

    /// Sends the example. `snapshot` is the file that `importSnapshot` sends.
    pub(crate) fn send(&self, client: &Client, snapshot: &[u8]) -> Answer {
        let client = if self.has_key { client.clone() } else { client.with_authorization(None) };
        let call = client.call(&self.method, &self.target);
        if self.is_form {
            return set_logo(&client, &png());
        }
        if self.id == "importSnapshot" {
            return call.header("Content-Type", "application/x-ndjson").bytes(snapshot).send();
        }
        match &self.body {
            Some(body) => call.json(body).send(),
            None => call.send(),
        }
    }
}

/// The examples of all operations, in an order in which each succeeds on the demo data.
pub(crate) struct Examples(pub(crate) Vec<Operation>);

impl Examples {
    /// Reads the document of a server.
    pub(crate) fn of(server: &Server) -> Self {
        let document = server.client().get("/openapi.json?").json();
        let mut all = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            let operations = item.as_object().unwrap().iter().filter(|(method, _)| *method != "parameters");
            all.extend(operations.map(|(method, described)| Operation::read(path, method, described)));
        }
        all.sort_by_key(|operation| {
            let first = FIRST.iter().position(|id| *id == operation.id).map(|place| (0, place));
            let last = LAST.iter().position(|id| *id == operation.id).map(|place| (2, place));
            first.or(last).unwrap_or((1, 0))
        });
        Self(all)
    }

    pub(crate) fn find(&self, id: &str) -> &Operation {
        self.0.iter().find(|operation| operation.id == id).unwrap_or_else(|| panic!("no operation {id}"))
    }

    /// Replaces the placeholders of an example with ids of objects, which it creates with other examples.
    pub(crate) fn ready(&self, server: &Server, operation: &Operation) -> Operation {
        let ready = operation.with(|text| text.replace(RECENT, &now()));
        if !ready.has_placeholder() {
            return ready;
        }
        let known = FOLLOW_UPS.iter().find(|(id, ..)| *id == operation.id);
        let (_, before, place) = known.unwrap_or_else(|| panic!("{} is missing in FOLLOW_UPS", operation.id));
        let answer = example_answer(server, &self.ready(server, self.find(before))).json();
        let value = answer.pointer(place).and_then(Value::as_str).unwrap_or_else(|| panic!("{before}: {answer}"));
        let ready = ready.with(|text| text.replace(PLACEHOLDER, value));
        if !ready.mentions(MESSAGE) && ready.id != "listDeliveries" {
            return ready;
        }
        let sample = self.find("testWebhook").with(|text| text.replace(PLACEHOLDER, value));
        let queued = example_answer(server, &sample).json();
        ready.with(|text| text.replace(MESSAGE, queued["messageId"].as_str().unwrap()))
    }
}

/// Returns the current second.
fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Returns the file of a snapshot of a new world.
fn snapshot_file(server: &Server) -> Vec<u8> {
    let (_, world) = make(server, json!({"template": "empty", "seed": "a file"}));
    let file = below_world(&world.account, &format!("snapshots/{}/file", snapshot(&world)));
    let file = world.get(&file).body;
    assert_eq!(server.client().call("DELETE", &world_path(&world.account)).send().status, 204);
    file
}

/// Sends an example with the key of the demo account.
pub(crate) fn example_answer(server: &Server, operation: &Operation) -> Answer {
    let file = if operation.id == "importSnapshot" { snapshot_file(server) } else { Vec::new() };
    operation.send(&server.client(), &file)
}
