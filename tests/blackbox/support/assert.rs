//! Assertions about answers, and about errors in particular.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde_json::Value;

use super::client::{Answer, Client};

/// The closed list of error codes of contract section 1.3.
const CODES: [&str; 42] = [
    "too_many_rows",
    "required",
    "invalid_json",
    "invalid_type",
    "invalid_format",
    "invalid_value",
    "out_of_range",
    "too_long",
    "too_many_decimals",
    "unknown_field",
    "duplicate_field",
    "duplicate_parameter",
    "method_not_allowed",
    "payload_too_large",
    "unsupported_media_type",
    "not_found",
    "missing_credentials",
    "invalid_credentials",
    "insufficient_scope",
    "address_not_allowed",
    "feature_not_enabled",
    "sandbox_only",
    "invalid_state",
    "already_cleared",
    "already_reversed",
    "expired",
    "wrong_transaction_kind",
    "amount_exceeds_hold",
    "amount_exceeds_authorization",
    "insufficient_funds",
    "balance_limit",
    "mfa_required",
    "mfa_not_enrolled",
    "mfa_failed",
    "mfa_expired",
    "mfa_locked",
    "idempotency_mismatch",
    "idempotency_in_flight",
    "rate_limited",
    "overloaded",
    "provider_unavailable",
    "internal",
];

/// A member of a record that the documentation of the original service lists: its name, and the check of its value.
pub(crate) type Member = (&'static str, fn(&Value) -> bool);

pub(crate) fn is_uuid(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() == 36 && text.matches('-').count() == 4)
}

pub(crate) fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() == 20 && text.ends_with('Z'))
}

/// One entry of `errors`.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Reads an error answer and checks its shape. Every error of the suite passes through here.
pub(crate) fn read_error(answer: &Answer, status: u16) -> Result<Vec<Fault>, String> {
    if answer.status != status {
        return Err(format!("expected status {status}, got {answer:?}"));
    }
    if answer.header("content-type") != Some("application/json") {
        return Err(format!("the content type is not application/json: {answer:?}"));
    }
    if answer.header("x-request-id").is_none_or(str::is_empty) {
        return Err(format!("no X-Request-Id: {answer:?}"));
    }
    let body: Value =
        serde_json::from_slice(&answer.body).map_err(|error| format!("the body is not JSON ({error}): {answer:?}"))?;
    let members = body.as_object().ok_or_else(|| format!("the body is not an object: {answer:?}"))?;
    if members.keys().any(|name| name != "message" && name != "errors") {
        return Err(format!("the body has a member besides message and errors: {answer:?}"));
    }
    short_text(&body["message"], 1, 1024).map_err(|why| format!("message {why}: {answer:?}"))?;
    let errors = body["errors"].as_array().filter(|errors| !errors.is_empty());
    let errors = errors.ok_or_else(|| format!("no errors in the body: {answer:?}"))?;
    errors.iter().map(|entry| read_fault(entry).map_err(|why| format!("{why}: {answer:?}"))).collect()
}

fn read_fault(entry: &Value) -> Result<Fault, String> {
    let members = entry.as_object().ok_or("an entry is not an object")?;
    if members.len() != 3 {
        return Err(format!("an entry has {} members", members.len()));
    }
    let path = short_text(&entry["path"], 0, 256).map_err(|why| format!("path {why}"))?;
    let message = short_text(&entry["message"], 1, 1024).map_err(|why| format!("an entry's message {why}"))?;
    let code = short_text(&entry["errorCode"], 1, 64).map_err(|why| format!("errorCode {why}"))?;
    if !CODES.contains(&code.as_str()) {
        return Err(format!("{code} is not an error code of the contract"));
    }
    Ok(Fault { path, code, message })
}

fn short_text(value: &Value, min: usize, max: usize) -> Result<String, String> {
    let text = value.as_str().ok_or("is not a string")?;
    let length = text.chars().count();
    if (min..=max).contains(&length) { Ok(text.to_owned()) } else { Err(format!("has {length} characters")) }
}

/// Expects that all invariants of the client's account hold.
pub(crate) fn expect_invariants(client: &Client) {
    let report = expect_json(&client.get("/v2/sandbox/invariants"), 200);
    assert_eq!(report["verdict"], "holds", "{report}");
}

/// Expects an error with this status.
pub(crate) fn expect_error(answer: &Answer, status: u16) -> Vec<Fault> {
    read_error(answer, status).unwrap_or_else(|why| panic!("{why}"))
}

/// Expects an error with exactly one entry, with this path and code.
pub(crate) fn expect_fault(answer: &Answer, status: u16, path: &str, code: &str) -> Fault {
    let mut faults = expect_faults(answer, status, &[(path, code)]);
    faults.swap_remove(0)
}

/// Expects an error with exactly these entries, in any order. `*` matches any code or path.
pub(crate) fn expect_faults(answer: &Answer, status: u16, expected: &[(&str, &str)]) -> Vec<Fault> {
    compare_faults(answer, status, expected).unwrap_or_else(|why| panic!("{why}"))
}

/// Like [`expect_faults`], but returns the failure, for tables of requests that continue after a failure.
pub(crate) fn compare_faults(answer: &Answer, status: u16, expected: &[(&str, &str)]) -> Result<Vec<Fault>, String> {
    let faults = read_error(answer, status)?;
    let mut left: Vec<&Fault> = faults.iter().collect();
    // Exact entries are matched first, so that a `*` does not match the only entry that fits an exact one.
    let mut sorted = expected.to_vec();
    sorted.sort_by_key(|(path, code)| (*path == "*", *code == "*"));
    for (path, code) in sorted {
        let found =
            left.iter().position(|fault| (path == "*" || fault.path == path) && (code == "*" || fault.code == code));
        let Some(found) = found else {
            return Err(format!("no entry ({path}, {code}) in {answer:?}"));
        };
        left.swap_remove(found);
    }
    if left.is_empty() { Ok(faults) } else { Err(format!("more entries than {expected:?} in {answer:?}")) }
}

/// Expects JSON with this status, and the headers that every answer has. Returns the body.
pub(crate) fn expect_json(answer: &Answer, status: u16) -> Value {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
    assert!(answer.header("x-request-id").is_some_and(|id| !id.is_empty()), "{answer:?}");
    answer.json()
}

/// Returns the names of an object's members in alphabetical order.
pub(crate) fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// Returns the ids of the rows of a page.
pub(crate) fn ids(page: &Value) -> Vec<String> {
    page["rows"].as_array().unwrap().iter().map(|row| text(row, "/id").to_owned()).collect()
}

/// Expects a time in the format of the contract (UTC, whole seconds), and returns it.
pub(crate) fn time(value: &Value) -> DateTime<Utc> {
    let text = value.as_str().unwrap_or_else(|| panic!("not a time: {value}"));
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ");
    let time = time.unwrap_or_else(|error| panic!("{text}: {error}")).and_utc();
    assert_eq!(time.format("%Y-%m-%dT%H:%M:%SZ").to_string(), text);
    time
}

/// Expects a hyphenated UUID in lower case, and returns it.
pub(crate) fn uuid(value: &Value) -> String {
    let text = value.as_str().unwrap_or_else(|| panic!("not an id: {value}"));
    let id = uuid::Uuid::try_parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(id.hyphenated().to_string(), text);
    text.to_owned()
}

/// Returns the text at a pointer of a value.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} of {value}"))
}
