//! Rules between the members of a request, which the declarations of single members can't express.

use florin_domain::checkout::PayerOutcome;
use florin_domain::event::EventType;
use florin_domain::merchant::MerchantCurrency;
use florin_domain::webhook::Webhook;
use serde_json::{Map, Value, json};

/// The name of a request's schema, a keyword that is added to the schema, and the rule: the value of the keyword.
type Rule = (&'static str, &'static str, Value);

/// Adds the rules to the schemas of requests.
pub(super) fn add(schemas: &mut Map<String, Value>) {
    for (name, keyword, rule) in all_rules() {
        if let Some(schema) = schemas.get_mut(name).and_then(Value::as_object_mut) {
            schema.insert(keyword.to_owned(), rule);
        }
    }
}

fn all_rules() -> impl Iterator<Item = Rule> {
    cards().into_iter().chain(merchants()).chain(sandbox()).chain(webhooks())
}

fn cards() -> [Rule; 5] {
    let is_active = json!({"type": "object", "properties": {"active": {"const": true}}, "required": ["active"]});
    let budgets =
        ("budgets", json!({"type": "array", "items": {"type": "object"}, "minItems": 1, "contains": is_active}));
    let personal = [("cardOwnerType", json!({"const": "PEOPLE"})), budgets];
    let owners = json!([
        kind("Shared card", &[("cardOwnerType", json!({"const": "BUDGET"}))], &["budgetId"], &["personId", "budgets"]),
        kind("Individual card", &personal, &["personId"], &["budgetId"]),
    ]);
    let clearings = json!([
        kind(
            "Clearing of an authorization",
            &[],
            &["precedingRelatedTransactionToken"],
            &["cardId", "network", "cardAcceptor", "currencyCode", "pos"]
        ),
        kind(
            "Clearing without an authorization",
            &[("forcePost", json!({"const": true}))],
            &["cardId", "network", "cardAcceptor"],
            &["precedingRelatedTransactionToken", "finalClearing"]
        ),
    ]);
    let forced = json!({"forcePost": {"const": true}, "finalClearing": {"type": "boolean"}});
    let budgets = json!([
        kind("Shared budget", &[("type", json!({"const": "shared"}))], &[], &["personaId"]),
        kind("Individual budget", &[("type", json!({"const": "individual"}))], &["personaId"], &[]),
    ]);
    let threshold =
        json!([without_member("lowBalanceCurrencyCode"), {"type": "object", "required": ["lowBalanceThreshold"]}]);
    [
        ("CreateBudgetRequest", "oneOf", budgets),
        ("EditBudgetRequest", "anyOf", threshold),
        ("CreateCardRequest", "oneOf", owners),
        ("CardClearingRequest", "oneOf", clearings),
        (
            "CardClearingRequest",
            "not",
            json!({"type": "object", "properties": forced, "required": ["forcePost", "finalClearing"]}),
        ),
    ]
}

fn merchants() -> [Rule; 8] {
    let shopping = ("type", json!({"const": "SHOPPING"}));
    let top_up = ("type", json!({"const": "TOP_UP"}));
    let checkouts = json!([
        kind("Shopping", std::slice::from_ref(&shopping), &[], &[]),
        kind("Top-up", std::slice::from_ref(&top_up), &[], &["settlementAccountId", "shippingOptions"]),
    ]);
    let sessions = json!([
        kind("Purchase", &[shopping], &[], &["payeeId"]),
        kind("Top-up", &[top_up], &["payeeId"], &["basket", "shipping"]),
    ]);
    let rates_of_shipping =
        json!([with_member("collectAddress", &json!({"const": true})), without_member("dynamicRatesUrl")]);
    let details = json!([
        kind("UK account", &[("type", json!({"const": "SORT_CODE"}))], &["sortCode", "accountNumber"], &["iban"]),
        kind("IBAN", &[("type", json!({"const": "IBAN"}))], &["iban"], &["sortCode", "accountNumber"]),
    ]);
    let later: Vec<_> =
        PayerOutcome::ALL.into_iter().filter(|outcome| outcome.delayed().is_some()).map(PayerOutcome::as_str).collect();
    let visit = json!([with_member("outcome", &json!({"enum": later})), without_member("afterMinutes")]);
    [
        ("CreateCheckoutRequest", "oneOf", checkouts),
        ("CreateCheckoutSessionRequest", "oneOf", sessions),
        ("ShippingOptionsRequest", "anyOf", rates_of_shipping),
        ("BankDetailsRequest", "oneOf", details),
        ("CreateSettlementAccountRequest", "oneOf", kinds_of_bank_accounts()),
        ("CreatePayeeRequest", "oneOf", kinds_of_bank_accounts()),
        ("PayCheckoutSessionRequest", "anyOf", visit.clone()),
        ("AuthoriseRefundRequest", "anyOf", visit),
    ]
}

/// Returns the kinds of bank accounts: the currency determines the type of the bank details.
fn kinds_of_bank_accounts() -> Value {
    let of = |currency: MerchantCurrency| {
        let details = json!({"type": "object", "properties": {"type": {"const": currency.details_type().as_str()}}});
        let fixed = [("currencyCode", json!({"const": currency.as_str()})), ("bankDetails", details)];
        kind(currency.as_str(), &fixed, &[], &[])
    };
    MerchantCurrency::ALL.into_iter().map(of).collect()
}

fn sandbox() -> [Rule; 3] {
    let not_both = |one: &str, other: &str| {
        let text = json!({"type": "string"});
        json!({"not": {"type": "object", "properties": {one: text, other: text}, "required": [one, other]}})
    };
    let replace_without_seed =
        json!({"properties": {"replace": {"const": true}, "seed": {"type": "null"}}, "required": ["replace"]});
    let world = json!([
        not_both("snapshotId", "template"),
        not_both("snapshotId", "startsAt"),
        {"not": replace_without_seed},
    ]);
    let scenario = json!([
        kind("Story", &[], &["name", "cardId"], &["messages"]),
        kind("Messages", &[], &["messages"], &["name", "cardId"]),
    ]);
    let of_dispute = json!({"pattern": "\\{disputeId\\}"});
    let message = json!([
        kind("Message about a dispute", &[("message", of_dispute.clone())], &["disputeId"], &[]),
        kind("Message", &[("message", json!({"not": of_dispute}))], &[], &["disputeId"]),
    ]);
    [
        ("CreateWorldRequest", "allOf", world),
        ("ScenarioRequest", "oneOf", scenario),
        ("ScenarioMessageRequest", "oneOf", message),
    ]
}

fn webhooks() -> [Rule; 2] {
    let filtered = || EventType::ALL.iter().filter(|known| Webhook::has_filters(known.kind));
    let names: Vec<_> = filtered().map(|known| known.name).collect();
    let ids: Vec<_> = filtered().map(|known| known.id.to_string()).collect();
    let (name, id) = ("webhookEventTypeName", "webhookEventTypeId");
    let types = json!([kind("Named type", &[], &[name], &[]), kind("Type by id", &[], &[id], &[])]);
    let filters = json!([{"anyOf": [
        without_member("filters"),
        with_member(name, &json!({"enum": names})),
        with_member(id, &json!({"enum": ids})),
    ]}]);
    [("CreateWebhookRequest", "anyOf", types), ("CreateWebhookRequest", "allOf", filters)]
}

/// Returns the schema of one kind of an object: the `fixed` members have the given schemas, the `required` members have
/// values, and the `excluded` members are absent. A null member counts as absent.
fn kind(title: &str, fixed: &[(&str, Value)], required: &[&str], excluded: &[&str]) -> Value {
    let mut properties: Map<_, _> = fixed.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    properties.extend(required.iter().map(|needed| ((*needed).to_owned(), json!({"not": {"type": "null"}}))));
    properties.extend(excluded.iter().map(|left_out| ((*left_out).to_owned(), json!({"type": "null"}))));
    // Every kind requires its fixed members. Generators of clients thus see that the kinds exclude one another.
    let required: Vec<_> = fixed.iter().map(|(name, _)| *name).chain(required.iter().copied()).collect();
    json!({"title": title, "type": "object", "properties": properties, "required": required})
}

/// Returns the schema of an object whose `member` has the given schema.
fn with_member(member: &str, schema: &Value) -> Value {
    json!({"type": "object", "properties": {member: schema}, "required": [member]})
}

/// Returns the schema of an object without the `member`.
fn without_member(member: &str) -> Value {
    json!({"type": "object", "properties": {member: {"type": "null"}}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_the_schema_of_a_request() {
        let document: Value = serde_json::from_str(crate::routes::openapi::text()).unwrap();
        for (name, keyword, _) in all_rules() {
            assert!(!document["components"]["schemas"][name][keyword].is_null(), "{name} lacks {keyword}");
        }
    }
}
