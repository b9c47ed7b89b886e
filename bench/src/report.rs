//! The table of results.

use crate::figures::Figures;
use std::fmt::Write;

/// The requirement on [`Row::ratio`]. If the ratio misses `required`, the row is reported as missed. `target` is the
/// better ratio that the project aims for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Requirement {
    /// Higher is better.
    AtLeast { required: f64, target: f64 },
    /// Lower is better.
    AtMost { required: f64, target: f64 },
    /// The row is for information only.
    None,
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) workload: String,
    pub(crate) compared_with: String,
    /// Unit of both measurements.
    pub(crate) unit: &'static str,
    /// The measurement that Florin's is compared with. `None` if there is nothing to compare with.
    pub(crate) baseline: Option<f64>,
    pub(crate) florin: f64,
    /// `florin` divided by `baseline`, or the inverse for rates in the growth run. NaN without a baseline.
    pub(crate) ratio: f64,
    pub(crate) requirement: Requirement,
    /// All measurements of Florin.
    pub(crate) figures: Option<Figures>,
}

impl Row {
    /// Compares Florin's requests per second with those of a baseline.
    pub(crate) fn rates(
        workload: &str,
        compared_with: String,
        baseline: f64,
        florin: Figures,
        requirement: Requirement,
    ) -> Self {
        let ratio = florin.rate / baseline;
        let figures = Some(florin);
        Self {
            workload: workload.into(),
            compared_with,
            unit: "/s",
            baseline: Some(baseline),
            florin: florin.rate,
            ratio,
            requirement,
            figures,
        }
    }

    /// Compares Florin's median latency of single requests with that of a baseline.
    pub(crate) fn latencies(
        workload: &str,
        compared_with: String,
        baseline: f64,
        florin: Figures,
        requirement: Requirement,
    ) -> Self {
        let ratio = florin.p50 / baseline;
        Self {
            workload: workload.into(),
            compared_with,
            unit: " µs",
            baseline: Some(baseline),
            florin: florin.p50,
            ratio,
            requirement,
            figures: Some(florin),
        }
    }

    /// Compares a measurement with the maximum that it may have, and with a target in the same unit.
    pub(crate) fn limited(workload: &str, unit: &'static str, florin: f64, (max, target): (f64, f64)) -> Self {
        let compared_with =
            if target < max { format!("a limit; the target is {target}{unit}") } else { "a limit".to_owned() };
        Self {
            workload: workload.into(),
            compared_with,
            unit,
            baseline: Some(max),
            florin,
            ratio: florin / max,
            requirement: Requirement::AtMost { required: 1.0, target: target / max },
            figures: None,
        }
    }

    /// Reports Florin's requests per second without a baseline and without a requirement.
    pub(crate) fn alone(workload: &str, florin: Figures) -> Self {
        Self {
            workload: workload.into(),
            compared_with: "–".into(),
            unit: "/s",
            baseline: None,
            florin: florin.rate,
            ratio: f64::NAN,
            requirement: Requirement::None,
            figures: Some(florin),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.requirement {
            Requirement::AtLeast { target, .. } if self.ratio >= target => "met, target too",
            Requirement::AtMost { target, .. } if self.ratio <= target => "met, target too",
            Requirement::AtLeast { required, .. } if self.ratio >= required => "met",
            Requirement::AtMost { required, .. } if self.ratio <= required => "met",
            Requirement::None => "",
            Requirement::AtLeast { .. } | Requirement::AtMost { .. } => "**missed**",
        }
    }

    fn line(&self) -> String {
        let (required, target) = match self.requirement {
            Requirement::AtLeast { required, target } => (format!("≥ {required}"), hundredths(target)),
            Requirement::AtMost { required, target } => (format!("≤ {required}"), hundredths(target)),
            Requirement::None => (String::new(), String::new()),
        };
        let times = self
            .figures
            .map_or_else(String::new, |figures| format!("{:.2} / {:.2}", figures.p50 / 1000.0, figures.p99 / 1000.0));
        let micros = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.0}"));
        let cpu = self.figures.map_or_else(String::new, |figures| match figures.store_cpu {
            None => micros(figures.server_cpu),
            store => format!("{} + {}", micros(figures.server_cpu), micros(store)),
        });
        let (baseline, ratio) = self.baseline.map_or_else(
            || ("–".to_owned(), "–".to_owned()),
            |baseline| (format!("{}{}", thousands(baseline), self.unit), format!("{:.2}", self.ratio)),
        );
        format!(
            "| {} | {} | {baseline} | {}{} | {ratio} | {required} | {target} | {} | {times} | {cpu} |",
            self.workload,
            self.compared_with,
            thousands(self.florin),
            self.unit,
            self.verdict(),
        )
    }
}

/// Formats a number with at most two decimals.
fn hundredths(value: f64) -> String {
    format!("{}", (value * 100.0).round() / 100.0)
}

/// Formats a whole number with thousands separators.
fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// All rows, and the notes below them.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Formats the report as Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| Workload | Compared with | Baseline | Florin | Ratio | Required | Target | Result \
            | p50 / p99 ms | CPU µs per request |\n\
            |---|---|--:|--:|--:|--:|--:|---|--:|--:|\n",
        );
        for row in &self.rows {
            text.push_str(&row.line());
            text.push('\n');
        }
        text.push('\n');
        for note in &self.notes {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "- {note}");
        }
        text
    }

    /// Number of missed requirements.
    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.verdict().contains("missed")).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rate: f64, requirement: Requirement) -> Row {
        Row::rates("w", "b".into(), 1000.0, Figures { rate, ..Figures::default() }, requirement)
    }

    #[test]
    fn verdicts() {
        assert_eq!(row(1999.0, Requirement::AtLeast { required: 2.0, target: 3.0 }).verdict(), "**missed**");
        assert_eq!(row(2000.0, Requirement::AtLeast { required: 2.0, target: 3.0 }).verdict(), "met");
        assert_eq!(row(3000.0, Requirement::AtLeast { required: 2.0, target: 3.0 }).verdict(), "met, target too");
        assert_eq!(row(1301.0, Requirement::AtMost { required: 1.3, target: 1.1 }).verdict(), "**missed**");
        assert_eq!(row(1100.0, Requirement::AtMost { required: 1.3, target: 1.1 }).verdict(), "met, target too");
        assert_eq!(row(f64::NAN, Requirement::AtMost { required: 1.3, target: 1.1 }).verdict(), "**missed**");
    }

    #[test]
    fn a_report_counts_missed_requirements() {
        let rows = vec![row(1.0, Requirement::None), row(1.0, Requirement::AtLeast { required: 2.0, target: 3.0 })];
        let report = Report { rows, notes: vec!["note".into()] };
        assert_eq!(report.missed(), 1);
        assert!(report.markdown().contains("| 1,000/s | 1/s | 0.00 | ≥ 2 | 3 | **missed** |"), "{}", report.markdown());
        let limited = Row::limited("w", " B", 500.4, (600.0, 400.0)).line();
        let expected = "| w | a limit; the target is 400 B | 600 B | 500 B | 0.83 | ≤ 1 | 0.67 | met |  |  |";
        assert_eq!(limited, expected);
        assert_eq!(Row::limited("w", " B", 1.0, (2.0, 2.0)).compared_with, "a limit");
        let alone = Row::alone("w", Figures { rate: 2000.0, ..Figures::default() }).line();
        assert!(alone.starts_with("| w | – | – | 2,000/s | – |  |  |  |"), "{alone}");
        assert_eq!((thousands(1_234_567.4), thousands(12.0)), ("1,234,567".to_owned(), "12".to_owned()));
    }
}
