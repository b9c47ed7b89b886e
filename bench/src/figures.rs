//! Measurements of one turn, and medians of several turns.

/// Measurements of one turn, or the medians of several. Times are in microseconds.
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
}

/// Sorts the values and returns a quantile, such as the median for a `share` of 0.5. NaN if there are none.
pub(crate) fn quantile(values: &mut [u32], share: f64) -> f64 {
    values.sort_unstable();
    let rank = (values.len() as f64 * share).ceil() as usize;
    values.get(rank.max(1) - 1).copied().map_or(f64::NAN, f64::from)
}

/// Returns the median of each measurement separately. A measurement that one turn lacks is `None`.
pub(crate) fn median(turns: &[Figures]) -> Figures {
    let of = |figure: fn(&Figures) -> f64| median_of(turns.iter().map(figure).collect());
    let maybe = |figure: fn(&Figures) -> Option<f64>| {
        let all: Option<Vec<f64>> = turns.iter().map(figure).collect();
        all.map(median_of)
    };
    Figures {
        rate: of(|turn| turn.rate),
        p50: of(|turn| turn.p50),
        p99: of(|turn| turn.p99),
        server_cpu: maybe(|turn| turn.server_cpu),
        store_cpu: maybe(|turn| turn.store_cpu),
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
        let turn = |rate| Figures { rate, ..Figures::default() };
        assert_eq!(median(&[turn(9.0), turn(1.0), turn(2.0)]).rate as u32, 2);
        assert_eq!(median(&[turn(4.0), turn(2.0)]).rate as u32, 3);
    }
}
