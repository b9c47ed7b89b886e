//! `GET /v2/merchant/banks`: reference data, the same for every account.

use serde_json::{Value, json};

use crate::support::assert::{members, text};
use crate::support::{
    BANKS, Server, Workspace, demo, expect_error, expect_fault, expect_json, shared, while_requesting,
};

fn page(query: &str) -> Value {
    expect_json(&shared().client().get(&format!("{BANKS}?accountId={}{query}", demo().account)), 200)
}

fn all() -> Vec<Value> {
    page("&limit=1000")["rows"].as_array().unwrap().clone()
}

#[test]
fn rows_have_every_member() {
    let rows = all();
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!(members(row), ["iconUrl", "id", "name", "supportsRefunds"]);
        let id = text(row, "/id");
        assert!(id.len() == 32 && id.chars().all(|digit| digit.is_ascii_hexdigit()), "{id}");
        assert!(!text(row, "/name").is_empty());
        assert!(text(row, "/iconUrl").contains("://"), "{row}");
        assert!(row["supportsRefunds"].is_boolean());
    }
}

#[test]
fn rows_are_sorted_by_name_then_id() {
    let rows = all();
    let keys: Vec<_> = rows.iter().map(|row| (text(row, "/name"), text(row, "/id"))).collect();
    assert!(keys.is_sorted_by(|earlier, later| earlier < later), "{keys:?}");
}

#[test]
fn pages_cover_all_rows_once() {
    let expected = all();
    let mut collected = Vec::new();
    for offset in (0..expected.len()).step_by(3) {
        let page = page(&format!("&limit=3&offset={offset}"));
        assert_eq!(members(&page), ["count", "limit", "offset", "rows"]);
        assert_eq!((&page["limit"], &page["offset"]), (&json!(3), &json!(offset)));
        assert_eq!(page["count"], expected.len());
        collected.extend(page["rows"].as_array().unwrap().clone());
    }
    assert_eq!(collected, expected);
    let past = page("&offset=5000");
    assert_eq!(past, json!({"limit": 100, "offset": 5000, "count": expected.len(), "rows": []}));
}

#[test]
fn the_list_is_the_same_for_every_account() {
    let other = expect_json(&shared().other().get(BANKS), 200);
    assert_eq!(other, page(""));
}

#[test]
fn a_missing_account_id_gets_403() {
    let client = shared().client();
    for target in [format!("{BANKS}?"), format!("{BANKS}?accountId="), format!("{BANKS}?limit=10")] {
        expect_fault(&client.get(&target), 403, "query.accountId", "required");
    }
}

#[test]
fn a_missing_account_id_precedes_other_faults_of_the_query() {
    let client = shared().client();
    let faults = expect_error(&client.get(&format!("{BANKS}?limit=0&offset=-1")), 403);
    assert!(faults.iter().any(|fault| fault.path == "query.accountId" && fault.code == "required"));
}

#[test]
fn a_foreign_account_is_not_found() {
    let client = shared().client().with_account(&demo().other_account);
    expect_fault(&client.get(BANKS), 404, "query.accountId", "not_found");
}

#[test]
fn an_operator_replaces_the_list() {
    let workspace = Workspace::demo();
    let file = workspace.write(
        "banks.csv",
        "id,name,iconUrl,supportsRefunds\n\
         ffffffffffffffffffffffffffffffff,Zebra Bank,https://icons.example/zebra.svg,true\n\
         eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee,Éclair Bank,https://icons.example/eclair.svg,true\n\
         dddddddddddddddddddddddddddddddd,apple bank,https://icons.example/apple.svg,false\n\
         bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,\"Same, Name\",https://icons.example/b.svg,false\n\
         aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\"Same, Name\",https://icons.example/a.svg,true\n",
    );
    let server = Server::on(workspace);
    let client = server.client();
    expect_json(&client.get(BANKS), 200);
    let import = || server.workspace().run(&["banks", "import", &file]);
    let output = while_requesting(&[client.clone(), client.clone()], BANKS, import);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = expect_json(&client.get(BANKS), 200);
    let bank = |letter: &str, name: &str, icon: &str, refunds: bool| {
        json!({
            "id": letter.repeat(32), "name": name,
            "iconUrl": format!("https://icons.example/{icon}.svg"), "supportsRefunds": refunds
        })
    };
    let rows = [
        bank("a", "Same, Name", "a", true),
        bank("b", "Same, Name", "b", false),
        bank("f", "Zebra Bank", "zebra", true),
        bank("d", "apple bank", "apple", false),
        bank("e", "Éclair Bank", "eclair", true),
    ];
    assert_eq!(listed, json!({"limit": 100, "offset": 0, "count": 5, "rows": rows}));
}

#[test]
fn a_faulty_file_changes_nothing() {
    let workspace = Workspace::demo();
    let header = "id,name,iconUrl,supportsRefunds\n";
    let good = "ffffffffffffffffffffffffffffffff,Zebra Bank,https://icons.example/zebra.svg,true\n";
    for (name, text) in [
        ("short-id.csv", format!("{header}{good}abc,Bank,https://icons.example/x.svg,true\n")),
        ("no-name.csv", format!("{header}{good}{},,https://icons.example/x.svg,true\n", "e".repeat(32))),
        ("maybe.csv", format!("{header}{good}{},Bank,https://icons.example/x.svg,maybe\n", "e".repeat(32))),
        ("columns.csv", format!("{header}{good}{},Bank\n", "e".repeat(32))),
        ("header.csv", format!("name,id\n{good}")),
    ] {
        let file = workspace.write(name, &text);
        workspace.refused(&["banks", "import", &file]);
    }
    workspace.refused(&["banks", "import", "/nowhere/banks.csv"]);
    let server = Server::on(workspace);
    let listed = expect_json(&server.client().get(&format!("{BANKS}?accountId={}&limit=1000", demo().account)), 200);
    assert_eq!(listed["rows"].as_array().unwrap(), &all());
}
