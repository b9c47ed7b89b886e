//! Moves of clients between cells: no write and no event is lost or repeated.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::export_import::migrated_workspace;
use crate::support::assert::text;
use crate::support::cells::{Tenant, add_cells, cells_setting, listed_cell, move_to};
use crate::support::load::check_journal;
use crate::support::management::{BUDGETS, authorize, balance, card, funded};
use crate::support::money::format_amount;
use crate::support::receiver::{Receiver, wait_for_delivery};
use crate::support::server::MAX_WAIT;
use crate::support::stream::Stream;
use crate::support::wallet::credit_body;
use crate::support::worlds::{below_world, create_world_as, restore, snapshot};
use crate::support::{Answer, CREDIT, Client, Server, Workspace, expect_error, expect_json};

/// Number of callers of a load.
const CALLERS: usize = 4;

/// Credits a budget with a penny, repeating the request until it succeeds. Returns the answer, and the number of
/// refusals because of a move.
fn credit(caller: &Client, budget: &str, key: &str) -> (Answer, usize) {
    let (start, mut refused) = (Instant::now(), 0);
    loop {
        let answer = caller.post_once(CREDIT, key, credit_body(budget, "0.01", "GBP"));
        if answer.status != 503 {
            assert_eq!(answer.status, 200, "{answer:?}");
            return (answer, refused);
        }
        assert!(answer.header("retry-after").is_some(), "{answer:?}");
        assert!(start.elapsed() < MAX_WAIT, "the client stays unavailable");
        refused += usize::from(expect_error(&answer, 503)[0].message.contains("is being moved"));
        thread::sleep(Duration::from_millis(20));
    }
}

/// Sends credits until `stop` is set. Returns their keys with their answers, and the number of refusals.
fn send(caller: &Client, budget: &str, name: usize, stop: &AtomicBool) -> (Vec<(String, Answer)>, usize) {
    let (mut log, mut refusals) = (Vec::new(), 0);
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let key = format!("{name}-{number}");
        let (answer, refused) = credit(caller, budget, &key);
        log.push((key, answer));
        refusals += refused;
    }
    (log, refusals)
}

/// Opens the stream after an event, as soon as the client is available.
fn reopened(caller: &Client, after: Option<&str>) -> Stream {
    let start = Instant::now();
    loop {
        let (stream, status) = Stream::try_open(caller, "types=BoxCredited", after);
        if status == 200 {
            return stream;
        }
        assert_eq!(status, 503);
        assert!(start.elapsed() < MAX_WAIT, "the client stays unavailable");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Follows the stream of events until it has returned as many events as expected. Returns their ids.
fn follow(caller: &Client, mut stream: Stream, expected: impl Fn() -> Option<usize>) -> Vec<String> {
    let (start, mut seen) = (Instant::now(), Vec::new());
    while expected().is_none_or(|count| seen.len() < count) {
        assert!(start.elapsed() < 4 * MAX_WAIT, "the stream misses events: {} of {:?}", seen.len(), expected());
        let began = Instant::now();
        let line = stream.line(Duration::from_millis(300));
        if let Some(id) = line.as_deref().and_then(|line| line.strip_prefix("id: ")) {
            seen.push(id.to_owned());
        }
        // An empty chunk, or the end of the connection.
        let is_over = line.is_none() && began.elapsed() < Duration::from_millis(100);
        if is_over || line.as_deref() == Some("0") {
            stream = reopened(caller, seen.last().map(String::as_str));
        }
    }
    seen
}

#[test]
fn a_client_moves_under_load() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let ada = Tenant::create(&workspace, "Ada", "F70001", "a");
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let server = Server::on(workspace);
    let caller = bob.caller(&server);
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&caller, "BoxCredited", &json!({}));
    let stream = Stream::open(&caller, "types=BoxCredited", None);
    let budget = funded(&caller, "Travel", "10.00");
    let (adas, adas_budget) = (ada.caller(&server), funded(&ada.caller(&server), "Other", "1.00"));

    let (stop, total) = (AtomicBool::new(false), std::sync::OnceLock::new());
    let (logs, seen) = thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&caller, stream, || total.get().copied()));
        let senders: Vec<_> = (0..CALLERS)
            .map(|name| {
                let (caller, budget, stop) = (&caller, &budget, &stop);
                scope.spawn(move || send(caller, budget, name, stop))
            })
            .collect();
        for cell in ["b", "home", "a", "b"] {
            thread::sleep(Duration::from_millis(400));
            move_to(server.workspace(), &bob.id, cell);
            expect_json(&adas.post(CREDIT, credit_body(&adas_budget, "0.01", "GBP")), 200);
        }
        thread::sleep(Duration::from_millis(400));
        stop.store(true, Ordering::Relaxed);
        let logs: Vec<_> = senders.into_iter().map(|sender| sender.join().unwrap()).collect();
        let sent: usize = logs.iter().map(|(log, _)| log.len()).sum();
        total.set(sent + 1).unwrap();
        (logs, follower.join().unwrap())
    });

    let refusals: usize = logs.iter().map(|(_, refused)| refused).sum();
    assert!(refusals > 0, "no request was sent during a move");
    let log: Vec<_> = logs.into_iter().flat_map(|(log, _)| log).collect();
    for (key, first) in &log {
        let again = caller.post_once(CREDIT, key, credit_body(&budget, "0.01", "GBP"));
        assert!(again.replayed() && again.body == first.body, "{key}: {again:?}");
    }
    let expected = format_amount(1_000 + i64::try_from(log.len()).unwrap(), "GBP");
    assert_eq!(balance(&caller, &budget)[0], expected);
    assert_eq!(balance(&adas, &adas_budget)[0], "1.04");

    let unique: BTreeSet<_> = seen.iter().cloned().collect();
    assert_eq!((seen.len(), unique.len()), (log.len() + 1, log.len() + 1), "the stream repeats events");
    let start = Instant::now();
    while !unique.is_subset(&receiver.accepted()) {
        assert!(start.elapsed() < MAX_WAIT, "webhooks are missing");
        thread::sleep(Duration::from_millis(50));
    }
    wait_for_delivery(&caller, &webhook, |delivery| delivery["status"] == "delivered");

    assert_eq!(listed_cell(server.workspace(), "b")["clients"], 1);
    check_journal(server.workspace());
    let (_, workspace) = server.stop_successfully();
    check_journal(&workspace);
    assert_eq!(balance(&bob.caller(&Server::on(workspace)), &budget)[0], expected);
}

/// Runs a command of a move, which must succeed or find nothing to do. Returns `false` if the client has arrived, so
/// that the move cannot be undone.
fn complete(workspace: &Workspace, arguments: &[&str]) -> bool {
    let output = workspace.run(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let found_nothing_to_do = ["already", "is not being moved", "has arrived"].iter().any(|part| stderr.contains(part));
    assert!(output.status.success() || found_nothing_to_do, "{arguments:?}: {stderr}");
    !stderr.contains("has arrived")
}

/// Moves a client, and returns delays after which to interrupt later moves: three in the first half second, in which a
/// move waits, and `others` spread over the rest of the time that this move took.
fn interruption_delays(workspace: &Workspace, client: &str, cell: &str, others: u32) -> Vec<Duration> {
    let (start, wait) = (Instant::now(), Duration::from_millis(500));
    move_to(workspace, client, cell);
    let rest = start.elapsed().saturating_sub(wait);
    let others = (0..others).map(|number| wait + rest * number / others);
    (0..3).map(|number| wait * number / 3).chain(others).collect()
}

#[test]
fn a_move_survives_kills_at_every_step() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let server = Server::on(workspace);
    let (caller, workspace) = (bob.caller(&server), server.workspace());
    let budget = funded(&caller, "Travel", "10.00");
    let paying = card(&caller, &budget);
    for number in 0..200 {
        credit(&caller, &budget, &format!("before-{number}"));
    }
    let delays = interruption_delays(workspace, &bob.id, "b", 11);
    let mut target = "a";
    for (round, delay) in delays.into_iter().enumerate() {
        let mut command = workspace.command(&["cells", "move", &bob.id, target, "--json"]);
        let mut command = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(delay);
        command.kill().unwrap();
        command.wait().unwrap();
        let is_undone = round % 3 == 2 && complete(workspace, &["cells", "move", &bob.id, "--abort"]);
        if !is_undone {
            assert!(complete(workspace, &["cells", "move", &bob.id, target]));
        }
        let cells = ["a", "b"].map(|name| listed_cell(workspace, name)["clients"].as_u64().unwrap());
        assert_eq!(cells[0] + cells[1], 1, "{cells:?}");
        assert_eq!(listed_cell(workspace, "a")["moving"], Value::Null);
        credit(&caller, &budget, &format!("after-{round}"));
        assert_eq!(authorize(&caller, &paying, "0.01"), "0000");
        check_journal(workspace);
        target = if cells[0] == 1 { "b" } else { "a" };
    }
    assert_eq!(balance(&caller, &budget), ["12.14", "12.00", "0.14"]);
}

/// Sends a signal to a process, such as `-STOP`.
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Runs a command for at most two seconds, whatever its result.
fn run_briefly(workspace: &Workspace, arguments: &[&str]) {
    let mut command = workspace.command(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(2) {
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_move_that_was_stopped_for_long_does_not_harm_later_moves() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let server = Server::on(workspace);
    let (caller, workspace) = (bob.caller(&server), server.workspace());
    let budget = funded(&caller, "Travel", "10.00");
    for number in 0..100 {
        credit(&caller, &budget, &format!("before-{number}"));
    }
    let delays = interruption_delays(workspace, &bob.id, "b", 5);
    move_to(workspace, &bob.id, "a");
    for (round, delay) in delays.into_iter().skip(1).enumerate() {
        let mut command = workspace.command(&["cells", "move", &bob.id, "b"]);
        let mut stopped = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(delay);
        // The command may have ended already.
        let is_running = stopped.try_wait().unwrap().is_none();
        if is_running {
            signal(&stopped, "-STOP");
            // The stopped command may have locked a database.
            run_briefly(workspace, &["cells", "move", &bob.id, "--abort"]);
            run_briefly(workspace, &["cells", "move", &bob.id, if round % 2 == 0 { "home" } else { "b" }]);
            signal(&stopped, "-CONT");
        }
        stopped.wait().unwrap();
        let start = Instant::now();
        loop {
            workspace.run(&["cells", "move", &bob.id, "--abort"]);
            let output = workspace.run(&["cells", "move", &bob.id, "a"]);
            if output.status.success() || String::from_utf8_lossy(&output.stderr).contains("already") {
                break;
            }
            // The client may have arrived in another cell.
            for cell in ["b", "home"] {
                workspace.run(&["cells", "move", &bob.id, cell]);
            }
            assert!(start.elapsed() < MAX_WAIT, "the move does not end");
        }
        credit(&caller, &budget, &format!("after-{round}"));
        assert_eq!(balance(&caller, &budget)[0], format!("11.{:02}", round + 1));
        check_journal(workspace);
        let clients = workspace.json(&["clients", "list", "--json"]);
        let bobs = clients["rows"].as_array().unwrap().iter().filter(|row| row["id"] == bob.id.as_str());
        assert_eq!(bobs.map(|row| row["cell"].clone()).collect::<Vec<_>>(), ["a"]);
    }
}

#[test]
fn a_directory_from_before_a_move_is_repaired() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    move_to(&workspace, &bob.id, "b");
    // This is the state after the home was restored from a backup that was made before the move.
    workspace.sql("UPDATE cell_entries SET cell = 'a' WHERE cell = 'b'").unwrap();
    assert!(workspace.refused_as_invalid(&["cells", "move", &bob.id, "home"]).contains("is in cell b"));
    move_to(&workspace, &bob.id, "b");
    assert_eq!(["a", "b"].map(|name| listed_cell(&workspace, name)["clients"].clone()), [json!(0), json!(1)]);
    let server = Server::on(workspace);
    funded(&bob.caller(&server), "Travel", "10.00");
}

#[test]
fn a_client_whose_books_are_wrong_stays_in_service() {
    let (workspace, databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let server = Server::on(workspace);
    let (caller, workspace) = (bob.caller(&server), server.workspace());
    let budget = funded(&caller, "Travel", "10.00");
    databases[0].sql("UPDATE balances SET available_minor = available_minor + 1");
    let stderr = workspace.refused(&["cells", "move", &bob.id, "b"]);
    assert!(stderr.contains("check of the books found") && stderr.contains("stays in cell a"), "{stderr}");
    assert_eq!(listed_cell(workspace, "a")["moving"], Value::Null);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(balance(&caller, &budget)[0], "10.01");
    databases[0].sql("UPDATE balances SET available_minor = available_minor - 1");
    move_to(workspace, &bob.id, "b");
    check_journal(workspace);
}

#[test]
fn a_cell_is_drained() {
    let (workspace, _databases) = add_cells(migrated_workspace());
    let tenants = [("Ada", "F70001"), ("Bob", "F70002"), ("Cyd", "F70003")]
        .map(|(name, account)| Tenant::create(&workspace, name, account, "a"));
    let server = Server::on(workspace);
    let workspace = server.workspace();
    let budgets = tenants.each_ref().map(|tenant| funded(&tenant.caller(&server), "Travel", "10.00"));
    let clients = |cell: &str| listed_cell(workspace, cell)["clients"].clone();

    assert!(workspace.refused_as_invalid(&["cells", "drain", "a", "--to", "a"]).contains("is the one to drain"));
    let drained = workspace.json(&["cells", "drain", "a", "--json"]);
    assert_eq!((&drained["name"], drained["moved"].as_array().unwrap().len()), (&json!("a"), 3));
    assert_eq!((clients("a"), listed_cell(workspace, "a")["acceptsClients"].clone()), (json!(0), json!(false)));
    assert_eq!((clients("b"), clients("home")), (json!(1), json!(2)));
    assert_eq!(workspace.json(&["cells", "drain", "a", "--json"])["moved"], json!([]));

    workspace.json(&["cells", "drain", "b", "--to", "home", "--json"]);
    assert_eq!((clients("b"), clients("home")), (json!(0), json!(3)));
    assert!(workspace.refused(&["cells", "drain", "home"]).contains("no other cell accepts clients"));
    for (tenant, budget) in tenants.iter().zip(&budgets) {
        assert_eq!(balance(&tenant.caller(&server), budget)[0], "10.00");
    }
    check_journal(workspace);
}

#[test]
fn a_client_that_is_being_moved_into_a_drained_cell_leaves_it_again() {
    let (workspace, _databases) = add_cells(migrated_workspace());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let mut command = workspace.command(&["cells", "move", &bob.id, "b", "--json"]);
    let mut command = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while listed_cell(&workspace, "a")["moving"] == Value::Null && listed_cell(&workspace, "a")["clients"] == 1 {
        assert!(start.elapsed() < MAX_WAIT, "the move does not begin");
    }
    command.kill().unwrap();
    command.wait().unwrap();
    workspace.json(&["cells", "drain", "b", "--to", "a", "--json"]);
    assert_eq!(
        (&listed_cell(&workspace, "b")["clients"], &listed_cell(&workspace, "a")["clients"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(listed_cell(&workspace, "a")["moving"], Value::Null);
    check_journal(&workspace);
}

#[test]
fn worlds_and_their_snapshots_move() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let server = Server::on(workspace);
    let caller = bob.caller(&server);
    let (_, world) =
        create_world_as(&server, &caller, &json!({"template": "empty", "startsAt": "2026-09-01T12:00:00Z"}));
    let kept = funded(&world, "Kept", "5.00");
    let saved = snapshot(&world);
    let later = funded(&world, "Later", "5.00");
    // Events of another client have the same positions in the other cell.
    let ada = Tenant::create(server.workspace(), "Ada", "F70001", "b");
    funded(&ada.caller(&server), "Travel", "1.00");

    move_to(server.workspace(), &bob.id, "b");
    assert_eq!([&kept, &later].map(|budget| balance(&world, budget)[0].clone()), ["5.00", "5.00"]);
    restore(&world, &saved);
    assert_eq!(balance(&world, &kept)[0], "5.00");
    expect_error(&world.get(&format!("{BUDGETS}/{later}")), 404);
    funded(&world, "After", "5.00");
    check_journal(server.workspace());
    move_to(server.workspace(), &bob.id, "home");
    restore(&world, &saved);
    assert_eq!(balance(&world, &kept)[0], "5.00");
}

#[test]
fn a_world_from_the_file_of_another_client_moves() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let [ada, bob] = [("Ada", "F70001"), ("Bob", "F70002")].map(|(name, id)| Tenant::create(&workspace, name, id, "a"));
    let server = Server::on(workspace);
    let (_, world) = create_world_as(&server, &ada.caller(&server), &json!({"template": "demo"}));
    let file = world.get(&below_world(&world.account, &format!("snapshots/{}/file", snapshot(&world)))).text();
    let caller = bob.caller(&server);
    let import = caller.call("POST", "/v2/sandbox/snapshots?").header("Content-Type", "application/x-ndjson");
    let import = expect_json(&import.bytes(&file).send(), 201);
    let (_, copy) = create_world_as(&server, &caller, &json!({"snapshotId": import["id"]}));
    // The batches and cards of the copy name Bob, so he can arrive in a cell without Ada, and she can leave.
    move_to(server.workspace(), &bob.id, "b");
    move_to(server.workspace(), &ada.id, "home");
    assert_eq!(copy.get(BUDGETS).status, 200);
    check_journal(server.workspace());
}

#[test]
fn wrong_moves_are_refused() {
    let (workspace, databases) = add_cells(migrated_workspace());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    let id = bob.id.as_str();
    let refusal = |arguments: [&str; 2]| workspace.refused_as_invalid(&["cells", "move", arguments[0], arguments[1]]);
    assert!(refusal([id, "c"]).contains("unknown cell `c`"));
    assert!(refusal([id, "a"]).contains("is in cell a already"));
    assert!(refusal([id, "--abort"]).contains("is not being moved"));
    workspace.json(&["cells", "close", "b", "--json"]);
    assert!(refusal(["Bob", "b"]).contains("cell b accepts no clients"));
    let nobody = "0198c0de-0000-7000-8000-000000000001";
    assert!(workspace.refused(&["cells", "move", nobody, "a"]).contains("does not exist"));

    // An export does not contain the rows of a client that is being moved.
    let departed = format!("INSERT INTO __florin_departures (client_id, part, contents) VALUES ('{nobody}', 0, '')");
    databases[0].sql(&departed);
    let file = workspace.path().join("a.jsonl").display().to_string();
    let erase = ["people", "erase", nobody];
    for command in [&["export", &file, "--from-cell", "a"][..], &["secrets", "rotate"], &erase] {
        assert!(workspace.refused_as_invalid(command).contains("is not complete"), "{command:?}");
    }
    let version = "20261126000054";
    let pending = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{version}'");
    let current = format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{version}')");
    databases[0].sql(&pending);
    assert!(workspace.refused(&["migrate"]).contains("is not complete"));
    databases[0].sql("DELETE FROM __florin_departures");
    // The home is migrated last. If it has rows of a departed client, no cell is migrated.
    workspace.sql(&format!("{departed}; {pending}")).unwrap();
    assert!(workspace.refused(&["migrate"]).contains("cell home: the move of client"));
    workspace.sql(&format!("{current}; DELETE FROM __florin_departures")).unwrap();
    databases[0].sql(&current);
    let complete = cells_setting(&databases);
    let workspace = workspace.set("FLORIN_CELLS", complete.split(' ').next().unwrap());
    assert!(workspace.refused_as_invalid(&["cells", "move", id, "b"]).contains("unknown cell `b`"));
    assert!(migrated_workspace().refused_as_invalid(&["cells", "move", id, "a"]).contains("no cell besides the home"));
}

#[test]
fn clients_in_a_wrong_cell_are_reported() {
    let (workspace, databases) = add_cells(migrated_workspace());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "a");
    assert_eq!(listed_cell(&workspace, "a")["warning"], Value::Null);
    // This is the state after cell b was restored from a backup that was made before a move.
    databases[1].sql(&format!("INSERT INTO clients (id, name, allowed_networks) VALUES ('{}', 'Bob', '')", bob.id));
    assert!(text(&listed_cell(&workspace, "b"), "/warning").contains(&bob.id));
    let checked = workspace.run(&["check"]);
    assert!(checked.status.success(), "{checked:?}");
    assert!(String::from_utf8(checked.stderr).unwrap().contains("differ from the directory"));
    assert_eq!(workspace.json(&["cells", "drain", "b", "--json"])["moved"], json!([]));
    assert_eq!(listed_cell(&workspace, "a")["clients"], 1);
    // This is the state after cell a was restored from a backup that was made before the client was created.
    workspace.json(&["clients", "create", "--name", "Cyd", "--cell", "a", "--json"]);
    databases[0].sql("DELETE FROM clients WHERE name = 'Cyd'");
    assert_eq!(text(&listed_cell(&workspace, "a"), "/warning"), "missing clients of the directory: 1");
}
