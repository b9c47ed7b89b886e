//! The page for programs that were written for the original service names every operation.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::openapi::document;

/// The methods of a path: those of the original, and those that Florin adds.
type Methods = [BTreeSet<String>; 2];

/// Reads the table of the page.
fn documented() -> BTreeMap<String, Methods> {
    let page = include_str!("../../docs/COMING-FROM-THE-ORIGINAL.md");
    let table = page.split("## All operations").nth(1).unwrap();
    let row = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
        let methods =
            |cell: &str| cell.split(", ").filter(|name| *name != "–").map(str::to_lowercase).collect::<BTreeSet<_>>();
        (cells[0].clone(), [methods(&cells[1]), methods(&cells[2])])
    };
    table.lines().filter(|line| line.starts_with("| `")).map(row).collect()
}

#[test]
fn the_page_says_whether_each_operation_is_an_extension() {
    let documented = documented();
    let paths = document()["paths"].as_object().unwrap();
    assert_eq!(
        documented.keys().collect::<Vec<_>>(),
        paths.keys().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    );
    for (path, item) in paths {
        let [original, added] = &documented[path];
        assert!(original.is_disjoint(added), "{path}");
        let known = ["get", "post", "put", "patch", "delete"];
        let operations = item.as_object().unwrap().iter().filter(|(method, _)| known.contains(&method.as_str()));
        let operations: BTreeMap<_, _> = operations.map(|(method, operation)| (method.clone(), operation)).collect();
        assert_eq!(original | added, operations.keys().cloned().collect(), "{path}");
        for (method, operation) in operations {
            let text = operation["description"].as_str().unwrap_or_default();
            let is_marked = text.contains("Florin extension.\n\nRequires the scope");
            assert!(!is_marked || added.contains(&method), "{method} {path} is marked, but is not an extension");
            let complete_text = format!("{} {text}", operation["summary"].as_str().unwrap_or_default());
            let needs_mark = added.contains(&method) && path.starts_with("/v2/");
            assert!(!needs_mark || complete_text.contains("Florin extension"), "{method} {path} is not marked");
            assert!(operation["operationId"] != Value::Null, "{method} {path}");
        }
    }
}

/// A reader who searches the document for "Florin extension" must find every mark.
#[test]
fn no_mark_is_broken_into_two_lines() {
    let text = document().to_string();
    assert!(text.contains("Florin extension"));
    for broken in ["Florin\\nextension", "Florin\\n extension"] {
        assert!(!text.contains(broken), "{broken}");
    }
}
