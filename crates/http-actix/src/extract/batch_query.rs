//! Query parameters of payment batches: lists of values, times, directions.

use crate::extract::query::{Query, find};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use florin_domain::batch::Direction;
use florin_domain::fault::{Faults, Flaw};

/// Values between commas; none where the parameter was not sent.
pub(crate) fn values<T>(
    query: &Query,
    name: &str,
    faults: &mut Faults,
    read: impl Fn(&str) -> Result<T, Flaw>,
) -> Vec<T> {
    let sent = query.one(name).and_then(|text| text.into_iter().flat_map(|text| text.split(',')).map(read).collect());
    faults.take(&format!("query.{name}"), sent).unwrap_or_default()
}

/// Names of an enum's values between commas.
pub(crate) fn names<T: Copy>(
    query: &Query,
    name: &str,
    faults: &mut Faults,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Vec<T> {
    values(query, name, faults, |text| find(text, all, as_str))
}

/// Which way a list runs: `sort`.
pub(crate) fn direction(query: &Query, faults: &mut Faults) -> Direction {
    let sent = query.one_of("sort", &Direction::ALL, Direction::as_str);
    faults.take("query.sort", sent).flatten().unwrap_or_default()
}

/// The start of a second.
pub(crate) fn from(query: &Query, name: &str, faults: &mut Faults) -> Option<DateTime<Utc>> {
    let sent = query.one(name).and_then(|text| text.map(second).transpose());
    faults.take(&format!("query.{name}"), sent).flatten()
}

/// The end of a second: times are shown in whole ones, and the one that is named belongs to what is wanted.
pub(crate) fn to(query: &Query, name: &str, faults: &mut Faults) -> Option<DateTime<Utc>> {
    from(query, name, faults).map(|time| time + TimeDelta::microseconds(999_999))
}

/// `2026-09-01T12:00:00Z`
fn second(text: &str) -> Result<DateTime<Utc>, Flaw> {
    let wrong = || Flaw::format("A time such as 2026-09-01T12:00:00Z is wanted.");
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ").map_err(|_| wrong())?;
    // The parser takes signs, spaces and short numbers, too.
    if time.format("%Y-%m-%dT%H:%M:%SZ").to_string() == text && text.len() == 20 {
        Ok(time.and_utc())
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::batch::PaymentStatus;
    use florin_domain::fault::FlawCode;

    fn faults_of(text: &str) -> Vec<(String, FlawCode)> {
        let (query, mut faults) = (Query::parse(text), Faults::default());
        names(&query, "statuses", &mut faults, &PaymentStatus::ALL, PaymentStatus::as_str);
        direction(&query, &mut faults);
        query.flag("includeHidden", &mut faults);
        from(&query, "from", &mut faults);
        to(&query, "to", &mut faults);
        faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect()
    }

    #[test]
    fn good_values() {
        let (query, mut faults) = (Query::parse("s=created,failed&t=2026-09-01T12:00:00Z"), Faults::default());
        let found = names(&query, "s", &mut faults, &PaymentStatus::ALL, PaymentStatus::as_str);
        assert_eq!(found, [PaymentStatus::Created, PaymentStatus::Failed]);
        let (from, to) = (from(&query, "t", &mut faults).unwrap(), to(&query, "t", &mut faults).unwrap());
        assert_eq!(
            (from.to_rfc3339(), to - from),
            ("2026-09-01T12:00:00+00:00".into(), TimeDelta::microseconds(999_999))
        );
        assert_eq!(direction(&query, &mut faults), Direction::Descending);
        assert!(faults.is_empty());
    }

    #[test]
    fn bad_values() {
        for (query, path, code) in [
            ("statuses=Created", "query.statuses", FlawCode::InvalidValue),
            ("statuses=created,", "query.statuses", FlawCode::InvalidValue),
            ("statuses=", "query.statuses", FlawCode::Required),
            ("sort=ASC", "query.sort", FlawCode::InvalidValue),
            ("includeHidden=1", "query.includeHidden", FlawCode::InvalidValue),
            ("from=2026-09-01", "query.from", FlawCode::InvalidFormat),
            ("from=2026-9-01T12:00:00Z", "query.from", FlawCode::InvalidFormat),
            ("to=2026-02-30T12:00:00Z", "query.to", FlawCode::InvalidFormat),
            ("to=%2B2026-02-03T12:00:00Z", "query.to", FlawCode::InvalidFormat),
            ("to=2026-02-03T12:00:00%2B00:00", "query.to", FlawCode::InvalidFormat),
            ("sort=asc&sort=asc", "query.sort", FlawCode::DuplicateParameter),
        ] {
            assert_eq!(faults_of(query), [(path.to_owned(), code)], "{query}");
        }
    }
}
