//! `GET /v2/addresses/lookup`: the feature switch, formats of postcodes, the responses, and an operator's own
//! addresses.

use serde_json::{Value, json};

use crate::support::assert::{members, text};
use crate::support::table::{Table, bad};
use crate::support::{Client, LOOKUP, Server, Workspace, demo, expect_fault, expect_json, shared, while_requesting};

fn look_up(client: &Client, postcode: &str) -> Value {
    let answer = expect_json(&client.get(&format!("{LOOKUP}?postcode={postcode}")), 200);
    assert_eq!(members(&answer), ["data"]);
    answer
}

#[test]
fn every_demo_postcode_has_addresses_with_every_member() {
    let client = shared().client();
    let postcodes = demo().postcodes();
    assert!(!postcodes.is_empty());
    for postcode in postcodes {
        let found = look_up(&client, &postcode.replace(' ', "%20"));
        let data = found["data"].as_array().unwrap();
        assert!(!data.is_empty(), "nothing at {postcode}");
        for address in data {
            let expected = ["addressLine1", "addressLine2", "addressLine3", "city", "county", "postcode"];
            assert_eq!(members(address), expected);
            assert!(members(address).iter().all(|name| address[name].is_string()), "{address}");
            assert_eq!(text(address, "/postcode"), postcode.replace(' ', "").to_uppercase());
            assert!(!text(address, "/addressLine1").is_empty(), "{address}");
        }
    }
}

#[test]
fn spaces_and_case_are_ignored() {
    let client = shared().client();
    let postcode = demo().postcodes().swap_remove(0).replace(' ', "").to_uppercase();
    let expected = look_up(&client, &postcode);
    let (outward, inward) = postcode.split_at(postcode.len() - 3);
    for written in [
        postcode.to_lowercase(),
        format!("{outward}%20{inward}"),
        format!("{outward}+{inward}"),
        format!("%20%20{}%09{inward}%0A", outward.to_lowercase()),
        postcode.split("").collect::<Vec<_>>().join("%20"),
    ] {
        assert_eq!(look_up(&client, &written), expected, "{written}");
    }
}

#[test]
fn unknown_and_foreign_postcodes_give_empty_lists() {
    let client = shared().client();
    for postcode in ["ZE39ZZ", "ABCDE", "12345", "ABCDEFG", "1A1A1A1", "90210", "zzzzzz"] {
        assert_eq!(look_up(&client, postcode), json!({"data": []}), "{postcode}");
    }
}

#[test]
fn malformed_postcodes_are_refused() {
    let client = shared().client();
    let mut table = Table::default();
    for (query, code) in [
        ("", "required"),
        ("postcode", "required"),
        ("postcode=", "required"),
        ("Postcode=SW1A1AA", "required"),
        ("postcode=%20%20", "*"),
        ("postcode=SW1A", "invalid_format"),
        ("postcode=SW1A1AAA", "invalid_format"),
        ("postcode=S%20W%201%20A", "invalid_format"),
        ("postcode=SW1A-1AA", "invalid_format"),
        ("postcode=SW1A.1A", "invalid_format"),
        ("postcode=SW1A1%C3%81", "invalid_format"),
        ("postcode=SW1A%C2%A01AA", "invalid_format"),
        ("postcode=%EF%BC%B3W1A1AA", "invalid_format"),
        ("postcode=SW1%D9%A11AA", "invalid_format"),
        ("postcode=SW1A%001AA", "invalid_format"),
        ("postcode=%27%20OR%201%3D1", "invalid_format"),
        ("postcode=SW1A1AA&postcode=SW1A1AA", "duplicate_parameter"),
    ] {
        let answer = client.get(&format!("{LOOKUP}?{query}"));
        table.check(&bad(query, "query.postcode", code), &answer);
    }
    let long = format!("{LOOKUP}?postcode={}", "A".repeat(3000));
    table.check(&bad("3000 letters", "query.postcode", "invalid_format"), &client.get(&long));
    table.assert_passed(18);
}

#[test]
fn other_parameters_are_ignored() {
    let postcode = demo().postcodes().swap_remove(0).replace(' ', "");
    let client = shared().client();
    let expected = look_up(&client, &postcode);
    for extra in ["accountId=F00000", "accountId=", "limit=0", "x=1&x=2"] {
        assert_eq!(look_up(&client, &format!("{postcode}&{extra}")), expected, "{extra}");
    }
}

#[test]
fn without_the_feature_every_postcode_is_refused() {
    let other = shared().other();
    for query in ["postcode=SW1A1AA", "postcode=", "", "postcode=1", "postcode=a&postcode=b"] {
        let answer = other.get(&format!("{LOOKUP}?{query}"));
        expect_fault(&answer, 403, "", "feature_not_enabled");
    }
}

#[test]
fn the_scope_is_checked_before_the_feature() {
    let answer = shared().limited().get(&format!("{LOOKUP}?postcode=SW1A1AA"));
    let fault = expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    assert!(fault.message.contains("addresses:lookup:any"), "{}", fault.message);
}

/// Enabling or disabling the feature takes effect before the command returns, even for a client that calls
/// continuously.
#[test]
fn an_operator_enables_and_disables_the_feature() {
    let workspace = Workspace::demo();
    let created = workspace.json(&["clients", "create", "--name", "Lookups", "--json"]);
    let id = text(&created, "/id").to_owned();
    let key = workspace.json(&["keys", "issue", "--client", &id, "--scope", "addresses:lookup:any", "--json"]);
    let key = text(&key, "/key").to_owned();
    let postcode = demo().postcodes().swap_remove(0).replace(' ', "");

    let server = Server::on(workspace);
    let path = format!("{LOOKUP}?postcode={postcode}");
    let caller = server.client_of(&key, "-");
    let switch = |action| {
        let switch = || server.workspace().run(&["features", action, "addresses-lookup", "--client", &id]);
        assert!(while_requesting(&[caller.clone(), caller.clone()], &path, switch).status.success());
    };
    expect_fault(&caller.get(&path), 403, "", "feature_not_enabled");
    for _ in 0..3 {
        switch("enable");
        assert!(!look_up(&caller, &postcode)["data"].as_array().unwrap().is_empty());
        switch("disable");
        expect_fault(&caller.get(&path), 403, "", "feature_not_enabled");
    }
}

const HEADER: &str = "addressLine1,addressLine2,addressLine3,city,postcode,county\n";

#[test]
fn an_operator_imports_addresses() {
    let workspace = Workspace::demo();
    let first =
        format!("{HEADER}1 Test Lane,,,Testtown,ZE3 9ZZ,Testshire\n\"2, Test Lane\",Flat B,,Testtown,ze39zz,\n");
    let file = workspace.write("first.csv", &first);
    assert!(workspace.run(&["addresses", "import", &file]).status.success());
    let server = Server::on(workspace);
    let address = |line1: &str, line2: &str, county: &str| {
        json!({
            "addressLine1": line1, "addressLine2": line2, "addressLine3": "", "city": "Testtown",
            "postcode": "ZE39ZZ", "county": county
        })
    };
    let expected = json!({"data": [address("1 Test Lane", "", "Testshire"), address("2, Test Lane", "Flat B", "")]});
    assert_eq!(look_up(&server.client(), "ZE39ZZ"), expected);

    let (_, workspace) = server.stop();
    let file = workspace.write("second.csv", &format!("{HEADER}9 New Road,,,Newtown,ZE3 9ZY,\n"));
    assert!(workspace.run(&["addresses", "import", &file]).status.success());
    let server = Server::on(workspace);
    assert_eq!(look_up(&server.client(), "ZE39ZZ"), json!({"data": []}), "the second import replaces the first");
    assert_eq!(look_up(&server.client(), "ZE39ZY")["data"][0]["addressLine1"], "9 New Road");
}

#[test]
fn a_faulty_file_is_refused_with_line_and_column_and_changes_nothing() {
    let workspace = Workspace::demo();
    let good = "1 Test Lane,,,Testtown,ZE3 9ZZ,Testshire\n";
    let file = workspace.write("bad.csv", &format!("{HEADER}{good}2 Test Lane,,,Testtown,NOT-A-POSTCODE,\n"));
    let output = workspace.refused(&["addresses", "import", &file]);
    assert!(output.contains("line 3") && output.contains("postcode"), "neither line nor column: {output}");
    for (name, text) in [
        ("empty-line.csv", format!("{HEADER}{good},,,Testtown,ZE3 9ZZ,\n")),
        ("columns.csv", format!("{HEADER}{good}2 Test Lane,Testtown\n")),
        ("header.csv", format!("line1,city\n{good}")),
    ] {
        let file = workspace.write(name, &text);
        workspace.refused(&["addresses", "import", &file]);
    }
    let server = Server::on(workspace);
    assert_eq!(look_up(&server.client(), "ZE39ZZ"), json!({"data": []}));
}
