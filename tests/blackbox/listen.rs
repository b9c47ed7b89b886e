//! `florin listen`: prints events as they happen, and forwards them signed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver as Lines, channel};
use std::thread;

use serde_json::{Value, json};

use crate::events::events;
use crate::support::assert::text;
use crate::support::guards::KilledOnDrop;
use crate::support::management::funded;
use crate::support::receiver::{Receiver, webhook_path};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::credit_body;
use crate::support::{ABSENT, CREDIT, Client, Server, demo, expect_json};

/// A running `florin listen`, which ends when it is dropped.
struct Listener {
    _process: KilledOnDrop,
    lines: Lines<String>,
}

impl Listener {
    fn start(server: &Server, arguments: &[&str]) -> Self {
        let mut child = command(server, arguments).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { _process: KilledOnDrop(child), lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(MAX_WAIT).expect("a line")
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }
}

fn command(server: &Server, arguments: &[&str]) -> Command {
    let mut command = server.workspace().command(&[&["listen"], arguments].concat());
    command.env("FLORIN_URL", format!("http://{}", server.address)).env("FLORIN_API_KEY", &demo().api_key);
    command
}

fn credit(client: &Client, budget: &str) {
    expect_json(&client.post(CREDIT, credit_body(budget, "1.00", "GBP")), 200);
}

#[test]
fn events_are_printed_as_they_happen() {
    let server = Server::sandbox();
    let client = server.client();
    let listener = Listener::start(&server, &["--account", &client.account, "--types", "BoxCredited"]);
    assert_eq!(listener.line(), format!("Listening to the events of http://{}.", server.address));
    let budget = funded(&client, "One", "1.00");
    let event = events(&client, "types=BoxCredited").remove(0);
    let line = listener.line();
    for part in ["/occurredAt", "/webhookEventTypeName", "/accountId", "/messageId"].map(|name| text(&event, name)) {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(line.contains(&format!("{budget} #1")), "{line}");
}

/// After a restart of the server, the command connects again and continues after the last event that it printed.
#[test]
fn listening_continues_after_a_restart_of_the_server() {
    let server = Server::sandbox();
    let client = server.client();
    let budget = funded(&client, "One", "1.00");
    let listener = Listener::start(&server, &["--account", &client.account, "--types", "BoxCredited"]);
    listener.line();
    credit(&client, &budget);
    assert!(listener.line().contains(&format!("{budget} #2")));
    let address = server.address.clone();
    let (ended, workspace) = server.stop();
    assert!(ended.success());
    let server = Server::on(workspace.set("FLORIN_LISTEN", &address));
    let client = server.client();
    credit(&client, &budget);
    credit(&client, &budget);
    for number in [3, 4] {
        let line = listener.line();
        assert!(line.contains(&format!("{budget} #{number}")), "{line}");
    }
}

#[test]
fn events_are_signed_and_forwarded_again_after_a_failure() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let budget = funded(&client, "One", "1.00");
    let forward = ["--account", client.account.as_str(), "--forward-to", &receiver.url()];
    let listener = Listener::start(&server, &forward);
    let (_, signed) = (listener.line(), listener.line());
    let secret = signed.trim_end_matches('.').rsplit(' ').next().unwrap();
    credit(&client, &budget);
    assert!(listener.line().contains("BoxCredited"));
    assert!(listener.line().contains("forwarded: 200 after "));
    receiver.answer(500, "");
    credit(&client, &budget);
    assert!(listener.line().contains("BoxCredited"));
    assert!(listener.line().contains("forwarded: 500 after "));
    receiver.answer(204, "");
    assert!(listener.line().contains("forwarded: 204 after "));
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), 3);
    assert_eq!((arrived[1].id(), &arrived[1].body), (arrived[2].id(), &arrived[2].body));
    for (webhook, event) in arrived.iter().zip(&events(&client, "types=BoxCredited")[1..]) {
        webhook.verify(secret).unwrap();
        assert_eq!(&webhook.event(), event);
    }
    // The next run has the same secret, and can begin with earlier events.
    let first = text(&events(&client, "types=BoxCredited")[0], "/messageId").to_owned();
    let again = Listener::start(&server, &[&forward[..], &["--after", &first, "--json"]].concat());
    for number in [1, 2] {
        assert_eq!(again.json()["event"]["body"], events(&client, "types=BoxCredited")[number]);
        let forwarded = again.json();
        assert_eq!(
            (&forwarded["forwarded"], &forwarded["responseStatus"]),
            (&events(&client, "types=BoxCredited")[number]["messageId"], &json!(204))
        );
    }
    receiver.arrived().iter().for_each(|webhook| webhook.verify(secret).unwrap());
}

#[test]
fn an_event_is_forwarded_again() {
    let server = Server::sandbox();
    let client = server.client();
    let receiver = Receiver::start();
    let budget = funded(&client, "One", "1.00");
    credit(&client, &budget);
    let event = events(&client, "types=BoxCredited").remove(0);
    let message = text(&event, "/messageId");
    let forward = ["--forward-to", &receiver.url(), "--account", &client.account];
    let resend = |message: &str| command(&server, &[&forward[..], &["--resend", message]].concat()).output().unwrap();
    // Meanwhile, another `florin listen` is running. It signs with the same secret.
    let listener = Listener::start(&server, &forward);
    let (_, signed) = (listener.line(), listener.line());
    let secret = signed.trim_end_matches('.').rsplit(' ').next().unwrap();
    for number in [1, 2] {
        let output = resend(message);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && printed.contains(message) && printed.contains("forwarded: 200"),
            "{printed}"
        );
        assert!(printed.contains(&signed), "{printed}");
        let arrived = receiver.wait_for(number).pop().unwrap();
        arrived.verify(secret).unwrap();
        assert_eq!((arrived.id(), arrived.event()), (message, event.clone()));
    }
    assert_eq!(receiver.arrived()[0].body, receiver.arrived()[1].body);
    receiver.kill();
    let refused = command(&server, &[&forward[..], &["--resend", message, "--json"]].concat()).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let printed = String::from_utf8(refused.stderr).unwrap();
    let error: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    assert_eq!(error["error"], format!("the receiver did not accept event {message}"));
    let absent = String::from_utf8(resend(ABSENT).stderr).unwrap();
    assert!(absent.contains(&format!("event {ABSENT} does not exist")), "{absent}");
    assert_eq!(command(&server, &["--resend", message]).output().unwrap().status.code(), Some(2), "no receiver");
}

/// A redelivery and a recovery are sent to the receiver of the subscription, and to every running `florin listen`.
#[test]
fn redeliveries_are_printed_and_forwarded() {
    let server = Server::sandbox();
    let client = server.client();
    let (receiver, developer) = (Receiver::start(), Receiver::start());
    let webhook = receiver.subscribe(&client, "BoxCredited", &json!({}));
    funded(&client, "One", "1.00");
    let event = events(&client, "types=BoxCredited").remove(0);
    let message = text(&event, "/messageId");
    receiver.wait_for(1);
    let forward = ["--account", client.account.as_str(), "--forward-to", &developer.url()];
    let listener = Listener::start(&server, &forward);
    let (_, signed) = (listener.line(), listener.line());
    let secret = signed.trim_end_matches('.').rsplit(' ').next().unwrap();
    let as_json = Listener::start(&server, &["--account", client.account.as_str(), "--after", message, "--json"]);
    for number in [1, 2] {
        let path = webhook_path(&webhook, &format!("/deliveries/{message}/redeliver"));
        expect_json(&client.post(&path, ""), 202);
        receiver.wait_for(1 + number);
        let line = listener.line();
        assert!(line.contains(&format!("{message}  redelivered")), "{line}");
        assert!(listener.line().contains("forwarded: 200 after "));
        let arrived = developer.wait_for(number).pop().unwrap();
        arrived.verify(secret).unwrap();
        assert_eq!((arrived.id(), &arrived.body), (message, &receiver.arrived()[0].body));
        let printed = as_json.json();
        assert_eq!((&printed["event"]["body"], &printed["redelivered"]), (&event, &json!(true)));
    }
    // A recovery sends events that a subscription did not receive, such as events from before the subscription.
    let later = receiver.subscribe(&client, "BoxCredited", &json!({}));
    let since = json!({"since": event["occurredAt"]}).to_string();
    assert_eq!(expect_json(&client.post(&webhook_path(&later, "/recover"), since), 202)["count"], 1);
    assert!(listener.line().contains(&format!("{message}  redelivered")));
    // The next event is not a redelivery.
    funded(&client, "Two", "1.00");
    assert!(listener.line().contains("forwarded: 200 after "));
    let line = listener.line();
    assert!(line.contains("BoxCredited") && !line.contains("redelivered"), "{line}");
}

#[test]
fn refusals_are_reported_and_end_the_command() {
    let server = Server::sandbox();
    let end = |command: &mut Command| {
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = end(command(&server, &[]).env_remove("FLORIN_API_KEY"));
    assert_eq!(code, Some(2));
    assert!(message.contains("FLORIN_API_KEY"), "{message}");
    let (code, message) = end(&mut command(&server, &["--types", "Nonsense"]));
    assert_eq!(code, Some(1));
    assert!(message.contains("query.types"), "{message}");
    let (code, message) = end(command(&server, &[]).env("FLORIN_API_KEY", &demo().limited_key));
    assert_eq!(code, Some(1));
    assert!(message.contains("insufficient_scope"), "{message}");
    let (code, message) = end(&mut command(&server, &["--forward-to", "ftp://host/"]));
    assert_eq!(code, Some(2));
    assert!(message.contains("--forward-to"), "{message}");
    for flag in ["--after", "--resend"] {
        let (code, message) = end(&mut command(&server, &["--forward-to", "http://127.0.0.1:9/", flag, "everything"]));
        assert_eq!(code, Some(2));
        assert!(message.contains(flag), "{message}");
    }
    let (code, message) = end(&mut command(&server, &["--server", "http://127.0.0.1:9"]));
    assert_eq!(code, Some(1));
    assert!(message.contains("http://127.0.0.1:9") && message.contains("refused"), "{message}");
}
