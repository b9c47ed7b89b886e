//! Creates worlds, takes a snapshot of each, restores each, and deletes them, until the time of a round is over.

use super::Bench;
use crate::api::{call_with, member, members};
use crate::figures::{Figures, median};
use crate::http::Source;
use crate::pgbench::Measured;
use crate::report::{Report, Row};
use crate::requests::post;
use crate::runner::{drive, figures};
use anyhow::{Context, ensure};
use std::time::Duration;

/// Number of worlds of a pass. A client can have 100.
const WORLDS: usize = 96;
/// The path of all worlds.
const PATH: &str = "sandbox/worlds";
/// The measured steps of a pass.
const STEPS: [&str; 3] = ["create a world with the demo data", "take a snapshot of a world", "restore a world"];
/// Maximum duration of one step of a pass.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let mut all = STEPS.map(|_| Vec::new());
    for number in 0..=bench.settings.rounds {
        for ((step, figures), rounds) in STEPS.iter().zip(round(bench, number)?).zip(&mut all) {
            bench.report_round(step, number, &figures);
            if number > 0 {
                rounds.push(figures);
            }
        }
    }
    for (step, rounds) in STEPS.iter().zip(&all) {
        report.rows.push(Row::alone(&format!("{}: {step}", bench.name), median(rounds)));
    }
    Ok(())
}

/// Makes passes until the measured steps have taken as long as a round.
fn round(bench: &Bench<'_>, number: usize) -> anyhow::Result<[Figures; 3]> {
    let mut tallies = STEPS.map(|_| Tally::default());
    let mut passes = 0;
    while passes == 0 || tallies.iter().map(|tally| tally.elapsed).sum::<Duration>() < bench.lasting(number) {
        pass(bench, &format!("worlds-{number}-{passes}"), &mut tallies)?;
        passes += 1;
    }
    Ok(tallies.map(Tally::figures))
}

/// Creates, saves, restores and deletes [`WORLDS`] worlds.
fn pass(bench: &Bench<'_>, name: &str, [created, saved, restored]: &mut [Tally; 3]) -> anyhow::Result<()> {
    let creations = vec![(PATH.to_owned(), "{}".to_owned()); WORLDS];
    created.send(bench, &format!("{name}-create"), &creations)?;
    let worlds = bench.worlds()?;
    ensure!(worlds.len() == WORLDS, "{WORLDS} worlds were created, and {} are listed", worlds.len());
    let snapshots: Vec<_> = worlds.iter().map(|world| (format!("{PATH}/{world}/snapshots"), "{}".to_owned())).collect();
    saved.send(bench, &format!("{name}-save"), &snapshots)?;
    let bodies: Vec<_> = worlds.iter().map(|world| bench.restore_request(world)).collect::<anyhow::Result<_>>()?;
    restored.send(bench, &format!("{name}-restore"), &bodies)?;
    for world in &worlds {
        bench.call("DELETE", &format!("{PATH}/{world}"))?;
    }
    let left = bench.worlds()?.len();
    ensure!(left == 0, "{left} worlds are listed after they were deleted");
    Ok(())
}

impl Bench<'_> {
    fn call(&self, method: &str, path: &str) -> anyhow::Result<String> {
        call_with(&self.key, self.server.address, method, path, "")
    }

    /// Returns the account ids of all worlds.
    fn worlds(&self) -> anyhow::Result<Vec<String>> {
        Ok(members(&self.call("GET", &format!("{PATH}?limit=1000"))?, "accountId"))
    }

    /// Returns path and body of the request that restores a world to its only snapshot.
    fn restore_request(&self, world: &str) -> anyhow::Result<(String, String)> {
        let list = self.call("GET", &format!("{PATH}/{world}/snapshots"))?;
        let count = members(&list, "id").len();
        ensure!(count == 1, "a world has {count} snapshots, not 1");
        let snapshot = member(&list, "id").context("a snapshot without an id")?;
        Ok((format!("{PATH}/{world}/restore"), format!("{{\"snapshotId\":\"{snapshot}\"}}")))
    }
}

/// The requests of one step in all passes of a round.
#[derive(Default)]
struct Tally {
    answered: u64,
    elapsed: Duration,
    latencies: Vec<u32>,
}

impl Tally {
    /// Sends each request once. `name` makes their idempotency keys unique.
    fn send(&mut self, bench: &Bench<'_>, name: &str, requests: &[(String, String)]) -> anyhow::Result<()> {
        let mut posts = Posts { key: &bench.key, name, requests, made: 0 };
        let (outcome, _) = drive(&bench.server, bench.settings.connections, PATIENCE, &mut posts)?;
        let (answered, expected) = (outcome.answered, requests.len() as u64);
        ensure!(answered == expected, "{name}: {answered} of {expected} requests were answered");
        self.answered += answered;
        self.elapsed += outcome.elapsed;
        self.latencies.extend(outcome.latencies);
        Ok(())
    }

    fn figures(self) -> Figures {
        let rate = self.answered as f64 / self.elapsed.as_secs_f64();
        figures(Measured { rate, transactions: self.answered, latencies: self.latencies })
    }
}

/// POST requests, each a path and a body.
struct Posts<'a> {
    key: &'a str,
    name: &'a str,
    requests: &'a [(String, String)],
    made: usize,
}

impl Source for Posts<'_> {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        let Some((path, body)) = self.requests.get(self.made) else { return false };
        let idempotency_key = format!("{}-{}", self.name, self.made);
        post(out, format_args!("{path}"), self.key, &idempotency_key, body.as_bytes());
        self.made += 1;
        true
    }
}
