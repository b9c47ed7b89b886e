//! Real-time decisions: what the endpoint of an account says about a message, and what the rules read of it.

use super::Response;
use crate::money::{Minor, Money};
use crate::webhook::SendError;

/// What the rules know of the decision of the account's endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consultation {
    /// The account has no endpoint that is enabled: there is nothing to ask.
    #[default]
    Off,
    /// The endpoint must decide, and was not asked yet. A message that passes all local rules before the decision is
    /// refused with a [`DecisionQuestion`](super::DecisionQuestion).
    Due,
    /// The endpoint was asked.
    Heard(Verdict),
}

/// The decision on a message: that of the endpoint, or what the account has chosen for the case that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The endpoint decided.
    Reply(DecisionReply),
    /// The endpoint did not decide.
    Fallback {
        /// What happens instead.
        fallback: Fallback,
        /// Why it did not decide.
        reason: NoReply,
    },
}

/// The decision of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionReply {
    /// Approve the message, as far as the funds suffice.
    Approve,
    /// Decline the message.
    Decline(DecisionCode),
    /// Approve a part: an amount above zero and at most that of the question, in the currency of the message.
    Partial(Money),
}

/// What happens to a message if the endpoint does not decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// It is approved, as far as the funds suffice.
    Approve,
    /// It is declined.
    #[default]
    Decline,
}

impl Fallback {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Approve, Self::Decline];

    /// The name as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "APPROVE",
            Self::Decline => "DECLINE",
        }
    }
}

/// The reasons with which an endpoint declines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DecisionCode {
    /// The funds do not suffice.
    NotSufficientFunds,
    /// The transaction is not permitted. It is the reason if an endpoint gives none.
    #[default]
    NotPermitted,
    /// Fraud is suspected.
    SuspectedFraud,
    /// A limit on amounts is reached.
    AmountLimitReached,
    /// A limit on uses is reached.
    UsageLimitReached,
    /// The message is a duplicate of another one.
    DuplicateEntry,
}

impl DecisionCode {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::NotSufficientFunds,
        Self::NotPermitted,
        Self::SuspectedFraud,
        Self::AmountLimitReached,
        Self::UsageLimitReached,
        Self::DuplicateEntry,
    ];

    /// The response of the declined message.
    pub const fn response(self) -> Response {
        match self {
            Self::NotSufficientFunds => Response::DecisionFunds,
            Self::NotPermitted => Response::DecisionNotPermitted,
            Self::SuspectedFraud => Response::SuspectedFraud,
            Self::AmountLimitReached => Response::DecisionAmountLimit,
            Self::UsageLimitReached => Response::DecisionUsageLimit,
            Self::DuplicateEntry => Response::DecisionDuplicate,
        }
    }

    /// The code, as an endpoint sends it and as it is stored: that of the response.
    pub const fn code(self) -> &'static str {
        self.response().code()
    }

    /// Parses a code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }
}

/// The reason that an endpoint did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoReply {
    /// No HTTP response arrived.
    Send(SendError),
    /// The status of the response is no success. Redirects are not followed.
    BadStatus,
    /// The response is not a decision on the message.
    BadAnswer,
    /// The response is larger than allowed.
    TooLarge,
    /// The connection was lost within the response.
    EndedEarly,
    /// Too many messages of the account wait for a decision.
    TooMany,
}

impl NoReply {
    /// All reasons.
    pub const ALL: [Self; 11] = [
        Self::Send(SendError::Timeout),
        Self::Send(SendError::DnsFailed),
        Self::Send(SendError::ConnectionFailed),
        Self::Send(SendError::TlsFailed),
        Self::Send(SendError::InvalidResponse),
        Self::Send(SendError::TargetNotAllowed),
        Self::BadStatus,
        Self::BadAnswer,
        Self::TooLarge,
        Self::EndedEarly,
        Self::TooMany,
    ];

    /// The reason as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Send(error) => error.as_str(),
            Self::BadStatus => "bad_status",
            Self::BadAnswer => "bad_answer",
            Self::TooLarge => "too_large",
            Self::EndedEarly => "ended_early",
            Self::TooMany => "too_many",
        }
    }
}

/// The rule of a decision: what was decided, and whether the message can be approved in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionSeen {
    /// The decision.
    pub verdict: Verdict,
    /// Whether a part of the amount can be approved.
    pub allows_partial: bool,
}

impl DecisionSeen {
    /// The code with which the message is declined; `None` if the decision lets it pass. A part that cannot be approved
    /// is a decline: approving all of it is more than the endpoint allowed.
    pub fn declines_with(&self) -> Option<DecisionCode> {
        match self.verdict {
            Verdict::Reply(DecisionReply::Approve) | Verdict::Fallback { fallback: Fallback::Approve, .. } => None,
            Verdict::Reply(DecisionReply::Partial(_)) if self.allows_partial => None,
            Verdict::Reply(DecisionReply::Decline(code)) => Some(code),
            Verdict::Reply(DecisionReply::Partial(_)) | Verdict::Fallback { fallback: Fallback::Decline, .. } => {
                Some(DecisionCode::default())
            }
        }
    }

    /// The part that is approved, in the currency of the message; `None` for all of it.
    pub fn part(&self) -> Option<Minor> {
        match self.verdict {
            Verdict::Reply(DecisionReply::Partial(part)) if self.allows_partial => Some(part.minor),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::minor;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct() {
        let reasons: BTreeSet<_> = NoReply::ALL.map(NoReply::as_str).into();
        assert_eq!(reasons.len(), NoReply::ALL.len());
        let codes = DecisionCode::ALL.map(DecisionCode::code);
        assert_eq!(codes, ["1884", "1885", "1886", "1887", "1888", "1889"]);
        assert!(DecisionCode::ALL.iter().all(|code| DecisionCode::parse(code.code()) == Some(*code)));
        assert_eq!((DecisionCode::parse("1883"), DecisionCode::default().code()), (None, "1885"));
    }

    #[test]
    fn a_part_that_cannot_be_approved_declines() {
        let gbp = crate::money::Currency::parse("GBP").unwrap();
        let verdict = Verdict::Reply(DecisionReply::Partial(minor("1.00 GBP").of(gbp)));
        let seen = |allows_partial| DecisionSeen { verdict, allows_partial };
        assert_eq!((seen(true).declines_with(), seen(true).part()), (None, Some(minor("1.00 GBP"))));
        assert_eq!((seen(false).declines_with(), seen(false).part()), (Some(DecisionCode::NotPermitted), None));
    }

    #[test]
    fn a_fallback_is_what_the_account_chose() {
        let seen = |fallback| {
            let reason = NoReply::Send(SendError::Timeout);
            DecisionSeen { verdict: Verdict::Fallback { fallback, reason }, allows_partial: true }
        };
        assert_eq!(seen(Fallback::Approve).declines_with(), None);
        assert_eq!(seen(Fallback::Decline).declines_with(), Some(DecisionCode::NotPermitted));
    }
}
