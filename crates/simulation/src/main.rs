//! Runs seeds of the simulation: `simulate FIRST [COUNT] [--mutant NAME] [--list FILE]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command-line program")]

use florin_simulation::{Mutant, Violation, run, run_all};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: simulate FIRST [COUNT] [--mutant NAME] [--list FILE]

Runs COUNT seeds (default: 1) from FIRST on, and stops at the first violation.
With one seed, prints every event, and lists every operation on the disk in FILE.
Mutants: no-sync, early-answer, lost-lease, no-fence";

/// The arguments of the command line.
struct Command {
    first: u64,
    count: u64,
    mutant: Option<Mutant>,
    list: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Some(command) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let Command { first, count, mutant, list } = command;
    if count != 1 {
        return match run_all(first..first.saturating_add(count), mutant) {
            Ok(totals) => {
                println!("{totals}");
                ExitCode::SUCCESS
            }
            Err(violation) => {
                println!("{violation}");
                ExitCode::FAILURE
            }
        };
    }
    match run(first, mutant, list.as_deref()) {
        Ok(run) => {
            run.events.iter().for_each(|event| println!("{event}"));
            println!("seed {first}: nothing is wrong");
            ExitCode::SUCCESS
        }
        Err(violation) => {
            let Violation { run, .. } = &*violation;
            run.events.iter().for_each(|event| println!("{event}"));
            println!("{violation}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Command> {
    let mut numbers = Vec::new();
    let (mut mutant, mut list) = (None, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--mutant" => {
                let name = args.next()?;
                mutant = Some(Mutant::ALL.into_iter().find(|mutant| mutant.name() == name)?);
            }
            "--list" => list = Some(PathBuf::from(args.next()?)),
            number => numbers.push(number.parse().ok()?),
        }
    }
    let (first, count) = match numbers.as_slice() {
        [first] => (*first, 1),
        [first, count] => (*first, *count),
        _ => return None,
    };
    if count == 0 || (count > 1 && list.is_some()) {
        return None;
    }
    Some(Command { first, count, mutant, list })
}
