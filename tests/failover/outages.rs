//! The longest time without a success in each fail-over, by the kind of fault.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::cluster::{FAULTS, Fault};

/// The outages of each kind.
#[derive(Default)]
pub(crate) struct Outages(BTreeMap<&'static str, Vec<Duration>>);

impl Outages {
    pub(crate) fn add(&mut self, fault: &Fault, outage: Duration) {
        self.0.entry(fault.name).or_default().push(outage);
    }

    /// Returns a line for each kind: the number of fail-overs, and the shortest, median and longest outage.
    pub(crate) fn table(&self) -> String {
        let mut table = "| Fault | Fail-overs | Shortest | Median | Longest |\n|---|--:|--:|--:|--:|\n".to_owned();
        for Fault { name, .. } in FAULTS {
            let Some(outages) = self.0.get(name) else { continue };
            let mut seconds: Vec<_> = outages.iter().map(Duration::as_secs_f64).collect();
            seconds.sort_unstable_by(f64::total_cmp);
            let (count, longest) = (seconds.len(), seconds[seconds.len() - 1]);
            let (shortest, median) = (seconds[0], seconds[count / 2]);
            writeln!(table, "| {name} | {count} | {shortest:.1} s | {median:.1} s | {longest:.1} s |").unwrap();
        }
        table
    }
}
