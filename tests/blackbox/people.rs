//! People and roles: creation, changes, reads, lists and erasure.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{ids, members, text, time, uuid};
use crate::support::management::{BUDGETS, new_budget, with};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{
    ABSENT, Answer, Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json, shared,
};

const PEOPLE: &str = "/v2/people";
const PERSON: &str = "/v2/people/{personId}";

const MEMBERS: [&str; 12] = [
    "createdAt",
    "dob",
    "emailAddress",
    "firstName",
    "hasPeopleCard",
    "id",
    "lastName",
    "persona",
    "personaId",
    "roleName",
    "status",
    "updatedAt",
];

fn new_person(email: &str) -> Value {
    json!({"roleName": "Payer", "firstName": "Łucja", "lastName": "O'Neil", "emailAddress": email})
}

fn post(client: &Client, body: &Value) -> Answer {
    let answer = client.post(PEOPLE, body.to_string());
    assert_documented("post", PEOPLE, &answer);
    answer
}

fn create_person(client: &Client, email: &str) -> Value {
    expect_json(&post(client, &new_person(email)), 201)
}

fn find(client: &Client, person: &Value) -> Value {
    let answer = client.get(&format!("{PEOPLE}/{}", text(person, "/id")));
    assert_documented("get", PERSON, &answer);
    expect_json(&answer, 200)
}

fn patch(client: &Client, person: &Value, body: &Value) -> Answer {
    let answer = client.call("PATCH", &format!("{PEOPLE}/{}", text(person, "/id"))).json(body.to_string()).send();
    assert_documented("patch", PERSON, &answer);
    answer
}

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{PEOPLE}?accountId={}&{query}", client.account));
    assert_documented("get", PEOPLE, &answer);
    expect_json(&answer, 200)
}

/// Returns a client with a second account of the demo client, which has no people.
fn with_second_account(client: &Client) -> Client {
    client.with_account("F50092")
}

#[test]
fn a_new_person_has_every_member() {
    let (_server, client) = fresh_sandbox();
    let body = with(new_person("Lucja@Example.com"), &json!({"dob": "2000-02-29", "accountId": client.account}));
    let created = expect_json(&post(&client, &body), 201);
    let mut names = members(&created);
    names.sort_unstable();
    assert_eq!(names, MEMBERS);
    for id in ["id", "personaId"] {
        uuid(&created[id]);
    }
    assert_eq!(created["createdAt"], created["updatedAt"]);
    time(&created["createdAt"]);
    let data = ["firstName", "lastName", "emailAddress", "dob", "roleName", "status"]
        .map(|name| text(&created, &format!("/{name}")));
    assert_eq!(data, ["Łucja", "O'Neil", "Lucja@Example.com", "2000-02-29", "Payer", "active"]);
    assert_eq!(created["hasPeopleCard"], false);
    let persona = &created["persona"];
    let roles = expect_json(&client.get("/v2/roles"), 200);
    let payer = roles["rows"].as_array().unwrap().iter().find(|role| role["name"] == "Payer").unwrap();
    let expected = json!({
        "id": created["personaId"], "accountId": client.account, "roleId": payer["id"], "status": "active",
    });
    assert_eq!(*persona, expected);
    assert_eq!(find(&client, &created), created);
}

#[test]
fn there_are_six_roles_on_every_account() {
    let client = shared().client();
    let answer = client.get("/v2/roles");
    assert_documented("get", "/v2/roles", &answer);
    let roles = expect_json(&answer, 200);
    let names: Vec<_> = roles["rows"].as_array().unwrap().iter().map(|role| text(role, "/name")).collect();
    assert_eq!(names, ["Owner", "Admin", "Payer", "Viewer", "Accountant", "User"]);
    assert_eq!((&roles["count"], &roles["limit"], &roles["offset"]), (&json!(6), &json!(100), &json!(0)));
    assert_eq!(expect_json(&with_second_account(&client).get("/v2/roles"), 200), roles);
    let page = expect_json(&client.get(&format!("/v2/roles?accountId={}&limit=2&offset=5", client.account)), 200);
    assert_eq!((&page["count"], page["rows"].as_array().unwrap().len()), (&json!(6), 1));
}

#[test]
fn every_fault_of_a_body_is_named() {
    let (_server, client) = fresh_sandbox();
    let mut table = Table::default();
    let good = new_person("a@example.com");
    for (member, value, code) in [
        ("roleName", json!("Boss"), "invalid_value"),
        ("roleName", json!(null), "required"),
        ("firstName", json!(""), "invalid_format"),
        ("firstName", json!("a".repeat(141)), "too_long"),
        ("lastName", json!(7), "invalid_type"),
        ("emailAddress", json!("ada"), "invalid_format"),
        ("emailAddress", json!(format!("{}@example.com", "a".repeat(243))), "too_long"),
        ("dob", json!("29.02.2000"), "invalid_format"),
        ("status", json!("gone"), "invalid_value"),
        ("accountId", json!("F50092"), "invalid_value"),
        ("title", json!("Dr"), "unknown_field"),
    ] {
        let path = format!("body.{member}");
        let answer = client.post(PEOPLE, with(good.clone(), &json!({member: value})).to_string());
        table.check(&bad(format!("{member} {value}"), &path, code), &answer);
    }
    table.assert_passed(11);
    let all = [
        ("body.emailAddress", "invalid_format"),
        ("body.firstName", "required"),
        ("body.lastName", "required"),
        ("body.roleName", "required"),
    ];
    expect_faults(&client.post(PEOPLE, r#"{"emailAddress": "x"}"#), 400, &all);
    expect_fault(&client.post(&format!("{PEOPLE}?"), good.to_string()), 400, "query.accountId", "required");
    assert_eq!(list(&client, "")["count"], 2, "nobody was created");
}

#[test]
fn the_account_may_be_named_in_the_body() {
    let (_server, client) = fresh_sandbox();
    let body = with(new_person("a@example.com"), &json!({"accountId": client.account}));
    let created = expect_json(&client.post(&format!("{PEOPLE}?"), body.to_string()), 201);
    let path = format!("{PEOPLE}/{}?", text(&created, "/id"));
    let change = json!({"accountId": client.account, "firstName": "Ada"});
    let edited = expect_json(&client.call("PATCH", &path).json(change.to_string()).send(), 200);
    assert_eq!(edited["firstName"], "Ada");
    let foreign = with(new_person("b@example.com"), &json!({"accountId": demo().other_account}));
    expect_fault(&client.post(&format!("{PEOPLE}?"), foreign.to_string()), 404, "query.accountId", "not_found");
}

#[test]
fn an_email_address_identifies_a_person() {
    let (server, client) = fresh_sandbox();
    let ada = create_person(&client, "ada.b@example.com");
    for same in ["ada.b@example.com", "ADA.B@example.COM"] {
        expect_fault(&post(&client, &new_person(same)), 409, "body.emailAddress", "invalid_state");
    }
    // On another account of the client, the same person gets a separate membership and record.
    let elsewhere = with_second_account(&client);
    let joined =
        expect_json(&post(&elsewhere, &with(new_person("ADA.B@example.com"), &json!({"roleName": "Admin"}))), 201);
    assert_eq!(joined["id"], ada["id"]);
    assert_ne!(joined["personaId"], ada["personaId"]);
    expect_json(&patch(&elsewhere, &joined, &json!({"lastName": "Byron"})), 200);
    assert_eq!(find(&client, &ada), ada);
    assert_eq!(find(&elsewhere, &ada)["lastName"], "Byron");
    // For another client, the person does not exist.
    let stranger = create_person(&server.other(), "ada.b@example.com");
    assert_ne!(stranger["id"], ada["id"]);
    expect_fault(
        &client.call("PATCH", &format!("{PEOPLE}/{}", text(&ada, "/id"))).json(r#"{"emailAddress": "x@y"}"#).send(),
        400,
        "body.emailAddress",
        "unknown_field",
    );
}

#[test]
fn a_change_is_visible_immediately() {
    let (_server, client) = fresh_sandbox();
    let ada = create_person(&client, "ada.b@example.com");
    let count = |query: &str| list(&client, query)["count"].as_i64().unwrap();
    let [all, payers, accountants] = ["", "roleName=Payer", "roleName=Accountant"].map(count);
    let change = json!({"firstName": "Ada", "dob": "1815-12-10", "roleName": "Accountant", "status": "inactive"});
    let edited = expect_json(&patch(&client, &ada, &change), 200);
    assert_eq!(find(&client, &ada), edited);
    let counts = ["", "roleName=Payer", "roleName=Accountant"].map(count);
    assert_eq!(counts, [all, payers - 1, accountants + 1]);
    for (name, value) in change.as_object().unwrap() {
        assert_eq!(edited[name], *value);
    }
    assert_eq!((&edited["persona"]["status"], &edited["lastName"]), (&json!("inactive"), &ada["lastName"]));
    assert_ne!(edited["persona"]["roleId"], ada["persona"]["roleId"]);
    assert_eq!(expect_json(&patch(&client, &ada, &json!({"dob": null})), 200)["dob"], Value::Null);
    expect_fault(&patch(&client, &ada, &json!({"firstName": 7})), 400, "body.firstName", "invalid_type");
    expect_fault(&patch(&client, &json!({"id": ABSENT}), &json!({})), 404, "path.personId", "not_found");
    expect_fault(&client.get(&format!("{PEOPLE}/x")), 400, "path.personId", "invalid_format");
}

#[test]
fn lists_are_sorted_by_creation_and_filtered() {
    let (_server, client) = fresh_sandbox();
    let new: Vec<_> = ["c@x", "a@x", "b@x"].map(|email| text(&create_person(&client, email), "/id").to_owned()).into();
    let all = list(&client, "");
    assert_eq!(all["count"], 5);
    assert_eq!(ids(&all)[2..], new);
    let page = list(&client, "limit=2&offset=2");
    assert_eq!((&page["count"], &ids(&page)[..]), (&json!(5), &new[..2]));
    assert_eq!(ids(&list(&client, "emailAddress=A@X")), [new[1].as_str()]);
    assert_eq!(list(&client, "roleName=Payer")["count"], 4);
    let both = format!("people={},{ABSENT},{}", new[2], new[0]);
    assert_eq!(ids(&list(&client, &both)), [new[0].as_str(), new[2].as_str()]);
    let faults = [
        ("query.limit", "out_of_range"),
        ("query.roleName", "invalid_value"),
        ("query.emailAddress", "invalid_format"),
        ("query.people", "invalid_format"),
    ];
    let wrong = format!("{PEOPLE}?accountId={}&limit=0&roleName=x&emailAddress=x&people=x", client.account);
    expect_faults(&client.get(&wrong), 400, &faults);
}

#[test]
fn one_idempotency_key_creates_one_person() {
    let (_server, client) = fresh_sandbox();
    let body = new_person("once@example.com").to_string();
    let first = client.post_once(PEOPLE, "person", &body);
    let second = client.post_once(PEOPLE, "person", &body);
    assert!(second.replayed() && !first.replayed());
    assert_eq!((first.status, first.body), (201, second.body));
    let other = new_person("twice@example.com").to_string();
    expect_fault(&client.post_once(PEOPLE, "person", other), 422, "body.emailAddress", "idempotency_mismatch");
}

#[test]
fn people_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let theirs = create_person(&server.other(), "theirs@example.com");
    let absent = client.get(&format!("{PEOPLE}/{ABSENT}"));
    expect_fault(&absent, 404, "path.personId", "not_found");
    assert_eq!(client.get(&format!("{PEOPLE}/{}", text(&theirs, "/id"))).body, absent.body);
    assert_eq!(list(&client, "emailAddress=theirs@example.com")["count"], 0);
    expect_fault(&patch(&client, &theirs, &json!({})), 404, "path.personId", "not_found");
    expect_fault(&client.with_account(&demo().other_account).get(PEOPLE), 404, "query.accountId", "not_found");
    for path in [PEOPLE, "/v2/roles"] {
        expect_fault(&server.limited().get(path), 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn a_setting_limits_the_number_of_people() {
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_PEOPLE", "3"));
    let client = server.client();
    create_person(&client, "third@example.com");
    let fault =
        expect_fault(&post(&client, &new_person("fourth@example.com")), 409, "query.accountId", "invalid_state");
    assert!(fault.message.contains('3'), "{fault:?}");
}

#[test]
fn a_person_has_one_individual_budget() {
    let (server, client) = fresh_sandbox();
    let ada = create_person(&client, "ada.b@example.com");
    let of = |persona: &Value| {
        with(new_budget("Own", &["GBP"]), &json!({"type": "individual", "personaId": persona})).to_string()
    };
    let created = expect_json(&client.post(BUDGETS, of(&ada["personaId"])), 201);
    assert_eq!(created["type"], "individual");
    expect_fault(&client.post(BUDGETS, of(&ada["personaId"])), 409, "body.personaId", "invalid_state");
    let theirs = create_person(&server.other(), "ada.b@example.com");
    for persona in [&json!(ABSENT), &ada["id"], &theirs["personaId"]] {
        expect_fault(&client.post(BUDGETS, of(persona)), 404, "body.personaId", "not_found");
    }
    let shared = with(new_budget("All", &["GBP"]), &json!({"personaId": ada["personaId"]}));
    expect_fault(&client.post(BUDGETS, shared.to_string()), 400, "body.personaId", "invalid_value");
    let missing = with(new_budget("Own", &["GBP"]), &json!({"type": "individual"}));
    expect_fault(&client.post(BUDGETS, missing.to_string()), 400, "body.personaId", "required");
}

#[test]
fn people_belong_to_their_world() {
    let server = Server::sandbox();
    let client = server.client();
    create_person(&client, "ada.b@example.com");
    let (_, world) = create_world(&server, json!({"template": "empty", "seed": "people"}));
    assert_eq!(list(&world, "")["count"], 0);
    let ada = create_person(&world, "ada.b@example.com");
    assert_ne!(ids(&list(&client, "emailAddress=ada.b@example.com")), [text(&ada, "/id")]);
    let id = snapshot(&world);
    expect_json(&patch(&world, &ada, &json!({"firstName": "Changed"})), 200);
    create_person(&world, "bob@example.com");
    restore(&world, &id);
    assert_eq!((find(&world, &ada), list(&world, "")["count"].clone()), (ada, json!(1)));
}

#[test]
fn an_erased_person_has_only_ids() {
    let server = Server::sandbox();
    let (workspace, client) = (server.workspace(), server.client());
    let body = with(new_person("ada.b@example.com"), &json!({"dob": "1815-12-10"})).to_string();
    let ada = client.post_once(PEOPLE, "ada", &body).json();
    create_person(&with_second_account(&client), "ada.b@example.com");
    let id = text(&ada, "/id");
    let erased = workspace.json(&["people", "erase", id, "--json"]);
    assert_eq!(erased, json!({"personId": id, "accounts": ["F50091", "F50092"]}));
    for client in [&client, &with_second_account(&client)] {
        let left = find(client, &ada);
        assert_eq!([&left["firstName"], &left["lastName"]], ["Erased"; 2]);
        assert_eq!([&left["emailAddress"], &left["dob"]], [&Value::Null; 2]);
        assert_eq!((&left["id"], &left["status"]), (&ada["id"], &json!("inactive")));
        expect_fault(&patch(client, &ada, &json!({"firstName": "Ada"})), 409, "path.personId", "invalid_state");
    }
    // The recorded answer was deleted, and the address is free: the same request creates another person.
    let again = client.post_once(PEOPLE, "ada", &body);
    assert!(!again.replayed());
    assert_ne!(again.json()["id"], ada["id"]);
    let audit = workspace.json(&["audit", "list", "--json"]).to_string();
    assert!(audit.contains("people erase") && audit.contains(id), "{audit}");
    assert!(workspace.refused(&["people", "erase", ABSENT]).contains("no account has the person"));
    let refused = workspace.refused_as_invalid(&["people", "erase", "ada.b@example.com"]);
    assert!(refused.contains("PERSON_ID"), "{refused}");
    // An address never reaches the audit log, not even by mistake.
    assert!(!workspace.json(&["audit", "list", "--json"]).to_string().contains("ada.b"), "{audit}");
}

#[test]
fn personal_data_is_not_logged() {
    let server = Server::on(Workspace::demo().set("FLORIN_LOG", "debug"));
    let client = server.client();
    let ada =
        expect_json(&post(&client, &with(new_person("zz.top@example.com"), &json!({"lastName": "Quuxley"}))), 201);
    patch(&client, &ada, &json!({"lastName": "Quuxley-Smith"}));
    list(&client, "emailAddress=zz.top@example.com");
    post(&client, &new_person("zz.top@example.com"));
    let (_, workspace) = server.stop();
    let log = workspace.log();
    assert!(log.contains(PEOPLE) && !log.contains("Quuxley") && !log.contains("zz.top"), "{log}");
}
