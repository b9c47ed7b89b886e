//! Finishes the schemas of the OpenAPI document, so that generated clients have names and exact types.

use florin_domain::money::Currency;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Finishes all schemas.
pub(super) fn finish(document: &mut Value) {
    visit_objects(document, &mut |schema| {
        enumerate(schema);
        unwrap_parts(schema);
        // Decimals are written with all their digits; a double would round them.
        if schema.get("format") == Some(&json!("double")) {
            schema.remove("format");
        }
    });
    let mut named_schemas = name_lists(document);
    name_titled_schemas(document, &mut named_schemas);
    share_currency(document, &mut named_schemas);
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.extend(named_schemas);
    }
    remove_unused(document);
}

/// Visits every object of a document, inner ones first.
pub(super) fn visit_objects(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(|inner| visit_objects(inner, visit));
            visit(object);
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| visit_objects(inner, visit)),
        _ => {}
    }
}

/// Turns a pattern of names, such as `^(asc|desc)$`, into an enum.
fn enumerate(schema: &mut Map<String, Value>) {
    let Some(names) = schema.get("pattern").and_then(Value::as_str).and_then(names_of_pattern) else { return };
    let is_nullable = schema.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&json!("null")));
    let null = is_nullable.then_some(Value::Null);
    schema.insert("enum".to_owned(), names.into_iter().map(Value::from).chain(null).collect());
    schema.remove("pattern");
}

/// Removes the alternative `null` from the parts of an `allOf`: if an object lacks a part, the members of that part are
/// absent, and nothing is null.
fn unwrap_parts(schema: &mut Map<String, Value>) {
    let Some(parts) = schema.get_mut("allOf").and_then(Value::as_array_mut) else { return };
    for part in parts {
        let Some([inner, null]) = part.get("oneOf").and_then(Value::as_array).map(Vec::as_slice) else { continue };
        if *null == json!({"type": "null"}) {
            *part = inner.clone();
        }
    }
}

fn names_of_pattern(pattern: &str) -> Option<Vec<String>> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let inner = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inner);
    let inner = inner.replace("\\.", ".");
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
    };
    // An unescaped dot, which is a wildcard, would pass this check as a literal dot. No pattern of this API has one.
    let names: Vec<_> = inner.split('|').map(str::to_owned).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

/// Renames `List_Card` to `CardList`, and gives its rows the schema `Card`. Returns both schemas of every list by name.
fn name_lists(document: &mut Value) -> Map<String, Value> {
    let mut named_schemas = Map::new();
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
        return named_schemas;
    };
    let lists: Vec<String> = schemas.keys().filter(|name| name.starts_with("List_")).cloned().collect();
    for list in &lists {
        let row = list.trim_start_matches("List_");
        let Some(mut schema) = schemas.remove(list) else { continue };
        if let Some(items) = schema.pointer_mut("/properties/rows/items") {
            named_schemas.insert(row.to_owned(), std::mem::replace(items, reference(row)));
        }
        named_schemas.insert(format!("{row}List"), schema);
    }
    let new_name = |old: &str| format!("{SCHEMAS}{}List", old.trim_start_matches("List_"));
    visit_objects(document, &mut |object| {
        if let Some(Value::String(target)) = object.get_mut("$ref")
            && let Some(name) = target.strip_prefix(SCHEMAS).filter(|name| name.starts_with("List_"))
        {
            *target = new_name(name);
        }
    });
    named_schemas
}

const SCHEMAS: &str = "#/components/schemas/";

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{SCHEMAS}{name}")})
}

/// Moves every object schema with a title to `named_schemas`, and leaves a reference in its place.
fn name_titled_schemas(document: &mut Value, named_schemas: &mut Map<String, Value>) {
    let mut found = Map::new();
    let mut visit = |object: &mut Map<String, Value>| {
        let name = object.get("title").and_then(Value::as_str).map(str::to_owned);
        if let Some(name) = name.filter(|_| object.contains_key("properties")) {
            object.remove("title");
            let schema = std::mem::replace(object, reference_map(&name));
            found.insert(name, Value::Object(schema));
        }
    };
    if let Some(schemas) = document.pointer_mut("/components/schemas") {
        visit_objects(schemas, &mut visit);
    }
    named_schemas.values_mut().for_each(|schema| visit_objects(schema, &mut visit));
    named_schemas.extend(found);
}

fn reference_map(name: &str) -> Map<String, Value> {
    Map::from_iter([("$ref".to_owned(), format!("{SCHEMAS}{name}").into())])
}

/// Gives all currency codes one schema, an enum, and adds it to `named_schemas`.
fn share_currency(document: &mut Value, named_schemas: &mut Map<String, Value>) {
    const PATTERN: &str = "^[A-Z]{3}$";
    let mut visit = |object: &mut Map<String, Value>| {
        if object.get("pattern") == Some(&json!(PATTERN)) && object.get("type") == Some(&json!("string")) {
            object.remove("pattern");
            object.remove("type");
            object.extend(reference_map("CurrencyCode"));
        }
        if object.get("pattern") == Some(&json!(PATTERN)) && object.get("type") == Some(&json!(["string", "null"])) {
            object.remove("pattern");
            object.remove("type");
            object.insert("oneOf".to_owned(), json!([reference("CurrencyCode"), {"type": "null"}]));
        }
        if let Some(Value::Object(code)) = object.get_mut("currencyCode")
            && code.get("type") == Some(&json!("string"))
        {
            code.remove("type");
            code.extend(reference_map("CurrencyCode"));
        }
    };
    visit_objects(document, &mut visit);
    named_schemas.values_mut().for_each(|schema| visit_objects(schema, &mut visit));
    let letters = || 'A'..='Z';
    let all = letters().flat_map(|a| letters().flat_map(move |b| letters().map(move |c| String::from_iter([a, b, c]))));
    let codes: Vec<_> = all.filter(|code| Currency::parse(code).is_ok()).collect();
    let about = "A currency in use: an alphabetic code of ISO 4217.";
    let schema = json!({"type": "string", "description": about, "enum": codes, "examples": ["GBP"]});
    named_schemas.insert("CurrencyCode".to_owned(), schema);
}

/// Removes schemas that no operation, webhook or shared response refers to, directly or through other schemas.
fn remove_unused(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut unvisited: Vec<Value> =
        vec![document["paths"].clone(), document["webhooks"].clone(), document["components"]["responses"].clone()];
    while let Some(mut value) = unvisited.pop() {
        visit_objects(&mut value, &mut |object| {
            let target = object.get("$ref").and_then(Value::as_str);
            if let Some(name) = target.and_then(|target| target.strip_prefix(SCHEMAS))
                && used.insert(name.to_owned())
            {
                unvisited.push(document["components"]["schemas"][name].clone());
            }
        });
    }
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        schemas.retain(|name, _| used.contains(name));
    }
}
