//! Hostile targets: none is reached, and a sender without rules would reach them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "the tests of the sender use the rest")]
mod support;

use florin_domain::access::Environment::Production;
use florin_domain::webhook::SendError;
use florin_ports::WebhookSender;
use std::io::Write as _;
use std::net::IpAddr;
use std::process::Command;
use support::{Names, Receiver, Speaks, answer, careless_sender, names, request, secrets, tls_sender};

/// Addresses at which receivers are not allowed.
const ADDRESSES: [&str; 34] = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::1",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "100::1",
    "fec0::1",
    "3fff::1",
];

/// Those of [`ADDRESSES`] to which no TCP connection is possible, on any machine.
const UNREACHABLE: [&str; 4] = ["224.0.0.1", "255.255.255.255", "fe80::1", "ff02::1"];

/// URLs may not contain these hosts.
const LITERALS: [&str; 23] = [
    "localhost",
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "127.0.0.2",
    "2130706434",
    "user@only0.test",
    "8.8.8.8",
];

/// Commands that make every address one of this machine, in a network of its own.
const ALL_LOCAL: &str = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo";
/// The environment variable that is set if every address is one of this machine.
const IS_ALL_LOCAL: &str = "FLORIN_TEST_ADDRESSES_ARE_LOCAL";

/// Returns host names that resolve to hostile addresses, alone or mixed with an allowed address.
fn hostile_names() -> (Names, Vec<String>) {
    let mut all = names();
    let mut hosts = Vec::new();
    for (number, address) in ADDRESSES.into_iter().enumerate() {
        for (kind, resolved) in [("only", vec![address]), ("mixed", vec!["127.0.0.2", address])] {
            let host = format!("{kind}{number}.test");
            all = all.with(&host, &resolved);
            hosts.push(host);
        }
    }
    (all.with("localhost", &["127.0.0.1", "::1"]), hosts)
}

#[tokio::test]
async fn hostile_targets_are_not_reached() {
    let receiver = Receiver::start(Speaks::Tls, |_| answer("200 OK", "", "")).await;
    let (names, mut hosts) = hostile_names();
    hosts.extend(LITERALS.map(str::to_owned));
    assert!(hosts.len() >= 60);
    let sender = tls_sender(&names, Some(receiver.authority()));
    for host in hosts {
        let url = receiver.url("https").replace("hooks.test", &host);
        let outcome = sender.send(request(&url, &secrets(), "{}")).await;
        assert_eq!((outcome.response, outcome.body), (Err(SendError::TargetNotAllowed), None), "{url}");
    }
    let plain = receiver.url("http");
    let outcome = support::sender(Production, &names).send(request(&plain, &secrets(), "{}")).await;
    assert_eq!(outcome.response, Err(SendError::TargetNotAllowed));
    assert_eq!(receiver.connections(), 0);
    careless_sender_reaches_targets(&receiver, &names).await;
}

/// Without rules, the same requests reach the listener, at every address that is one of this machine.
async fn careless_sender_reaches_targets(receiver: &Receiver, names: &Names) {
    let is_all_local = std::env::var_os(IS_ALL_LOCAL).is_some();
    let sender = careless_sender(names);
    let mut reached = 0;
    for (number, address) in ADDRESSES.into_iter().enumerate() {
        let ip: IpAddr = address.parse().unwrap();
        let is_of_machine = ip.is_loopback() || ip.is_unspecified() || is_all_local;
        if !is_of_machine || UNREACHABLE.contains(&address) || (ip.is_ipv6() && !receiver.has_ipv6()) {
            continue;
        }
        let url = receiver.url("https").replace("hooks.test", &format!("only{number}.test"));
        // The receiver's certificate has another name and an unknown authority.
        let outcome = sender.send(request(&url, &secrets(), "{}")).await;
        assert_eq!(outcome.response, Err(SendError::TlsFailed), "{address}");
        reached += 1;
        assert_eq!(receiver.connections(), reached, "{address}");
    }
    let expected = if is_all_local { ADDRESSES.len() - UNREACHABLE.len() } else { 3 };
    assert!(reached >= expected, "only {reached} addresses are reached without rules");
}

/// Runs the test above in a network in which every address is one of this machine, so that a connection to any of them
/// would reach the listener.
#[test]
fn hostile_targets_are_not_reached_where_every_address_is_local() {
    let isolated = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rn", "sh", "-c", &format!("{ALL_LOCAL} && {then}"), "sh"]);
        command
    };
    if !isolated("true").output().is_ok_and(|output| output.status.success()) {
        // Bypasses the test runner, which hides the output of passing tests. scripts/test repeats it at the end.
        let text =
            "\nNOT RUN: hostile targets where every address is local, because `unshare -rn` does not work here\n";
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return;
    }
    let mut command = isolated("exec \"$@\"");
    command.arg(std::env::current_exe().unwrap()).args(["--exact", "hostile_targets_are_not_reached"]);
    let output = command.env(IS_ALL_LOCAL, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
