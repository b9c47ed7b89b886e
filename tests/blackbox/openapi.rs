//! `GET /openapi.json`: valid against the official schema, complete, and consistent with the answers of the server.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::events::EVENTS;
use crate::support::assert::text;
use crate::support::batches::{mfa_body, open_session};
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::CLOCK;
use crate::support::{
    ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, Answer, BANKS, CHAIN, CHECKOUTS, CLEARING, CREDIT, INCREMENT,
    LOOKUP, MFA_SESSIONS, PAYEES, REFUND, REFUND_CLEARING, REVERSAL, SETTLEMENT_ACCOUNTS, SIMULATIONS, Server, Wallet,
    confirm_path, demo, expect_error, shared,
};

const OFFICIAL: &str = include_str!("../fixtures/openapi-3.1.schema.json");
const STREAM: &str = "/v2/events/stream";
const EVENT_TYPES: &str = "/v2/webhooks/event-types";
const CONFIRM: &str = "/v2/payment-batches/{paymentBatchId}/confirm";

/// The error statuses that every operation has.
const ALWAYS: [u16; 3] = [429, 500, 503];
/// The other error statuses of an operation that reads data of the client.
const OF_THE_CLIENT: [u16; 3] = [400, 401, 403];
/// The other error statuses of an operation that reads data of an account. The status is 409 if a world is restored
/// meanwhile.
const OF_A_READ: [u16; 5] = [400, 401, 403, 404, 409];
/// The other error statuses of an operation that writes data of an account.
const OF_A_WRITE: [u16; 8] = [400, 401, 403, 404, 409, 413, 415, 422];
/// The other error statuses of a deletion that has no idempotency record.
const OF_A_DELETION: [u16; 7] = [400, 401, 403, 404, 409, 413, 415];

/// Returns the OpenAPI document of the shared server.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let answer = shared().client().with_authorization(None).get("/openapi.json?");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        answer.json()
    })
}

/// Returns many operations: method, path, success status, and the error statuses other than [`ALWAYS`].
fn operations() -> Vec<(&'static str, &'static str, u16, Vec<u16>)> {
    let mut all = vec![
        ("get", CHECKOUTS, 200, OF_A_READ.to_vec()),
        ("get", "/v2/merchant", 200, OF_A_READ.to_vec()),
        ("patch", "/v2/merchant", 200, OF_A_WRITE.to_vec()),
        ("patch", "/v2/merchant/logo", 200, OF_A_WRITE.to_vec()),
        ("post", CHECKOUTS, 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/checkouts/{checkoutId}", 200, OF_A_READ.to_vec()),
        ("patch", "/v2/merchant/checkouts/{checkoutId}", 200, OF_A_WRITE.to_vec()),
        ("get", SETTLEMENT_ACCOUNTS, 200, OF_A_READ.to_vec()),
        ("post", SETTLEMENT_ACCOUNTS, 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/settlement-accounts/{settlementAccountId}", 200, OF_A_READ.to_vec()),
        ("patch", "/v2/merchant/settlement-accounts/{settlementAccountId}", 200, OF_A_WRITE.to_vec()),
        ("delete", "/v2/merchant/settlement-accounts/{settlementAccountId}", 204, OF_A_WRITE.to_vec()),
        ("get", PAYEES, 200, OF_A_READ.to_vec()),
        ("post", PAYEES, 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/payees/{payeeId}", 200, OF_A_READ.to_vec()),
        ("patch", "/v2/sandbox/merchant", 200, OF_A_WRITE.to_vec()),
        ("post", "/v2/sandbox/merchant/settlement-accounts/{settlementAccountId}/approval", 200, OF_A_WRITE.to_vec()),
        ("post", "/v2/sandbox/merchant/payees/{payeeId}/approval", 200, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/checkout-sessions", 200, OF_A_READ.to_vec()),
        ("post", "/v2/merchant/checkout-sessions", 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/checkout-sessions/{checkoutSessionId}", 200, OF_A_READ.to_vec()),
        ("post", "/v2/merchant/checkout-sessions/{checkoutSessionId}/cancel", 200, OF_A_WRITE.to_vec()),
        ("post", "/v2/merchant/top-ups", 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/top-ups/{topUpId}", 200, OF_A_READ.to_vec()),
        ("post", "/v2/merchant/top-ups/{topUpId}/cancel", 200, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/payments", 200, OF_A_READ.to_vec()),
        ("get", "/v2/merchant/payments/export", 200, vec![400, 401, 403, 404, 409, 422]),
        ("get", "/v2/merchant/payments/{paymentId}", 200, OF_A_READ.to_vec()),
        ("post", "/v2/merchant/payments/{paymentId}/refunds", 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/merchant/refunds/{refundId}", 200, OF_A_READ.to_vec()),
        ("get", "/v2/merchant/orders/{orderId}", 200, OF_A_READ.to_vec()),
        ("post", "/v2/sandbox/checkout-sessions/{checkoutSessionId}/pay", 200, OF_A_WRITE.to_vec()),
        ("post", "/v2/sandbox/refunds/{refundId}/authorise", 200, OF_A_WRITE.to_vec()),
        ("get", BANKS, 200, OF_A_READ.to_vec()),
        ("get", LOOKUP, 200, OF_THE_CLIENT.to_vec()),
        ("post", CONFIRM, 200, OF_A_WRITE.to_vec()),
        ("post", MFA_SESSIONS, 201, OF_A_WRITE.to_vec()),
        ("post", CREDIT, 200, OF_A_WRITE.to_vec()),
        ("get", "/v2/accounts", 200, OF_THE_CLIENT.to_vec()),
        ("get", "/v2/accounts/{accountId}", 200, OF_A_READ.to_vec()),
        ("get", "/v2/ipaddresses", 200, OF_THE_CLIENT.to_vec()),
        ("post", "/v2/ipaddresses", 201, vec![400, 401, 403, 409, 413, 415, 422]),
        ("delete", "/v2/ipaddresses/{ipAddressId}", 204, OF_A_DELETION.to_vec()),
        ("get", "/v2/roles", 200, OF_A_READ.to_vec()),
        ("get", "/v2/people", 200, OF_A_READ.to_vec()),
        ("post", "/v2/people", 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/people/{personId}", 200, OF_A_READ.to_vec()),
        ("patch", "/v2/people/{personId}", 200, OF_A_WRITE.to_vec()),
        ("get", CLOCK, 200, OF_A_READ.to_vec()),
        ("post", CLOCK, 200, OF_A_WRITE.to_vec()),
        ("get", "/v2/sandbox/worlds", 200, OF_THE_CLIENT.to_vec()),
        ("post", "/v2/sandbox/worlds", 201, OF_A_WRITE.to_vec()),
        ("get", "/v2/sandbox/worlds/{accountId}", 200, OF_A_READ.to_vec()),
        ("delete", "/v2/sandbox/worlds/{accountId}", 204, OF_A_DELETION.to_vec()),
        ("get", "/v2/sandbox/worlds/{accountId}/snapshots", 200, OF_A_READ.to_vec()),
        ("post", "/v2/sandbox/worlds/{accountId}/snapshots", 201, OF_A_WRITE.to_vec()),
        ("delete", "/v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}", 204, OF_A_WRITE.to_vec()),
        ("post", "/v2/sandbox/worlds/{accountId}/renew", 200, OF_A_WRITE.to_vec()),
        ("post", "/v2/sandbox/worlds/{accountId}/restore", 200, OF_A_WRITE.to_vec()),
    ];
    all.push(("get", CHAIN, 200, OF_A_READ.to_vec()));
    all.push(("get", EVENTS, 200, OF_A_READ.to_vec()));
    all.push(("get", STREAM, 200, OF_A_READ.to_vec()));
    all.push(("get", EVENT_TYPES, 200, OF_THE_CLIENT.to_vec()));
    for path in SIMULATIONS.into_iter().filter(|path| *path != CREDIT) {
        all.push(("post", path, 201, OF_A_WRITE.to_vec()));
    }
    all
}

pub(crate) fn operation(method: &str, path: &str) -> &'static Value {
    let found = document()["paths"].get(path).and_then(|item| item.get(method));
    found.unwrap_or_else(|| panic!("{method} {path} is not described"))
}

/// Resolves a reference inside the document.
fn resolved(value: &'static Value) -> &'static Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            let pointer = reference
                .strip_prefix('#')
                .unwrap_or_else(|| panic!("a reference outside of the document: {reference}"));
            resolved(document().pointer(pointer).unwrap_or_else(|| panic!("{reference} leads nowhere")))
        }
        None => value,
    }
}

/// Finds the description of an operation's answer.
fn response(method: &str, path: &str, status: u16) -> &'static Value {
    let responses = &operation(method, path)["responses"];
    let found = responses.get(status.to_string());
    resolved(found.unwrap_or_else(|| panic!("{method} {path} does not describe {status}")))
}

/// Returns the validator of the bodies of an answer.
fn validator(method: &str, path: &str, status: u16) -> Validator {
    let content = &response(method, path, status)["content"];
    let schema = &content["application/json"]["schema"];
    assert!(schema.is_object(), "{method} {path} {status} has no schema");
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": document()["components"]
    });
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{method} {path} {status}: {error}"))
}

fn complaints(validator: &Validator, instance: &Value) -> Vec<String> {
    validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_document_is_valid_by_the_official_schema() {
    let official: Value = serde_json::from_str(OFFICIAL).unwrap();
    let validator = jsonschema::validator_for(&official).unwrap();
    let complaints = complaints(&validator, document());
    assert!(complaints.is_empty(), "{complaints:#?}");
    assert!(text(document(), "/openapi").starts_with("3.1."));
}

#[test]
fn the_official_schema_rejects_a_wrong_document() {
    let official: Value = serde_json::from_str(OFFICIAL).unwrap();
    let validator = jsonschema::validator_for(&official).unwrap();
    let mut broken = document().clone();
    broken["paths"][BANKS]["get"]["responses"]["200"] = json!({"content": {}});
    assert!(!validator.is_valid(&broken), "a response without a description passed");
}

#[test]
fn operations_and_their_answers_are_described() {
    let mut wrong = Vec::new();
    for (method, path, success, errors) in operations() {
        let responses = operation(method, path)["responses"].as_object().unwrap();
        if !responses.contains_key(&success.to_string()) {
            wrong.push(format!("{method} {path} {success}"));
        }
        let statuses = responses.keys().map(|status| status.parse::<u16>().unwrap());
        let described: BTreeSet<_> = statuses.filter(|status| *status >= 400).collect();
        let expected: BTreeSet<_> = errors.into_iter().chain(ALWAYS).collect();
        if described != expected {
            wrong.push(format!("{method} {path} describes {described:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the operations whose answers with this status can have this code, by their ids.
fn operations_with(status: u16, code: &str) -> Vec<&'static str> {
    let operations = document()["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
    let named = operations.filter(|(_, operation)| {
        let about = operation["responses"][status.to_string()]["description"].as_str();
        about.is_some_and(|about| about.contains(&format!("`{code}`")))
    });
    let mut ids: Vec<_> = named.map(|(_, operation)| text(operation, "/operationId")).collect();
    ids.sort_unstable();
    ids
}

/// A set of errors that several operations share does not name codes that only one of them can have.
#[test]
fn codes_are_named_where_they_can_occur_and_nowhere_else() {
    for (status, code, expected) in [
        (400, "mfa_required", vec!["confirmPaymentBatch"]),
        (403, "required", vec!["listBanks"]),
        (403, "mfa_failed", vec!["confirmPaymentBatch"]),
        (409, "mfa_not_enrolled", vec!["openMfaSession"]),
        (409, "amount_exceeds_hold", vec!["reverseTransaction"]),
        (409, "insufficient_funds", vec!["confirmPaymentBatch", "transfer"]),
        (422, "too_many_rows", vec!["exportMerchantPayments"]),
        (
            503,
            "provider_unavailable",
            vec![
                "authorizeAtmWithdrawal",
                "authorizeRefund",
                "authorizeTransaction",
                "clearTransaction",
                "confirmPaymentBatch",
                "debit",
                "lookupAddresses",
                "playScenario",
                "refund",
            ],
        ),
    ] {
        assert_eq!(operations_with(status, code), expected, "{status} {code}");
    }
    // Production has these operations, but not their dry runs.
    let in_production = ["transfer", "confirmPaymentBatch", "createMerchantRefund"];
    let sandbox_only = operations_with(403, "sandbox_only");
    assert!(in_production.iter().all(|id| sandbox_only.contains(id)), "{sandbox_only:?}");
    assert!(!sandbox_only.contains(&"listBanks"), "{sandbox_only:?}");
    let about = |id: &str, status: u16| {
        let operations = document()["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
        let operation = operations.map(|(_, operation)| operation).find(|operation| operation["operationId"] == id);
        operation.unwrap()["responses"][status.to_string()]["description"].as_str().unwrap().to_owned()
    };
    assert!(about("streamEvents", 400).contains("Last-Event-ID"), "{}", about("streamEvents", 400));
    assert!(about("streamEvents", 429).contains("open streams"), "{}", about("streamEvents", 429));
    assert!(!about("listEvents", 429).contains("open streams"), "{}", about("listEvents", 429));
}

#[test]
fn operations_require_the_key_and_have_unique_names() {
    let schemes = document()["components"]["securitySchemes"].as_object().unwrap();
    let header = schemes.iter().find(|(_, scheme)| {
        scheme["type"] == "apiKey" && scheme["in"] == "header" && scheme["name"] == "Authorization"
    });
    let (scheme, _) = header.expect("no API key in the header Authorization");
    let mut names = Vec::new();
    for (method, path, _, _) in operations() {
        let operation = operation(method, path);
        let security = operation.get("security").or_else(|| document().get("security"));
        let security = security.and_then(Value::as_array).unwrap_or_else(|| panic!("{path} requires no key"));
        assert!(security.iter().any(|expected| expected.get(scheme).is_some()), "{path} requires no key");
        names.push(text(operation, "/operationId"));
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "operationIds repeat");
}

#[test]
fn parameters_are_described() {
    let names = |method: &str, path: &'static str| -> Vec<(String, String)> {
        let item = document()["paths"][path]["parameters"].as_array();
        let own = operation(method, path)["parameters"].as_array();
        let all = item.into_iter().chain(own).flatten().map(resolved);
        all.map(|parameter| (text(parameter, "/in").to_owned(), text(parameter, "/name").to_owned())).collect()
    };
    let has = |method: &str, path: &'static str, place: &str, name: &str| {
        let found = names(method, path);
        assert!(found.iter().any(|known| known.0 == place && known.1 == name), "{path}: {name} not in {found:?}");
    };
    for (method, path, _, _) in operations() {
        // These paths name an account, or their lists depend only on the key.
        let without = ["/v2/sandbox/worlds", "/v2/accounts", "/v2/ipaddresses", EVENT_TYPES];
        if path != LOOKUP && !without.iter().any(|start| path.starts_with(start)) {
            has(method, path, "query", "accountId");
        }
        if method == "post" && !path.ends_with("/cancel") {
            assert!(operation(method, path)["requestBody"].is_object(), "{path} has no requestBody");
        }
    }
    for name in ["limit", "offset", "type", "status"] {
        has("get", CHECKOUTS, "query", name);
    }
    has("get", BANKS, "query", "limit");
    has("get", BANKS, "query", "offset");
    has("get", LOOKUP, "query", "postcode");
    has("post", CONFIRM, "path", "paymentBatchId");
}

/// Expects that an answer matches its description in the document.
pub(crate) fn assert_documented(method: &str, path: &str, answer: &Answer) {
    if answer.status >= 400 {
        let about = text(response(method, path, answer.status), "/description");
        for fault in expect_error(answer, answer.status) {
            let code = format!("`{}`", fault.code);
            assert!(about.contains(&code), "{method} {path} {}: {code} is not in {about:?}", answer.status);
        }
    }
    let complaints = complaints(&validator(method, path, answer.status), &answer.json());
    assert!(complaints.is_empty(), "{method} {path} {}: {complaints:#?} in {answer:?}", answer.status);
}

/// Expects that a question to a decision endpoint matches its description in the document.
pub(crate) fn assert_question_documented(question: &Value) {
    let request = &document()["webhooks"]["CardDecision"]["post"]["requestBody"]["content"]["application/json"];
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [request["schema"]],
        "components": document()["components"]
    });
    let complaints = complaints(&jsonschema::validator_for(&schema).unwrap(), question);
    assert!(complaints.is_empty(), "{complaints:#?} in {question}");
}

#[test]
fn reads_answer_as_described() {
    let client = shared().client();
    for path in [CHECKOUTS, BANKS] {
        for answer in [
            client.get(&format!("{path}?accountId={}&limit=1000", demo().account)),
            client.get(&format!("{path}?accountId={}&limit=0", demo().account)),
            client.get(&format!("{path}?accountId=F00000")),
            client.with_authorization(None).get(path),
            client.with_authorization(Some("x")).get(path),
            shared().limited().get(path),
        ] {
            assert_documented("get", path, &answer);
        }
    }
    let postcode = demo().postcodes().swap_remove(0).replace(' ', "");
    for answer in [
        client.get(&format!("{LOOKUP}?postcode={postcode}")),
        client.get(&format!("{LOOKUP}?postcode=ABCDE")),
        client.get(&format!("{LOOKUP}?postcode=1")),
        client.with_authorization(None).get(LOOKUP),
        shared().other().get(LOOKUP),
    ] {
        assert_documented("get", LOOKUP, &answer);
    }
}

#[test]
fn messages_answer_as_described() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for (path, follows) in [
        (AUTHORIZATION, &[ADVICE, INCREMENT, REVERSAL, CLEARING][..]),
        (ATM, &[REVERSAL, ATM_CLEARING]),
        (REFUND, &[REFUND_CLEARING]),
    ] {
        let approved = wallet.client.post(path, wallet.first_body("10"));
        assert_documented("post", path, &approved);
        assert_documented("post", path, &wallet.client.post(path, wallet.first_body("1000000")));
        let token = text(&approved.json(), "/transaction/token").to_owned();
        for path in follows {
            assert_documented("post", path, &wallet.follow(path, &token, "2"));
        }
        for path in follows {
            assert_documented("post", path, &wallet.follow(path, &token, "1"));
        }
    }
    let credit = credit_body(&wallet.card.budget, "1.00", "GBP");
    assert_documented("post", CREDIT, &wallet.client.post(CREDIT, credit));
}

#[test]
fn errors_are_as_described() {
    let client = shared().client();
    for (_, path, _, _) in operations().into_iter().filter(|(method, path, _, _)| *method == "post" && *path != CONFIRM)
    {
        let body = match path {
            CREDIT => credit_body(ABSENT, "1", "GBP"),
            MFA_SESSIONS => json!({"paymentBatchId": ABSENT}).to_string(),
            AUTHORIZATION | REFUND | ATM => first_body(ABSENT, "1"),
            _ => follow_body(ABSENT, "1"),
        };
        for answer in [
            client.post(path, "{}"),
            client.post(path, "{"),
            client.post(path, &body),
            client.with_account("F00000").post(path, &body),
            client.with_authorization(None).post(path, &body),
            shared().limited().post(path, &body),
            client.call("POST", path).header("Content-Type", "text/plain").bytes(&body).send(),
            client.call("POST", path).header("Idempotency-Key", "a b").json(&body).send(),
        ] {
            assert_documented("post", path, &answer);
        }
    }
}

#[test]
fn confirming_answers_as_described() {
    let server = crate::support::batches::funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    let open = client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string());
    assert_documented("post", MFA_SESSIONS, &open);
    let late = client.post(MFA_SESSIONS, json!({"paymentBatchId": demo().batch("draft")}).to_string());
    assert_documented("post", MFA_SESSIONS, &late);
    let path = confirm_path(&batch);
    for (status, body) in [
        (400, "{}".to_owned()),
        (403, mfa_body("sandbox", &session, "000001")),
        (200, mfa_body("sandbox", &session, "000000")),
        (409, mfa_body("sandbox", &session, "000000")),
    ] {
        let answer = client.post(&path, body);
        assert_eq!(answer.status, status, "{answer:?}");
        assert_documented("post", CONFIRM, &answer);
    }
    let absent = client.post(&confirm_path(ABSENT), mfa_body("sandbox", ABSENT, "1"));
    assert_documented("post", CONFIRM, &absent);
    assert_documented("post", CONFIRM, &client.call("POST", &path).bytes("{}").send());
}

#[test]
fn the_schemas_reject_wrong_answers() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let mut body = wallet.client.post(AUTHORIZATION, wallet.first_body("10")).json();
    let validator = validator("post", AUTHORIZATION, 201);
    assert!(validator.is_valid(&body));
    body["transaction"]["gpa"] = json!(5);
    assert!(!validator.is_valid(&body), "the schema accepts any transaction");
    assert!(!validator.is_valid(&json!({})), "the schema requires no member");
}
