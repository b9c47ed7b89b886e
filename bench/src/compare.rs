//! Compares several parties at one workload: alternating turns, medians of all turns.

use crate::figures::{Figures, median};
use crate::progress;
use crate::report::{Report, Row, Rule};
use crate::server::Server;
use crate::stage::{Party, Purpose, Stage};
use crate::workloads::Workload;

/// Required and target ratio of the time of a single request to the time of the direct transaction.
pub(crate) const SINGLE: Rule = Rule::AtMost(1.3, 1.1);

/// Compares pgbench's script, its function, and Florin, with many connections.
pub(crate) fn concurrent(
    stage: &mut Stage<'_>,
    workload: &Workload,
    florin: &Server,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut parties = vec![best(stage, workload, workload.script)?];
    if let Some(function) = workload.function {
        parties.push(best(stage, workload, function)?);
    }
    parties.push(Party::Server(florin, stage.settings.connections));
    let medians = alternate(stage, workload, &parties)?;
    let Some((own, others)) = medians.split_last() else { return Ok(()) };
    for (index, (baseline, party)) in others.iter().zip(&parties).enumerate() {
        let Party::Pgbench(_, clients) = party else { continue };
        let (form, rule) = match index {
            0 if workload.function.is_none() => ("its queries", workload.rule),
            0 => ("interactive", workload.rule),
            _ => ("one function call", workload.function_rule),
        };
        let compared_with = format!("pgbench, {form}, {clients} clients");
        report.rows.push(Row::rates(workload.name, compared_with, baseline.rate, *own, rule));
    }
    Ok(())
}

/// Compares single requests with the direct transaction.
pub(crate) fn single(
    stage: &mut Stage<'_>,
    workload: &Workload,
    florin: &Server,
    report: &mut Report,
) -> anyhow::Result<()> {
    let medians = alternate(stage, workload, &[Party::Pgbench(workload.script, 1), Party::Server(florin, 1)])?;
    let name = format!("{}: one at a time", workload.name);
    let rule = match workload.rule {
        Rule::Free => Rule::Free,
        Rule::AtLeast(..) | Rule::AtMost(..) => SINGLE,
    };
    report.rows.push(Row::latencies(&name, "pgbench, 1 client, p50".into(), medians[0].p50, medians[1], rule));
    Ok(())
}

/// Finds the script's best client count.
fn best<'s>(stage: &mut Stage<'_>, workload: &Workload, script: &'s str) -> anyhow::Result<Party<'s>> {
    let mut rates = Vec::new();
    for clients in stage.settings.clients.clone() {
        let figures = stage.turn(workload, Party::Pgbench(script, clients), Purpose::Rehearsal)?;
        rates.push((figures.rate, clients));
    }
    let tried: Vec<_> = rates.iter().map(|(rate, clients)| format!("{clients}: {rate:.0}/s")).collect();
    progress(&format!("{}: {script} with clients {}", workload.name, tried.join(", ")));
    let best = rates.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
    Ok(Party::Pgbench(script, best.map_or(16, |(_, clients)| clients)))
}

/// Runs all parties in alternating turns and returns their medians.
pub(crate) fn alternate(
    stage: &mut Stage<'_>,
    workload: &Workload,
    parties: &[Party<'_>],
) -> anyhow::Result<Vec<Figures>> {
    let mut rates = Vec::new();
    for party in parties {
        rates.push(stage.turn(workload, *party, Purpose::Rehearsal)?.rate);
    }
    let mut turns: Vec<Vec<Figures>> = parties.iter().map(|_| Vec::new()).collect();
    for number in 1..=stage.settings.turns {
        for (index, party) in parties.iter().enumerate() {
            let figures = stage.turn(workload, *party, Purpose::Show(rates[index]))?;
            rates[index] = figures.rate;
            progress(&format!(
                "{}, turn {number}: {}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
                workload.name,
                party.name(),
                figures.rate,
                figures.p50 / 1000.0,
                figures.p99 / 1000.0
            ));
            turns[index].push(figures);
        }
    }
    Ok(turns.iter().map(|turns| median(turns)).collect())
}
