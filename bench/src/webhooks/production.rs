//! Compares transfers in production with a subscription to their events and without. Production writes an event only if
//! a subscription matches.

use super::api::{call_with, member};
use crate::database::{Database, Size};
use crate::figures::median;
use crate::pgbench::Measured;
use crate::progress;
use crate::report::{Report, Row, Rule};
use crate::requests::{Ask, Requests};
use crate::runner::{drive, figures};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::sqlite::File;
use anyhow::Context;
use std::path::Path;
use std::time::Duration;

/// The settings of the server and of the commands.
const PRODUCTION: [(&str, &str); 3] = [
    ("FLORIN_ENVIRONMENT", "production"),
    ("FLORIN_SECRET_KEY", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ("FLORIN_PUBLIC_URL", "https://pay.example"),
];
/// A receiver to which production does not connect, because its address is not public, so deliveries only wait.
const RECEIVER: &str = "https://localhost:9443/";

/// Measures on each store.
pub(super) fn run(settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    if settings.wants("SQLite") {
        let file = File::fill(&folder.join("production.db"), Size::STANDARD)?;
        measure(("SQLite", &file.url), settings, folder, report)?;
    }
    if settings.wants("PostgreSQL") {
        let database = Database::fill("production", Size::STANDARD)?;
        measure(("PostgreSQL", &database.url), settings, folder, report)?;
    }
    Ok(())
}

/// Compares transfers with a subscription to their debits and without. The client may not list events, so without a
/// subscription none is written.
fn measure((name, url): (&str, &str), settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    server::output(url, &["init"], &PRODUCTION)?;
    let issue = ["keys", "issue", "--client", "Benchmark", "--all-scopes", "--json"];
    let issued = server::output(url, &issue, &PRODUCTION)?;
    let key = member(&issued, "key").context("no key was issued")?.to_owned();
    let server = Server::florin(url, folder, &PRODUCTION)?;
    let call = |method: &str, path: &str, body: &str| call_with(&key, server.address, method, path, body);
    let subscription = format!("{{\"enabled\":false,\"url\":\"{RECEIVER}\",\"webhookEventTypeName\":\"BoxDebited\"}}");
    let webhook = call("POST", "webhooks", &subscription)?;
    let webhook = member(&webhook, "id").context("a subscription without an id")?.to_owned();
    let (mut all, mut turn) = ([Vec::new(), Vec::new()], 0x1000);
    for number in 0..=settings.turns {
        // The order of the two sides alternates.
        let first = number % 2 == 1;
        for enabled in [first, !first] {
            call("PATCH", &format!("webhooks/{webhook}"), &format!("{{\"enabled\":{enabled}}}"))?;
            turn += 1;
            let mut requests = Requests::of_key(key.clone(), Ask::Transfer(Size::STANDARD.budgets), turn);
            let lasting = if number == 0 { Duration::from_secs(1) } else { settings.turn };
            let outcome = drive(&server, settings.connections, lasting, &mut requests)?.0;
            let (rate, transactions) = (outcome.rate(), outcome.answered);
            let figures = figures(Measured { rate, transactions, latencies: outcome.latencies });
            progress(&format!("{name}: production, subscribed {enabled}: {rate:.0}/s"));
            if number > 0 {
                all[usize::from(enabled)].push(figures);
            }
        }
    }
    let [without, with] = all.map(|turns| median(&turns));
    let workload = format!("{name}: transfer in production, events wait");
    let rule = Rule::AtLeast(0.95, 1.0);
    report.rows.push(Row::rates(
        &workload,
        "without a subscription, no event is written".into(),
        without.rate,
        with,
        rule,
    ));
    Ok(())
}
