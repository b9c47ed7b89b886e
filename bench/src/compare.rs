//! Compares several contenders at one workload, in alternating rounds. The results are medians of all rounds.

use crate::figures::{Figures, median};
use crate::progress;
use crate::report::{Report, Requirement, Row};
use crate::runner::{Contender, Purpose, Runner};
use crate::server::Server;
use crate::workloads::Workload;
use anyhow::Context;

/// The requirement on the ratio of the time of a single request to the time of the same transaction in pgbench.
const SINGLE: Requirement = Requirement::AtMost { required: 1.3, target: 1.1 };

/// Compares Florin with the workload's pgbench scripts, with many connections. Returns Florin's figures.
pub(crate) fn concurrent(
    runner: &mut Runner<'_>,
    workload: &Workload,
    florin: &Server,
    report: &mut Report,
) -> anyhow::Result<Figures> {
    let mut contenders = vec![best(runner, workload, workload.script)?];
    if let Some(function) = workload.function {
        contenders.push(best(runner, workload, function)?);
    }
    contenders.push(Contender::Server(florin, runner.settings.connections));
    let medians = alternate(runner, workload, &contenders)?;
    let (own, others) = medians.split_last().context("nothing was measured")?;
    for (index, (baseline, contender)) in others.iter().zip(&contenders).enumerate() {
        let Contender::Pgbench(_, clients) = contender else { continue };
        let (form, requirement) = match index {
            0 if workload.function.is_none() => ("its queries", workload.requirement),
            0 => ("interactive", workload.requirement),
            _ => ("one function call", workload.function_requirement),
        };
        let compared_with = format!("pgbench, {form}, {clients} clients");
        report.rows.push(Row::rates(workload.name, compared_with, baseline.rate, *own, requirement));
    }
    Ok(*own)
}

/// Compares single requests with the same transaction in pgbench, each on one connection.
pub(crate) fn single(
    runner: &mut Runner<'_>,
    workload: &Workload,
    florin: &Server,
    report: &mut Report,
) -> anyhow::Result<()> {
    let medians = alternate(runner, workload, &[Contender::Pgbench(workload.script, 1), Contender::Server(florin, 1)])?;
    let name = format!("{}: one at a time", workload.name);
    let requirement = match workload.requirement {
        Requirement::None => Requirement::None,
        Requirement::AtLeast { .. } | Requirement::AtMost { .. } => SINGLE,
    };
    report.rows.push(Row::latencies(&name, "pgbench, 1 client, p50".into(), medians[0].p50, medians[1], requirement));
    Ok(())
}

/// Finds the script's best client count.
fn best<'s>(runner: &mut Runner<'_>, workload: &Workload, script: &'s str) -> anyhow::Result<Contender<'s>> {
    let mut rates = Vec::new();
    for clients in runner.settings.clients.clone() {
        let figures = runner.round(workload, Contender::Pgbench(script, clients), Purpose::WarmUp)?;
        rates.push((figures.rate, clients));
    }
    let tried: Vec<_> = rates.iter().map(|(rate, clients)| format!("{clients}: {rate:.0}/s")).collect();
    progress(&format!("{}: {script} with clients {}", workload.name, tried.join(", ")));
    let best = rates.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
    Ok(Contender::Pgbench(script, best.map_or(16, |(_, clients)| clients)))
}

/// Runs all contenders in alternating rounds and returns their medians.
pub(crate) fn alternate(
    runner: &mut Runner<'_>,
    workload: &Workload,
    contenders: &[Contender<'_>],
) -> anyhow::Result<Vec<Figures>> {
    let mut rates = Vec::new();
    for contender in contenders {
        rates.push(runner.round(workload, *contender, Purpose::WarmUp)?.rate);
    }
    let mut rounds: Vec<Vec<Figures>> = contenders.iter().map(|_| Vec::new()).collect();
    for number in 1..=runner.settings.rounds {
        for (index, contender) in contenders.iter().enumerate() {
            let figures = runner.round(workload, *contender, Purpose::Measure(rates[index]))?;
            rates[index] = figures.rate;
            progress(&format!(
                "{}, round {number}: {}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
                workload.name,
                contender.name(),
                figures.rate,
                figures.p50 / 1000.0,
                figures.p99 / 1000.0
            ));
            rounds[index].push(figures);
        }
    }
    Ok(rounds.iter().map(|rounds| median(rounds)).collect())
}
