//! `make bench-growth`: whether more rows make anything slower.

use crate::books::{self, NOTHING};
use crate::database::{Database, Size};
use crate::figures::{Figures, median};
use crate::report::{Report, Row, Rule};
use crate::server::{self, Server};
use crate::settings::Settings;
use crate::stage::{Party, Purpose, Stage};
use crate::works::{Kind, Work, works};
use crate::{machine, progress};
use std::path::Path;
use std::time::Instant;

/// Card transactions of the store that the large one is compared with.
const SMALL: u64 = 10_000;
/// What a card transaction takes on the disk, with its chain, journal and indexes.
const BYTES_EACH: u64 = 1_200;
/// What is to be free beside, for the log and for everybody else.
const BESIDE: u64 = 6 << 30;
/// The account of the long list, and one with a short list.
const LONG: u64 = 8;
const SHORT: u64 = 3;

const CHECKOUTS: &str = include_str!("../sql/postgres/checkouts.sql");

pub(crate) fn run(settings: &Settings, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.notes.push(format!("{}; load before the run {}.", machine::describe(), machine::load()));
    let [mut small, mut large] = stages(settings, folder, &mut report)?;
    let servers =
        [Server::florin(&small.database.url, folder, &[])?, Server::florin(&large.database.url, folder, &[])?];
    let work = works(Size::STANDARD)[1];
    for connections in [settings.connections, 1] {
        let parties = servers.each_ref().map(|server| Party::Server(server, connections));
        let [few, many] = alternate(&mut [(&mut small, work, parties[0]), (&mut large, work, parties[1])])?;
        let name = format!("authorize, {} transactions stored, {}", settings.growth_messages, over(connections));
        report.rows.push(row(name, format!("{SMALL} stored"), few, many, Rule::AtMost(1.3, 1.1)));
    }
    for connections in [settings.connections, 1] {
        let list = |account| Work { kind: Kind::Account(account), effect: NOTHING, ..works(Size::STANDARD)[0] };
        let party = Party::Server(&servers[0], connections);
        let [few, many] = same(&mut small, &[(list(SHORT), party), (list(LONG), party)])?;
        let name = format!("first page of {} rows, {}", settings.growth_rows, over(connections));
        report.rows.push(row(name, "1000 rows".into(), few, many, Rule::AtMost(1.5, 1.1)));
    }
    progress("proving every balance of the large store");
    books::prove(&mut large.database)?;
    server::run(&small.database.url, &["check"])?;
    Ok(report)
}

/// A small store, with one long list, and a large one.
fn stages<'a>(settings: &'a Settings, folder: &'a Path, report: &mut Report) -> anyhow::Result<[Stage<'a>; 2]> {
    let wanted = settings.growth_messages * BYTES_EACH + BESIDE;
    progress(&format!(
        "loading {} card transactions: {} GiB of disk, the log included",
        settings.growth_messages,
        wanted >> 30
    ));
    let began = Instant::now();
    let mut small = Database::fill("small", Size { messages: SMALL, ..Size::STANDARD })?;
    if let Some(free) = small.free_disk()? {
        anyhow::ensure!(free > wanted, "{} GiB of disk are free, {} are wanted", free >> 30, wanted >> 30);
    }
    let rows = [("{account}", LONG), ("{last}", settings.growth_rows)];
    small.load(
        &rows.iter().fold(CHECKOUTS.to_owned(), |text, (name, number)| text.replace(name, &number.to_string())),
    )?;
    let mut large = Database::fill("large", Size { messages: settings.growth_messages, ..Size::STANDARD })?;
    let took = began.elapsed().as_secs_f64();
    progress(&format!("loaded in {took:.0} s"));
    report.notes.push(format!("{}. The large store: {}, loaded in {took:.0} s.", large.describe()?, large.disk()?));
    Ok([Stage::new(small, settings, folder), Stage::large(large, settings, folder)])
}

fn over(connections: usize) -> String {
    if connections == 1 { "one at a time".into() } else { format!("{connections} connections") }
}

/// How many times longer a request takes: of a crowd by its rate, of a lone one by its median.
fn row(work: String, against: String, few: Figures, many: Figures, rule: Rule) -> Row {
    if work.ends_with("one at a time") {
        return Row::latencies(&work, format!("{against}, p50"), few.p50, many, rule);
    }
    let ratio = few.rate / many.rate;
    Row { work, against, unit: "/s", baseline: few.rate, florin: many.rate, ratio, rule, figures: Some(many) }
}

/// Two stages in alternating turns.
fn alternate(both: &mut [(&mut Stage<'_>, Work, Party<'_>); 2]) -> anyhow::Result<[Figures; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    let turns = both[0].0.settings.turns;
    for number in 0..=turns {
        for (index, (stage, work, party)) in both.iter_mut().enumerate() {
            turn(stage, work, *party, number, &mut all[index])?;
        }
    }
    Ok(all.map(|turns| median(&turns)))
}

/// The same on one stage.
fn same(stage: &mut Stage<'_>, both: &[(Work, Party<'_>); 2]) -> anyhow::Result<[Figures; 2]> {
    let mut all = [Vec::new(), Vec::new()];
    for number in 0..=stage.settings.turns {
        for (index, (work, party)) in both.iter().enumerate() {
            turn(stage, work, *party, number, &mut all[index])?;
        }
    }
    Ok(all.map(|turns| median(&turns)))
}

/// Turn 0 is a rehearsal.
fn turn(
    stage: &mut Stage<'_>,
    work: &Work,
    party: Party<'_>,
    number: usize,
    all: &mut Vec<Figures>,
) -> anyhow::Result<()> {
    if number == 0 {
        stage.turn(work, party, Purpose::Rehearsal)?;
        return Ok(());
    }
    let figures = stage.turn(work, party, Purpose::Show(0.0))?;
    let times = (figures.p50 / 1000.0, figures.p99 / 1000.0);
    progress(&format!(
        "turn {number}: {}, {:?}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
        work.name, work.kind, figures.rate, times.0, times.1
    ));
    all.push(figures);
    Ok(())
}
