//! Compares transfers in production with a subscription and without. Production writes an event only if a subscription
//! matches, so a subscription to another type should cost nothing.

use crate::api::{call_with, issue_key, member};
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::pgbench::Measured;
use crate::progress;
use crate::report::{Report, Requirement, Row};
use crate::requests::{RequestKind, Requests};
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

/// SQL that turns the sandbox store of the data set into a production store without a secret key. The data set has no
/// encrypted secrets, so the production store can get another key.
const BECOME_PRODUCTION: &str = "UPDATE __florin_store SET environment = 'production'; DELETE FROM __florin_secret_key";

/// The subscriptions: the type of events, what the report says about the subscription, and the required ratio of the
/// rate of transfers to that without a subscription. The ratio is below 1, because rounds of the same work differ by a
/// few percent.
const SUBSCRIPTIONS: [(&str, &str, f64); 2] =
    [("CardStateUpdated", "a subscription to another type", 0.97), ("BoxDebited", "events wait", 0.95)];

/// Measures on each store.
pub(super) fn run(settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    if settings.selects("SQLite") {
        let file = File::fill(&folder.join("production.db"), Size::STANDARD)?;
        file.conn.execute_batch(BECOME_PRODUCTION)?;
        measure(("SQLite", &file.url), settings, folder, report)?;
    }
    if settings.selects("PostgreSQL") {
        let mut database = Database::fill("production", Size::STANDARD)?;
        database.client.batch_execute(BECOME_PRODUCTION)?;
        measure(("PostgreSQL", &database.url), settings, folder, report)?;
    }
    Ok(())
}

/// Compares transfers with each subscription and without. The client may not list events, so an event without a
/// subscription to its type is not written.
fn measure((name, url): (&str, &str), settings: &Settings, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    server::output(url, &["init"], &PRODUCTION)?;
    let key = issue_key(url, "Benchmark", &PRODUCTION)?;
    let server = Server::florin(url, folder, &PRODUCTION)?;
    let mut round = 0x1000;
    for (event_type, what, min) in SUBSCRIPTIONS {
        let workload = format!("{name}: transfer in production, {what}");
        let [without, with] = compare((&server, key.as_str()), settings, (event_type, workload.as_str()), &mut round)?;
        let requirement = Requirement::AtLeast { required: min, target: 1.0 };
        report.rows.push(Row::rates(&workload, "without a subscription".into(), without.rate, with, requirement));
    }
    Ok(())
}

/// Measures transfers in turns without and with a subscription to a type of events, and returns the medians.
fn compare(
    (server, key): (&Server, &str),
    settings: &Settings,
    (event_type, workload): (&str, &str),
    round: &mut u64,
) -> anyhow::Result<[Figures; 2]> {
    let call = |method: &str, path: &str, body: &str| call_with(key, server.address, method, path, body);
    let subscription =
        format!("{{\"enabled\":false,\"url\":\"{RECEIVER}\",\"webhookEventTypeName\":\"{event_type}\"}}");
    let webhook = call("POST", "webhooks", &subscription)?;
    let webhook = member(&webhook, "id").context("a subscription without an id")?.to_owned();
    let mut all = [Vec::new(), Vec::new()];
    for number in 0..=settings.rounds {
        // The order of the two sides alternates.
        let first = number % 2 == 1;
        for enabled in [first, !first] {
            call("PATCH", &format!("webhooks/{webhook}"), &format!("{{\"enabled\":{enabled}}}"))?;
            *round += 1;
            let mut requests = Requests::of_key(key.to_owned(), RequestKind::Transfer(Size::STANDARD.budgets), *round);
            let lasting = if number == 0 { Duration::from_secs(1) } else { settings.round };
            let outcome = drive(server, settings.connections, lasting, &mut requests)?.0;
            let (rate, transactions) = (outcome.rate(), outcome.answered);
            let figures = figures(Measured { rate, transactions, latencies: outcome.latencies });
            progress(&format!("{workload}, subscribed {enabled}: {rate:.0}/s"));
            if number > 0 {
                all[usize::from(enabled)].push(figures);
            }
        }
    }
    call("DELETE", &format!("webhooks/{webhook}"), "")?;
    Ok(all.map(|rounds| median(&rounds)))
}
