//! ISO 8601 durations in days, hours, minutes and seconds.

use crate::fault::Flaw;
use chrono::TimeDelta;

/// Maximum duration in seconds: a hundred years of 366 days.
const MAX: i64 = 100 * 366 * 24 * 3600;

/// Parses a duration such as `P7D`, `PT90S` or `P1DT2H30M`.
///
/// A duration consists of whole numbers of days, hours, minutes and seconds, in this order. It is above zero and at
/// most a hundred years. Months and years are not accepted, because they have no fixed length.
pub fn parse_duration(text: &str) -> Result<TimeDelta, Flaw> {
    let wrong =
        || Flaw::format("must be an ISO 8601 duration in days, hours, minutes and seconds, such as P7D or PT1H30M");
    let rest = text.strip_prefix('P').ok_or_else(wrong)?;
    let (days, clock) = match rest.split_once('T') {
        Some((_, "")) => return Err(wrong()),
        Some((days, clock)) => (days, clock),
        None => (rest, ""),
    };
    let parts = [units(days, &[('D', 86_400)]), units(clock, &[('H', 3600), ('M', 60), ('S', 1)])];
    let [Some(days), Some(clock)] = parts else { return Err(wrong()) };
    if rest.is_empty() {
        return Err(wrong());
    }
    let seconds = days.checked_add(clock).filter(|seconds| (1..=MAX).contains(seconds));
    let seconds = seconds.ok_or_else(|| Flaw::range("must be from 1 second to 36600 days"))?;
    TimeDelta::try_seconds(seconds).ok_or_else(wrong)
}

/// Formats a duration for [`parse_duration`]: `P1DT2H30M`. Fractions of a second are truncated.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::world::format_duration;
///
/// assert_eq!(format_duration(TimeDelta::hours(26)), "P1DT2H");
/// ```
pub fn format_duration(duration: TimeDelta) -> String {
    let seconds = duration.num_seconds().max(0);
    let parts = [(seconds / 86_400, "D"), (seconds / 3600 % 24, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")];
    let written = parts.map(|(number, unit)| if number == 0 { String::new() } else { format!("{number}{unit}") });
    match (written[0].as_str(), written[1..].concat()) {
        ("", clock) if clock.is_empty() => "PT0S".to_owned(),
        (days, clock) if clock.is_empty() => format!("P{days}"),
        (days, clock) => format!("P{days}T{clock}"),
    }
}

/// Adds up numbers with units, in seconds. Each unit occurs at most once, in the given order. The sum saturates.
/// `None`: the text has another form.
fn units(mut text: &str, units: &[(char, i64)]) -> Option<i64> {
    let mut seconds = 0_i64;
    for (unit, seconds_per_unit) in units {
        let Some((number, rest)) = text.split_once(*unit) else { continue };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let number = number.parse::<i64>().unwrap_or(i64::MAX);
        seconds = seconds.saturating_add(number.saturating_mul(*seconds_per_unit));
        text = rest;
    }
    text.is_empty().then_some(seconds)
}
