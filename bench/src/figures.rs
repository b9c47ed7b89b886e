//! Measurements of one round, and medians of several rounds.

/// Measurements of one round, or the medians of several. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// Requests per second.
    pub(crate) rate: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Processor time of the server per request.
    pub(crate) server_cpu: Option<f64>,
    /// Processor time of the database server per request.
    pub(crate) store_cpu: Option<f64>,
    /// Bytes by which the tables and indexes grew per request.
    pub(crate) stored: Option<f64>,
}

/// Sorts the values and returns a quantile, such as the median for a `share` of 0.5. NaN if there are no values.
pub(crate) fn quantile(values: &mut [u32], share: f64) -> f64 {
    values.sort_unstable();
    let rank = (values.len() as f64 * share).ceil() as usize;
    values.get(rank.max(1) - 1).copied().map_or(f64::NAN, f64::from)
}

/// Returns the median of each measurement separately. A measurement that one round lacks is `None`.
pub(crate) fn median(rounds: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| median_of(rounds.iter().map(figure).collect());
    let maybe = |figure: fn(&Figures) -> Option<f64>| {
        let all: Option<Vec<f64>> = rounds.iter().map(figure).collect();
        all.map(median_of)
    };
    Figures {
        rate: of(|round| round.rate),
        p50: of(|round| round.p50),
        p99: of(|round| round.p99),
        server_cpu: maybe(|round| round.server_cpu),
        store_cpu: maybe(|round| round.store_cpu),
        stored: maybe(|round| round.stored),
    }
}

fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_medians() {
        let mut values: Vec<u32> = (1..=100).rev().collect();
        assert_eq!((quantile(&mut values, 0.5) as u32, quantile(&mut values, 0.99) as u32), (50, 99));
        assert!(quantile(&mut [], 0.5).is_nan());
        let round = |rate| Figures { rate, ..Figures::default() };
        assert_eq!(median(&[round(9.0), round(1.0), round(2.0)]).rate as u32, 2);
        assert_eq!(median(&[round(4.0), round(2.0)]).rate as u32, 3);
    }
}
