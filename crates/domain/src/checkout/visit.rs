//! Visits to the simulated bank.

use super::{BankAnswer, PayerDecision, PayerOutcome};
use crate::fault::Flaw;
use chrono::{DateTime, TimeDelta, Utc};

/// A visit to the simulated bank, by a payer or by a merchant who authorises a refund: its outcome, and the delay of
/// the bank's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankVisit {
    outcome: PayerOutcome,
    delay: TimeDelta,
}

impl BankVisit {
    /// Maximum number of minutes until the bank reports: a week.
    pub const MAX_MINUTES: i64 = 10_080;

    /// Combines an outcome with the number of minutes until the bank reports, 1 by default. For an outcome that the bank
    /// does not report later, the number must be absent.
    pub fn new(outcome: PayerOutcome, after_minutes: Option<i64>) -> Result<Self, Flaw> {
        if after_minutes.is_some() && outcome.delayed().is_none() {
            return Err(Flaw::value(format!("must not be sent with the outcome {}", outcome.as_str())));
        }
        let minutes = after_minutes.unwrap_or(1);
        if !(1..=Self::MAX_MINUTES).contains(&minutes) {
            return Err(Flaw::range(format!("must be between 1 and {}", Self::MAX_MINUTES)));
        }
        Ok(Self { outcome, delay: TimeDelta::minutes(minutes) })
    }

    /// Returns the visitor's decision at the simulated bank at `now`.
    pub fn decision(self, now: DateTime<Utc>) -> PayerDecision {
        match self.outcome {
            PayerOutcome::Leave => PayerDecision::Leave,
            outcome => {
                let report = outcome.report(now, self.delay);
                report.map_or(PayerDecision::Reject, |report| PayerDecision::Approve(BankAnswer::Report(report)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkout::{BankReport, BankReportResult, PaymentFailure};
    use crate::fault::FlawCode;
    use crate::test_support::noon;

    #[test]
    fn only_later_outcomes_have_a_delay() {
        for outcome in PayerOutcome::ALL {
            let is_later = outcome.delayed().is_some();
            assert_eq!(BankVisit::new(outcome, Some(1)).is_ok(), is_later, "{outcome:?}");
            assert!(BankVisit::new(outcome, None).is_ok(), "{outcome:?}");
        }
        for (minutes, good) in [(0, false), (1, true), (10_080, true), (10_081, false), (-1, false), (i64::MIN, false)]
        {
            let visit = BankVisit::new(PayerOutcome::Pending, Some(minutes)).map_err(|flaw| flaw.code);
            assert_eq!(visit.err(), (!good).then_some(FlawCode::OutOfRange), "{minutes}");
        }
    }

    #[test]
    fn a_visit_leads_to_a_decision() {
        let decision = |outcome, after| BankVisit::new(outcome, after).unwrap().decision(noon());
        assert_eq!(decision(PayerOutcome::Reject, None), PayerDecision::Reject);
        assert_eq!(decision(PayerOutcome::Leave, None), PayerDecision::Leave);
        let approved = |at, result| PayerDecision::Approve(BankAnswer::Report(BankReport { at, result }));
        assert_eq!(decision(PayerOutcome::Approve, None), approved(noon(), BankReportResult::Confirmed));
        let later = |minutes| noon() + TimeDelta::minutes(minutes);
        assert_eq!(decision(PayerOutcome::Pending, None), approved(later(1), BankReportResult::Confirmed));
        let timed_out = BankReportResult::Failed(PaymentFailure::TimedOut);
        assert_eq!(decision(PayerOutcome::TimeOut, Some(7)), approved(later(7), timed_out));
    }
}
