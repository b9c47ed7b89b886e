//! Comparing parties at one work: in alternating turns, medians of all.

use crate::figures::{Figures, median};
use crate::progress;
use crate::report::{Report, Row, Rule};
use crate::server::Server;
use crate::stage::{Party, Purpose, Stage};
use crate::works::Work;

/// A lone request may take this much of the direct transaction's time.
pub(crate) const LONE: Rule = Rule::AtMost(1.3, 1.1);

/// With many connections: pgbench's script, its function, and Florin.
pub(crate) fn crowd(stage: &mut Stage<'_>, work: &Work, florin: &Server, report: &mut Report) -> anyhow::Result<()> {
    let mut parties = vec![best(stage, work, work.script)?];
    if let Some(function) = work.function {
        parties.push(best(stage, work, function)?);
    }
    parties.push(Party::Server(florin, stage.settings.connections));
    let medians = alternate(stage, work, &parties)?;
    let Some((own, others)) = medians.split_last() else { return Ok(()) };
    for (index, (baseline, party)) in others.iter().zip(&parties).enumerate() {
        let Party::Pgbench(_, clients) = party else { continue };
        let (form, rule) = match index {
            0 if work.function.is_none() => ("its queries", work.rule),
            0 => ("interactive", work.rule),
            _ => ("one function call", work.function_rule),
        };
        let against = format!("pgbench, {form}, {clients} clients");
        report.rows.push(Row::rates(work.name, against, baseline.rate, *own, rule));
    }
    Ok(())
}

/// One request at a time, beside the direct transaction.
pub(crate) fn lone(stage: &mut Stage<'_>, work: &Work, florin: &Server, report: &mut Report) -> anyhow::Result<()> {
    let medians = alternate(stage, work, &[Party::Pgbench(work.script, 1), Party::Server(florin, 1)])?;
    let name = format!("{}: one at a time", work.name);
    let rule = match work.rule {
        Rule::Free => Rule::Free,
        Rule::AtLeast(..) | Rule::AtMost(..) => LONE,
    };
    report.rows.push(Row::latencies(&name, "pgbench, 1 client, p50".into(), medians[0].p50, medians[1], rule));
    Ok(())
}

/// The script at its best client count.
fn best<'s>(stage: &mut Stage<'_>, work: &Work, script: &'s str) -> anyhow::Result<Party<'s>> {
    let mut rates = Vec::new();
    for clients in stage.settings.clients.clone() {
        let figures = stage.turn(work, Party::Pgbench(script, clients), Purpose::Rehearsal)?;
        rates.push((figures.rate, clients));
    }
    let tried: Vec<_> = rates.iter().map(|(rate, clients)| format!("{clients}: {rate:.0}/s")).collect();
    progress(&format!("{}: {script} with clients {}", work.name, tried.join(", ")));
    let best = rates.into_iter().max_by(|one, other| one.0.total_cmp(&other.0));
    Ok(Party::Pgbench(script, best.map_or(16, |(_, clients)| clients)))
}

/// All parties in turn, as often as is set; their medians.
pub(crate) fn alternate(stage: &mut Stage<'_>, work: &Work, parties: &[Party<'_>]) -> anyhow::Result<Vec<Figures>> {
    let mut rates = Vec::new();
    for party in parties {
        rates.push(stage.turn(work, *party, Purpose::Rehearsal)?.rate);
    }
    let mut turns: Vec<Vec<Figures>> = parties.iter().map(|_| Vec::new()).collect();
    for number in 1..=stage.settings.turns {
        for (index, party) in parties.iter().enumerate() {
            let figures = stage.turn(work, *party, Purpose::Show(rates[index]))?;
            rates[index] = figures.rate;
            progress(&format!(
                "{}, turn {number}: {}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
                work.name,
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
