//! The table.

use crate::figures::Figures;
use std::fmt::Write;

/// What a ratio must be, and what it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    AtLeast(f64, f64),
    AtMost(f64, f64),
    /// For information.
    Free,
}

/// A line of the table.
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) against: String,
    /// Of both figures.
    pub(crate) unit: &'static str,
    pub(crate) baseline: f64,
    pub(crate) florin: f64,
    pub(crate) ratio: f64,
    pub(crate) rule: Rule,
    /// What else was measured of Florin.
    pub(crate) figures: Option<Figures>,
}

impl Row {
    /// Requests a second beside a baseline's.
    pub(crate) fn rates(work: &str, against: String, baseline: f64, florin: Figures, rule: Rule) -> Self {
        let ratio = florin.rate / baseline;
        let figures = Some(florin);
        Self { work: work.into(), against, unit: "/s", baseline, florin: florin.rate, ratio, rule, figures }
    }

    /// The latency of lone requests beside a baseline's.
    pub(crate) fn latencies(work: &str, against: String, baseline: f64, florin: Figures, rule: Rule) -> Self {
        let ratio = florin.p50 / baseline;
        Self {
            work: work.into(),
            against,
            unit: " µs",
            baseline,
            florin: florin.p50,
            ratio,
            rule,
            figures: Some(florin),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.rule {
            Rule::AtLeast(_, aim) if self.ratio >= aim => "met, aim too",
            Rule::AtMost(_, aim) if self.ratio <= aim => "met, aim too",
            Rule::AtLeast(must, _) if self.ratio >= must => "met",
            Rule::AtMost(must, _) if self.ratio <= must => "met",
            Rule::Free => "",
            Rule::AtLeast(..) | Rule::AtMost(..) => "**missed**",
        }
    }

    fn line(&self) -> String {
        let (must, aim) = match self.rule {
            Rule::AtLeast(must, aim) => (format!("≥ {must}"), format!("{aim}")),
            Rule::AtMost(must, aim) => (format!("≤ {must}"), format!("{aim}")),
            Rule::Free => (String::new(), String::new()),
        };
        let times = self
            .figures
            .map_or_else(String::new, |figures| format!("{:.2} / {:.2}", figures.p50 / 1000.0, figures.p99 / 1000.0));
        let micros = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.0}"));
        let cpu = self.figures.map_or_else(String::new, |figures| match figures.store_cpu {
            None => micros(figures.server_cpu),
            store => format!("{} + {}", micros(figures.server_cpu), micros(store)),
        });
        format!(
            "| {} | {} | {}{} | {}{} | {:.2} | {must} | {aim} | {} | {times} | {cpu} |",
            self.work,
            self.against,
            thousands(self.baseline),
            self.unit,
            thousands(self.florin),
            self.unit,
            self.ratio,
            self.verdict(),
        )
    }
}

/// A whole number with commas.
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

/// All lines, and what is said below them.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// As Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| Work | Against | Baseline | Florin | Ratio | Must | Aim | | p50 / p99 ms | CPU µs a request |\n\
            |---|---|--:|--:|--:|--:|--:|---|--:|--:|\n",
        );
        for row in &self.rows {
            text.push_str(&row.line());
            text.push('\n');
        }
        text.push('\n');
        for note in &self.notes {
            // Writing to a String can't fail.
            let _ = writeln!(text, "- {note}");
        }
        text
    }

    /// How many targets are missed.
    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.verdict().contains("missed")).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rate: f64, rule: Rule) -> Row {
        Row::rates("w", "b".into(), 1000.0, Figures { rate, ..Figures::default() }, rule)
    }

    #[test]
    fn verdicts() {
        assert_eq!(row(1999.0, Rule::AtLeast(2.0, 3.0)).verdict(), "**missed**");
        assert_eq!(row(2000.0, Rule::AtLeast(2.0, 3.0)).verdict(), "met");
        assert_eq!(row(3000.0, Rule::AtLeast(2.0, 3.0)).verdict(), "met, aim too");
        assert_eq!(row(1301.0, Rule::AtMost(1.3, 1.1)).verdict(), "**missed**");
        assert_eq!(row(1100.0, Rule::AtMost(1.3, 1.1)).verdict(), "met, aim too");
        assert_eq!(row(f64::NAN, Rule::AtMost(1.3, 1.1)).verdict(), "**missed**");
    }

    #[test]
    fn a_report_counts_what_is_missed() {
        let rows = vec![row(1.0, Rule::Free), row(1.0, Rule::AtLeast(2.0, 3.0))];
        let report = Report { rows, notes: vec!["note".into()] };
        assert_eq!(report.missed(), 1);
        assert!(report.markdown().contains("| 1,000/s | 1/s | 0.00 | ≥ 2 | 3 | **missed** |"), "{}", report.markdown());
        assert_eq!((thousands(1_234_567.4), thousands(12.0)), ("1,234,567".to_owned(), "12".to_owned()));
    }
}
