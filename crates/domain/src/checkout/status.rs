//! The statuses of a session, and the steps between them.

/// The status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionStatus {
    /// The payer can pay.
    Open,
    /// The payer approved a payment, and the bank has not confirmed it.
    Processing,
    /// The bank confirmed the payment.
    Completed,
    /// The merchant or the payer cancelled the session.
    Cancelled,
    /// The session expired after the payer had begun.
    Abandoned,
    /// The session expired before the payer began.
    Expired,
}

/// A step of a session. [`SessionStatus::after`] returns its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionStep {
    /// The payer sends a form of the page other than a cancellation, which begins the session.
    Begin,
    /// The payer chooses a bank and is redirected to it.
    ChooseBank,
    /// The payer approves the payment at the bank.
    Approve,
    /// The payer rejects the payment at the bank, or leaves.
    Reject,
    /// The bank confirms the approved payment.
    Confirm,
    /// The approved payment fails at the bank.
    Fail,
    /// The merchant cancels the session.
    MerchantCancels,
    /// The payer cancels the session on the page.
    PayerCancels,
    /// The session reaches its expiry.
    RunOut,
}

/// The effect of a step on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEffect {
    /// The session then has this status, which may be the same as before.
    Becomes(SessionStatus),
    /// The step has no effect, because another step came first.
    Nothing,
    /// The step is refused.
    Refused,
}

impl SessionStatus {
    /// All statuses.
    pub const ALL: [Self; 6] =
        [Self::Open, Self::Processing, Self::Completed, Self::Cancelled, Self::Abandoned, Self::Expired];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Processing => "PROCESSING",
            Self::Completed => "COMPLETED",
            Self::Cancelled => "CANCELLED",
            Self::Abandoned => "ABANDONED",
            Self::Expired => "EXPIRED",
        }
    }

    /// Returns whether the status is final.
    pub const fn is_end(self) -> bool {
        !matches!(self, Self::Open | Self::Processing)
    }

    /// The transition table: returns the effect of a step on a session with this status. `has_begun`: the payer has
    /// begun the session. `is_over`: the session has reached its expiry.
    pub const fn after(self, step: SessionStep, has_begun: bool, is_over: bool) -> StepEffect {
        use SessionStep::{Approve, Begin, ChooseBank, Confirm, Fail, MerchantCancels, PayerCancels, Reject, RunOut};
        use StepEffect::{Becomes, Nothing, Refused};
        match (self, step) {
            (Self::Processing, Fail) if is_over => Becomes(Self::Abandoned),
            (Self::Open, Begin | ChooseBank | Reject) | (Self::Processing, Fail) => Becomes(Self::Open),
            (Self::Open, Approve) => Becomes(Self::Processing),
            (Self::Open, MerchantCancels | PayerCancels) => Becomes(Self::Cancelled),
            (Self::Open, RunOut) if has_begun => Becomes(Self::Abandoned),
            (Self::Open, RunOut) => Becomes(Self::Expired),
            (Self::Processing, Confirm) => Becomes(Self::Completed),
            (
                Self::Processing | Self::Completed | Self::Cancelled | Self::Abandoned | Self::Expired,
                MerchantCancels,
            ) => Refused,
            (Self::Open, Confirm | Fail)
            | (Self::Processing, Begin | ChooseBank | Approve | Reject | PayerCancels | RunOut)
            | (Self::Completed | Self::Cancelled | Self::Abandoned | Self::Expired, _) => Nothing,
        }
    }
}

impl SessionStep {
    /// All steps, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Begin,
        Self::ChooseBank,
        Self::Approve,
        Self::Reject,
        Self::Confirm,
        Self::Fail,
        Self::MerchantCancels,
        Self::PayerCancels,
        Self::RunOut,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document with the table.
    const DOCUMENT: &str = include_str!("../../../../docs/MERCHANT.md");
    const STEPS: [&str; 9] = [
        "the payer presses a button on the page",
        "the payer chooses a bank",
        "the payer approves at the bank",
        "the payer rejects or leaves at the bank",
        "the bank confirms",
        "the payment fails at the bank",
        "the merchant cancels",
        "the payer cancels",
        "`expiresAt` passes",
    ];

    fn cell(status: SessionStatus, step: SessionStep) -> String {
        let name = |effect| match effect {
            StepEffect::Becomes(next) => next.as_str(),
            StepEffect::Nothing => "–",
            StepEffect::Refused => "409",
        };
        let after = |begun, over| name(status.after(step, begun, over));
        match step {
            SessionStep::RunOut if after(true, true) != after(false, true) => {
                format!("{}; {} if the payer has begun", after(false, true), after(true, true))
            }
            SessionStep::Fail if after(true, true) != after(true, false) => {
                format!("{}; {} after `expiresAt`", after(true, false), after(true, true))
            }
            _ => after(true, true).to_owned(),
        }
    }

    /// The contract's table. Each row is an event with its effects on four kinds of sessions: OPEN and never opened by
    /// the payer, OPEN and opened by the payer, PROCESSING, and ended.
    const TABLE: [[&str; 5]; 9] = [
        ["the payer opens the page", "OPEN", "OPEN", "–", "–"],
        ["the payer chooses a bank", "OPEN", "OPEN", "–", "–"],
        ["the payer approves at the bank", "PROCESSING", "PROCESSING", "–", "–"],
        ["the payer rejects or leaves at the bank", "OPEN", "OPEN", "–", "–"],
        ["the bank confirms", "–", "–", "COMPLETED", "–"],
        ["the bank rejects, or times out", "–", "–", "OPEN; ABANDONED after `expiresAt`", "–"],
        ["the merchant cancels", "CANCELLED", "CANCELLED", "409", "409"],
        ["the payer cancels on the page", "CANCELLED", "CANCELLED", "–", "–"],
        ["`expiresAt` passes", "EXPIRED", "ABANDONED", "–", "–"],
    ];
    const ENDS: [SessionStatus; 4] =
        [SessionStatus::Completed, SessionStatus::Cancelled, SessionStatus::Abandoned, SessionStatus::Expired];

    /// Returns the effect of a step according to the code, in the words of the table.
    fn effect(status: SessionStatus, step: SessionStep, has_begun: bool) -> String {
        let name = |is_over| match status.after(step, has_begun, is_over) {
            StepEffect::Becomes(next) => next.as_str(),
            StepEffect::Nothing => "–",
            StepEffect::Refused => "409",
        };
        match (name(false), name(true)) {
            (before, after) if before == after => before.to_owned(),
            (before, after) => format!("{before}; {after} after `expiresAt`"),
        }
    }

    /// Compares every pair of event and state with the contract's table, and prints the table of the code.
    #[test]
    #[allow(clippy::print_stderr, reason = "shows what was compared")]
    fn all_36_pairs_of_event_and_state_are_as_the_contract_says() {
        let mut pairs = 0;
        for (step, [event, expected @ ..]) in SessionStep::ALL.into_iter().zip(TABLE) {
            let of_ends = ENDS.map(|end| [false, true].map(|begun| effect(end, step, begun)));
            assert!(of_ends.iter().flatten().all(|of_end| *of_end == of_ends[0][0]), "{event}: {of_ends:?}");
            let processing = [false, true].map(|begun| effect(SessionStatus::Processing, step, begun));
            assert_eq!(processing[0], processing[1], "{event}");
            let [open, opened] = [false, true].map(|begun| effect(SessionStatus::Open, step, begun));
            let row = [&open, &opened, &processing[0], &of_ends[0][0]];
            eprintln!("{event}: {row:?}");
            assert_eq!(row, expected, "{event}");
            pairs += row.len();
        }
        eprintln!("{pairs} of 36 pairs are equal");
        assert_eq!(pairs, 36);
    }

    #[test]
    fn the_code_follows_the_documented_table() {
        for (step, text) in SessionStep::ALL.into_iter().zip(STEPS) {
            let of_end = cell(ENDS[0], step);
            assert!(ENDS.iter().all(|end| cell(*end, step) == of_end), "{step:?}");
            let (open, processing) = (cell(SessionStatus::Open, step), cell(SessionStatus::Processing, step));
            let row = format!("| {text} | {open} | {processing} | {of_end} |");
            assert!(DOCUMENT.contains(&row), "docs/MERCHANT.md lacks: {row}");
        }
    }
}
