//! `make bench-peers`: compares Florin with the *peers*, which serve the same workloads on the same store, written as
//! users of other stacks would write them.

use crate::compare::alternate;
use crate::database::{Database, Size};
use crate::figures::Figures;
use crate::report::{Report, Requirement, Row};
use crate::runner::{Contender, Runner};
use crate::server::{Server, free_address};
use crate::settings::Settings;
use crate::workloads::{HOT, SPREAD, workloads};
use crate::{books, machine, progress};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let (load, installed) = (machine::load(), installed()?);
    let mut database = Database::fill("peers", Size::STANDARD)?;
    books::test_the_checks(&mut database)?;
    report.notes.push(format!("{}; load before the run {load}.", machine::describe()));
    report.notes.push(format!("{}.", database.describe()?));
    let url = database.url.clone();
    let mut runner = Runner::new(database, settings, folder);
    let servers = [
        Server::florin(&url, folder, &[])?,
        fastify(&url, &installed, settings, folder)?,
        starlette(&url, &installed, settings, folder)?,
    ];
    let all = workloads(Size::STANDARD);
    for workload in [all[0], all[1], all[2], all[3]] {
        if !settings.selects(workload.name) {
            continue;
        }
        let contenders = servers.each_ref().map(|server| Contender::Server(server, settings.connections));
        let medians = alternate(&mut runner, &workload, &contenders)?;
        for (peer, figures) in servers.iter().zip(&medians).skip(1) {
            let requirement = rate_requirement(peer.name, workload.name);
            report.rows.push(Row::rates(workload.name, peer.name.into(), figures.rate, medians[0], requirement));
            let requirement = if (peer.name, workload.name) == (FASTIFY, SPREAD) { P99 } else { Requirement::None };
            report.rows.push(p99_row(workload.name, peer.name, figures, medians[0], requirement));
        }
    }
    for server in &servers {
        if let Some(bytes) = server.peak_memory() {
            report.notes.push(format!("Peak memory of {}: {} MiB.", server.name, bytes >> 20));
        }
    }
    let each = machine::cores();
    report.notes.push(format!(
        "The peers run {each} processes each, and share {} connections to PostgreSQL.",
        settings.connections
    ));
    Ok(report)
}

const FASTIFY: &str = "Fastify";
/// The requirement on the ratio of Florin's p99 to a peer's.
const P99: Requirement = Requirement::AtMost { required: 0.4, target: 0.15 };

/// Returns the requirement on the ratio of Florin's rate to a peer's.
fn rate_requirement(peer: &str, workload: &str) -> Requirement {
    match (peer, workload) {
        (FASTIFY, SPREAD) => Requirement::AtLeast { required: 6.0, target: 8.0 },
        (FASTIFY, HOT) => Requirement::AtLeast { required: 15.0, target: 25.0 },
        _ => Requirement::None,
    }
}

/// Compares the p99 with a peer's, in microseconds.
fn p99_row(workload: &str, compared_with: &str, peer: &Figures, florin: Figures, requirement: Requirement) -> Row {
    let (baseline, own) = (peer.p99, florin.p99);
    let workload = format!("{workload}: p99");
    Row {
        workload,
        compared_with: compared_with.into(),
        unit: " µs",
        baseline: Some(baseline),
        florin: own,
        ratio: own / baseline,
        requirement,
        figures: None,
    }
}

/// The folder where `scripts/bench` installs the peers' packages.
fn installed() -> anyhow::Result<PathBuf> {
    let folder = std::env::current_exe()?.with_file_name("../peers");
    anyhow::ensure!(folder.is_dir(), "{} does not exist: `make bench-peers` installs the peers", folder.display());
    Ok(folder.canonicalize()?)
}

fn fastify(url: &str, installed: &Path, settings: &Settings, folder: &Path) -> anyhow::Result<Server> {
    progress("starting Fastify");
    let address = free_address()?;
    let mut command = Command::new("node");
    command.arg("server.js").current_dir(installed.join("node")).env("PORT", address.port().to_string());
    set_peer_environment(&mut command, url, settings).env("NODE_ENV", "production");
    Server::start(FASTIFY, address, &mut command, folder)
}

fn starlette(url: &str, installed: &Path, settings: &Settings, folder: &Path) -> anyhow::Result<Server> {
    progress("starting Starlette");
    let address = free_address()?;
    let mut command = Command::new(installed.join("python/bin/uvicorn"));
    command.args(["app:app", "--host", "127.0.0.1", "--port", &address.port().to_string()]);
    command.args(["--workers", &machine::cores().to_string(), "--no-access-log", "--log-level", "warning"]);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/peers/python")).env("PYTHONDONTWRITEBYTECODE", "1");
    Server::start("Starlette", address, set_peer_environment(&mut command, url, settings), folder)
}

fn set_peer_environment<'a>(command: &'a mut Command, url: &str, settings: &Settings) -> &'a mut Command {
    command
        .env("DATABASE_URL", url)
        .env("PEER_PROCESSES", machine::cores().to_string())
        .env("PEER_POOL", settings.connections.to_string())
}
