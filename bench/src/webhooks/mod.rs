//! `make bench-webhooks`: measures how fast events are delivered, and how much deliveries slow down other requests.

mod production;
mod receiver;

use crate::api::{call, member};
use crate::database::{Database, Size};
use crate::figures::{Figures, median, quantile};
use crate::http::Outcome;
use crate::pgbench::Measured;
use crate::report::{Report, Requirement, Row};
use crate::requests::{Authorization, RequestKind, Requests, id};
use crate::runner::{drive, figures};
use crate::server::Server;
use crate::settings::Settings;
use crate::sqlite::File;
use crate::workloads::spread;
use crate::{machine, progress};
use anyhow::{Context, bail};
use receiver::Receiver;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Numbers of endpoints that receive the same events: `FEW` for throughput, `MANY` for latency.
const FEW: usize = 10;
const MANY: usize = 100;
/// Number of events whose latency is measured, and the time between two of them.
const EVENTS: usize = 50;
const APART: Duration = Duration::from_millis(400);
/// Maximum memory of a server while many events wait, in megabytes.
const MEMORY_MAX: f64 = 256.0;
/// Maximum time to wait for deliveries.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    if settings.selects("SQLite") {
        progress("SQLite: loading the data set");
        let file = File::fill(&folder.join("florin.db"), Size::STANDARD)?;
        Bench::new("SQLite", &file.url, settings, folder)?.measure(&mut report)?;
    }
    if settings.selects("PostgreSQL") {
        progress("PostgreSQL: loading the data set");
        let database = Database::fill("webhooks", Size::STANDARD)?;
        Bench::new("PostgreSQL", &database.url, settings, folder)?.measure(&mut report)?;
    }
    production::run(settings, folder, &mut report)?;
    report.notes.push("Receivers, load generator and database share the processors with Florin.".into());
    Ok(report)
}

/// A server with a receiver.
struct Bench<'a> {
    name: &'static str,
    url: &'a str,
    settings: &'a Settings,
    folder: &'a Path,
    server: Server,
    receiver: Receiver,
    round: u64,
}

impl<'a> Bench<'a> {
    fn new(name: &'static str, url: &'a str, settings: &'a Settings, folder: &'a Path) -> anyhow::Result<Self> {
        let server = Server::florin(url, folder, &[])?;
        Ok(Self { name, url, settings, folder, server, receiver: Receiver::start()?, round: 0x1000 })
    }

    fn measure(mut self, report: &mut Report) -> anyhow::Result<()> {
        for (what, refuses) in [("events are delivered", false), ("events wait", true)] {
            let webhook = self.subscribe(1)?;
            self.receiver.refuse(refuses);
            self.authorizations(what, &webhook, report)?;
            self.unsubscribe(&[webhook])?;
        }
        self.receiver.refuse(false);
        self.throughput(report)?;
        self.latency(report)?;
        self.memory(report)
    }

    /// Compares the rate of authorizations with the subscription enabled and disabled.
    fn authorizations(&mut self, what: &str, webhook: &str, report: &mut Report) -> anyhow::Result<()> {
        let mut all = [Vec::new(), Vec::new()];
        for number in 0..=self.settings.rounds {
            // The order of the two sides alternates.
            let first = number % 2 == 1;
            for enabled in [first, !first] {
                let change = format!("{{\"enabled\":{enabled}}}");
                call(self.server.address, "PATCH", &format!("webhooks/{webhook}"), &change)?;
                let round = self.authorize(if number == 0 { Duration::from_secs(1) } else { self.settings.round })?;
                progress(&format!("{}: {what}, subscribed {enabled}: {:.0}/s", self.name, round.rate));
                if number > 0 {
                    all[usize::from(enabled)].push(round);
                }
                self.wait_until_quiet();
            }
        }
        let [without, with] = all.map(|rounds| median(&rounds));
        let name = format!("{}: authorize, {what}", self.name);
        report.rows.push(Row::rates(
            &name,
            "without a subscription".into(),
            without.rate,
            with,
            Requirement::AtLeast { required: 0.95, target: 1.0 },
        ));
        Ok(())
    }

    /// Delivers stored events to a few receivers, with no other load.
    fn throughput(&mut self, report: &mut Report) -> anyhow::Result<()> {
        let newest = call(self.server.address, "GET", "events?limit=1", "")?;
        let since = member(&newest, "occurredAt").context("there is no event")?.to_owned();
        std::thread::sleep(Duration::from_secs(1));
        self.authorize(Duration::from_secs(1))?;
        let webhooks = (1..=FEW).map(|endpoint| self.subscribe(endpoint)).collect::<anyhow::Result<Vec<_>>>()?;
        let (before, mut count) = (self.receiver.count(), 0);
        let began = Instant::now();
        for webhook in &webhooks {
            let path = format!("webhooks/{webhook}/recover");
            let queued = call(self.server.address, "POST", &path, &format!("{{\"since\":\"{since}\"}}"))?;
            let queued: u64 = queued.trim_start_matches("{\"count\":").trim_end_matches('}').parse()?;
            count += queued;
        }
        while self.receiver.count() < before + count && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let arrived = self.receiver.count() - before;
        let figures = Figures { rate: arrived as f64 / began.elapsed().as_secs_f64(), ..Figures::default() };
        progress(&format!("{}: {arrived} of {count} deliveries, {:.0}/s", self.name, figures.rate));
        if arrived < count {
            report.notes.push(format!("{}: only {arrived} of {count} deliveries arrived in {PATIENCE:?}.", self.name));
        }
        let name = format!("{}: deliveries to {FEW} receivers", self.name);
        report.rows.push(Row {
            figures: None,
            ..Row::rates(&name, "the aim".into(), 1000.0, figures, Requirement::AtLeast { required: 1.0, target: 2.0 })
        });
        self.unsubscribe(&webhooks)
    }

    /// Measures the time from the request for an authorization until each receiver has the event, while one receiver
    /// hangs. Each time includes the request, so it is an upper bound of the time from the commit to the receipt.
    fn latency(&mut self, report: &mut Report) -> anyhow::Result<()> {
        // The first endpoint never answers.
        let webhooks = (0..MANY).map(|endpoint| self.subscribe(endpoint)).collect::<anyhow::Result<Vec<_>>>()?;
        self.receiver.keep_arrivals();
        let mut requested = HashMap::new();
        for number in 0..EVENTS {
            let body = Authorization(id(4, 10 + number as u64 * 10)).to_string();
            let path = "cards/simulations/transaction/authorization?accountId=bench-0";
            let asked = Instant::now();
            let answer = call(self.server.address, "POST", path, &body)?;
            requested.insert(member(&answer, "token").context("an answer without a token")?.to_owned(), asked);
            std::thread::sleep(APART);
        }
        self.wait_until_quiet();
        let arrivals = self.receiver.take_arrivals();
        let latency = |(object, at): &(String, Instant)| {
            let requested = requested.get(object)?;
            u32::try_from(at.saturating_duration_since(*requested).as_micros()).ok()
        };
        let mut micros: Vec<_> = arrivals.iter().filter_map(latency).collect();
        let (arrived, expected) = (micros.len(), EVENTS * (MANY - 1));
        if arrived > expected {
            bail!("{arrived} deliveries arrived, not {expected}");
        }
        if arrived < expected {
            report.notes.push(format!("{}: only {arrived} of {expected} deliveries arrived.", self.name));
        }
        // Missing events count as slower than any limit.
        micros.resize(expected, u32::MAX);
        let (p50, p99) = (quantile(&mut micros, 0.5), quantile(&mut micros, 0.99));
        progress(&format!("{}: p50 {:.0} ms, p99 {:.0} ms", self.name, p50 / 1000.0, p99 / 1000.0));
        let name = format!("{}: from request to received, 1 of {MANY} receivers hangs, p99", self.name);
        report.rows.push(Row {
            figures: Some(Figures { p50, p99, ..Figures::default() }),
            ..Row::limited(&name, " ms", p99 / 1000.0, (1000.0, 500.0))
        });
        self.unsubscribe(&webhooks)
    }

    /// Queues many events for one subscription, and restarts the server. Measures authorizations while the events wait,
    /// and then the server's peak memory, which includes the delivery of the events.
    fn memory(mut self, report: &mut Report) -> anyhow::Result<()> {
        self.receiver.refuse(true);
        let webhook = self.subscribe(1)?;
        let mut waiting = 0;
        while waiting < self.settings.waiting {
            // Each authorization has at least one event.
            waiting += self.drive(Duration::from_secs(1))?.answered;
        }
        progress(&format!("{}: at least {waiting} events wait", self.name));
        let Self { name, url, settings, folder, server, receiver, round } = self;
        drop(server);
        let server = Server::florin(url, folder, &[])?;
        let mut restarted = Self { name, url, settings, folder, server, receiver, round };
        restarted.authorizations(&format!("{waiting} events wait"), &webhook, report)?;
        restarted.receiver.refuse(false);
        call(restarted.server.address, "PATCH", &format!("webhooks/{webhook}"), "{\"enabled\":true}")?;
        std::thread::sleep(settings.round);
        let peak = restarted.server.peak_memory().map_or(f64::NAN, |bytes| bytes as f64 / 1e6);
        let name = format!("{name}: memory, at least {waiting} events wait for one subscription");
        report.rows.push(Row::limited(&name, " MB", peak, (MEMORY_MAX, MEMORY_MAX / 2.0)));
        Ok(())
    }

    /// Authorizes with all connections for a time.
    fn authorize(&mut self, lasting: Duration) -> anyhow::Result<Figures> {
        let outcome = self.drive(lasting)?;
        let (rate, transactions) = (outcome.rate(), outcome.answered);
        Ok(figures(Measured { rate, transactions, latencies: outcome.latencies }))
    }

    fn drive(&mut self, lasting: Duration) -> anyhow::Result<Outcome> {
        self.round += 1;
        let mut requests = Requests::new(RequestKind::Authorize(spread(Size::STANDARD)), self.round);
        Ok(drive(&self.server, self.settings.connections, lasting, &mut requests)?.0)
    }

    /// Waits until no further event arrives.
    fn wait_until_quiet(&self) {
        let mut before = None;
        while before != Some(self.receiver.count()) {
            before = Some(self.receiver.count());
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn subscribe(&self, endpoint: usize) -> anyhow::Result<String> {
        let url = self.receiver.url(endpoint);
        let body = format!("{{\"enabled\":true,\"url\":\"{url}\",\"webhookEventTypeName\":\"CardTransaction\"}}");
        let answer = call(self.server.address, "POST", "webhooks", &body)?;
        Ok(member(&answer, "id").context("a subscription without an id")?.to_owned())
    }

    fn unsubscribe(&self, webhooks: &[String]) -> anyhow::Result<()> {
        webhooks.iter().try_for_each(|id| call(self.server.address, "DELETE", &format!("webhooks/{id}"), "").map(drop))
    }
}
