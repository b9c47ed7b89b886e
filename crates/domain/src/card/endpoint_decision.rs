//! Real-time decisions: the verdict of an account's decision endpoint on a message, and what the rules read of it.
//!
//! Sources:
//! - The endpoint decides between the network's request and its response, as in Marqeta's Gateway JIT Funding.
//!   <https://www.marqeta.com/docs/developer-guides/gateway-jit-funding-scenarios>

use super::Response;
use crate::money::{Minor, Money};
use crate::webhook::SendError;

/// The state of the decision of the account's endpoint when the rules run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndpointDecision {
    /// The account has no enabled endpoint, so nothing is asked.
    #[default]
    Off,
    /// The endpoint must be asked first. A message that takes funds and passes the rules before the rule `decision` is
    /// refused with a [`DecisionQuestion`](super::DecisionQuestion).
    Due,
    /// A verdict exists: the endpoint replied, or the fallback applies.
    Decided(Verdict),
}

/// The verdict on a message: the reply of the endpoint, or the fallback that the account has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The endpoint decided.
    Reply(DecisionReply),
    /// The endpoint did not decide.
    Fallback {
        /// The outcome of the message instead.
        fallback: Fallback,
        /// The reason that the endpoint did not decide.
        reason: NoDecision,
    },
}

/// The reply of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionReply {
    /// Approve the message. The funds are still checked.
    Approve,
    /// Decline the message.
    Decline(DecisionCode),
    /// Approve this amount: above zero and at most the amount of the question, in the currency of the message.
    Partial(Money),
}

/// The outcome of a message on which the endpoint does not decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// The message is approved. The funds are still checked.
    Approve,
    /// The message is declined.
    #[default]
    Decline,
}

impl Fallback {
    /// Both fallbacks.
    pub const ALL: [Self; 2] = [Self::Approve, Self::Decline];

    /// The name as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "APPROVE",
            Self::Decline => "DECLINE",
        }
    }
}

/// The reason for which an endpoint declines a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DecisionCode {
    /// The funds are insufficient.
    NotSufficientFunds,
    /// The transaction is not permitted. This is the default if the endpoint gives no reason.
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

    /// The code as endpoints send it and as it is stored. It equals the code of the response.
    pub const fn code(self) -> &'static str {
        self.response().code()
    }

    /// Parses a code. `None` if it is unknown.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }
}

/// The reason that an endpoint did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoDecision {
    /// No HTTP response arrived.
    Send(SendError),
    /// The status of the response is not 2xx. Redirects are not followed.
    BadStatus,
    /// The reply is not a valid decision on the question. The API calls it `bad_answer`.
    BadReply,
    /// The response is larger than allowed.
    TooLarge,
    /// The connection was lost before the response was complete.
    EndedEarly,
    /// Too many messages of the account, or of all accounts, are already waiting for a decision.
    TooMany,
}

impl NoDecision {
    /// All reasons.
    pub const ALL: [Self; 11] = [
        Self::Send(SendError::Timeout),
        Self::Send(SendError::DnsFailed),
        Self::Send(SendError::ConnectionFailed),
        Self::Send(SendError::TlsFailed),
        Self::Send(SendError::InvalidResponse),
        Self::Send(SendError::TargetNotAllowed),
        Self::BadStatus,
        Self::BadReply,
        Self::TooLarge,
        Self::EndedEarly,
        Self::TooMany,
    ];

    /// The reason as stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Send(error) => error.as_str(),
            Self::BadStatus => "bad_status",
            Self::BadReply => "bad_answer",
            Self::TooLarge => "too_large",
            Self::EndedEarly => "ended_early",
            Self::TooMany => "too_many",
        }
    }
}

/// The input of the rule `decision`: the verdict, and whether the message can be approved in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionCheck {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether a partial amount can be approved.
    pub allows_partial: bool,
}

impl DecisionCheck {
    /// Returns the code with which the message is declined, or `None` if the verdict lets it pass. A partial approval
    /// declines a message that cannot be approved in part, because the full amount is more than the endpoint allowed.
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

    /// Returns the amount of a partial approval, in the currency of the message. `None` for any other verdict, and if
    /// the message cannot be approved in part.
    pub fn approved_partial_amount(&self) -> Option<Minor> {
        match self.verdict {
            Verdict::Reply(DecisionReply::Partial(amount)) if self.allows_partial => Some(amount.minor),
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
        let reasons: BTreeSet<_> = NoDecision::ALL.map(NoDecision::as_str).into();
        assert_eq!(reasons.len(), NoDecision::ALL.len());
        let codes = DecisionCode::ALL.map(DecisionCode::code);
        assert_eq!(codes, ["1884", "1885", "1886", "1887", "1888", "1889"]);
        assert!(DecisionCode::ALL.iter().all(|code| DecisionCode::parse(code.code()) == Some(*code)));
        assert_eq!((DecisionCode::parse("1883"), DecisionCode::default().code()), (None, "1885"));
    }

    #[test]
    fn a_partial_approval_declines_a_message_that_cannot_be_approved_in_part() {
        let gbp = crate::money::Currency::parse("GBP").unwrap();
        let verdict = Verdict::Reply(DecisionReply::Partial(minor("1.00 GBP").of(gbp)));
        let check = |allows_partial| DecisionCheck { verdict, allows_partial };
        assert_eq!(
            (check(true).declines_with(), check(true).approved_partial_amount()),
            (None, Some(minor("1.00 GBP")))
        );
        assert_eq!(
            (check(false).declines_with(), check(false).approved_partial_amount()),
            (Some(DecisionCode::NotPermitted), None)
        );
    }

    #[test]
    fn a_fallback_approves_or_declines() {
        let check = |fallback| {
            let reason = NoDecision::Send(SendError::Timeout);
            DecisionCheck { verdict: Verdict::Fallback { fallback, reason }, allows_partial: true }
        };
        assert_eq!(check(Fallback::Approve).declines_with(), None);
        assert_eq!(check(Fallback::Decline).declines_with(), Some(DecisionCode::NotPermitted));
    }
}
