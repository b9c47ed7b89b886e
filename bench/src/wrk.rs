//! `make bench-wrk`: compares this benchmark's load generator with the well-known wrk.

use crate::books::{self, Books};
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::guard::Guarded;
use crate::report::{Report, Requirement, Row};
use crate::requests::api_key;
use crate::runner::{Contender, Purpose, Runner};
use crate::server::Server;
use crate::settings::Settings;
use crate::workloads::{Workload, workloads};
use crate::{machine, progress};
use anyhow::{Context, bail};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/wrk/authorize.lua");

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    let mut runner = Runner::new(Database::fill("wrk", Size::STANDARD)?, settings, folder);
    let florin = Server::florin(&runner.database.url, folder, &[])?;
    let all = workloads(Size::STANDARD);
    for (workload, cards) in [(all[0], None), (all[1], Some(Size::STANDARD.cards))] {
        let own = Contender::Server(&florin, settings.connections);
        runner.round(&workload, own, Purpose::WarmUp)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for number in 1..=settings.rounds {
            ours.push(runner.round(&workload, own, Purpose::Measure(0.0))?);
            theirs.push(round(&mut runner, &workload, &florin, cards)?);
            let [own, wrk] = [&ours, &theirs].map(|rounds| rounds[number - 1].rate);
            progress(&format!("{}, round {number}: own generator {own:.0}/s, wrk {wrk:.0}/s", workload.name));
        }
        let (ours, theirs) = (median(&ours), median(&theirs));
        report.rows.push(Row::rates(workload.name, "driven by wrk".into(), theirs.rate, ours, Requirement::None));
    }
    Ok(report)
}

/// Runs a round with wrk. At the end, wrk drops outstanding responses, so one request per connection may be stored but
/// not counted.
fn round(runner: &mut Runner<'_>, workload: &Workload, florin: &Server, cards: Option<u64>) -> anyhow::Result<Figures> {
    let connections = runner.settings.connections;
    runner.database.checkpoint()?;
    let before = runner.database.counts()?;
    let (answered, figures) = drive(runner, florin, cards)?;
    // Gives outstanding requests time to be stored.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let after = runner.database.counts()?;
    let stored = if cards.is_some() { u64::try_from(after[0] - before[0])? } else { answered };
    if stored < answered || stored > answered + connections as u64 {
        bail!("wrk counted {answered} answers, and {stored} are stored");
    }
    books::check_counts(&before, &after, &workload.effect, stored)?;
    books::verify_balances(&mut runner.database)?;
    Ok(figures)
}

fn drive(runner: &mut Runner<'_>, florin: &Server, cards: Option<u64>) -> anyhow::Result<(u64, Figures)> {
    let (settings, round) = (runner.settings, runner.next_round());
    let mut command = Command::new("wrk");
    command.args(["-t", &machine::cores().to_string(), "-c", &settings.connections.to_string()]);
    command.arg(format!("-d{:.0}s", settings.round.as_secs_f64().max(1.0))).args(["-s", SCRIPT]);
    command.arg(format!("http://{}", florin.address)).args(["--", &api_key(), &round.to_string()]);
    command.args(cards.map(|cards| cards.to_string())).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut wrk = Guarded::spawn(&mut command).context("install wrk (Debian: apt-get install wrk)")?;
    let mut output = String::new();
    wrk.child().stdout.take().context("no pipe")?.read_to_string(&mut output)?;
    wrk.child().wait()?;
    let result = output
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))
        .with_context(|| format!("wrk printed: {output}"))?;
    let numbers: Vec<u64> = result.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [answered, micros, p99, errors] = numbers[..] else { bail!("wrk printed: {output}") };
    if errors > 0 {
        bail!("wrk had {errors} errors: {output}");
    }
    Ok((answered, Figures { rate: answered as f64 * 1e6 / micros as f64, p99: p99 as f64, ..Figures::default() }))
}
