//! Response codes of card messages.

/// The response to a card message (contract 5.3; extensions: 5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// The message passed all rules.
    Approved,
    /// The account check passed all rules.
    AccountVerified,
    /// The card is not active yet or no longer in use, or the token of the digital wallet is not active.
    CardNotActive,
    /// The card is suspended.
    CardSuspended,
    /// The card's expiry date has passed.
    CardExpired,
    /// A limit of the card is reached.
    UsageLimitReached,
    /// The budget lacks funds.
    NotSufficientFunds,
    /// A partial amount is approved: the available balance, or the amount that the decision endpoint allowed.
    PartiallyApproved,
    /// The card was stolen. No rule gives this response; a caller of the sandbox can force it.
    CardStolen,
    /// The card was lost. No rule gives this response; a caller of the sandbox can force it.
    CardLost,
    /// The PIN was wrong.
    IncorrectPin,
    /// The person who owns the card is not active.
    CardholderNotActive,
    /// The security code was wrong.
    IncorrectSecurityCode,
    /// 3-D Secure failed, or the decision endpoint suspects fraud.
    SuspectedFraud,
    /// A control does not allow the merchant or its category.
    MerchantNotAllowed,
    /// A control does not allow the country.
    CountryNotAllowed,
    /// A control does not allow the entry mode.
    EntryModeNotAllowed,
    /// The decision endpoint declined: the funds are insufficient.
    DecisionFunds,
    /// The decision endpoint declined: the transaction is not permitted.
    DecisionNotPermitted,
    /// The decision endpoint declined: a limit on amounts is reached.
    DecisionAmountLimit,
    /// The decision endpoint declined: a limit on uses is reached.
    DecisionUsageLimit,
    /// The decision endpoint declined: the message is a duplicate.
    DecisionDuplicate,
}

impl Response {
    /// All responses, the three approvals first.
    pub const ALL: [Self; 22] = [
        Self::Approved,
        Self::AccountVerified,
        Self::PartiallyApproved,
        Self::CardNotActive,
        Self::CardSuspended,
        Self::CardExpired,
        Self::UsageLimitReached,
        Self::NotSufficientFunds,
        Self::CardStolen,
        Self::CardLost,
        Self::IncorrectPin,
        Self::CardholderNotActive,
        Self::IncorrectSecurityCode,
        Self::SuspectedFraud,
        Self::MerchantNotAllowed,
        Self::CountryNotAllowed,
        Self::EntryModeNotAllowed,
        Self::DecisionFunds,
        Self::DecisionNotPermitted,
        Self::DecisionAmountLimit,
        Self::DecisionUsageLimit,
        Self::DecisionDuplicate,
    ];

    /// The declines, which a caller of the sandbox can force.
    pub const DECLINES: [Self; 19] = {
        let [_, _, _, declines @ ..] = Self::ALL;
        declines
    };

    /// The response code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Approved => "0000",
            Self::AccountVerified => "1830",
            Self::CardNotActive => "1806",
            Self::CardSuspended => "1003",
            Self::CardExpired => "1001",
            Self::UsageLimitReached => "1817",
            Self::NotSufficientFunds => "1016",
            Self::PartiallyApproved => "0002",
            Self::CardStolen => "1004",
            Self::CardLost => "1005",
            Self::IncorrectPin => "1809",
            Self::CardholderNotActive => "1813",
            Self::IncorrectSecurityCode => "1825",
            Self::SuspectedFraud => "1886",
            Self::MerchantNotAllowed => "1821",
            Self::CountryNotAllowed => "1864",
            Self::EntryModeNotAllowed => "1831",
            Self::DecisionFunds => "1884",
            Self::DecisionNotPermitted => "1885",
            Self::DecisionAmountLimit => "1887",
            Self::DecisionUsageLimit => "1888",
            Self::DecisionDuplicate => "1889",
        }
    }

    /// The memo: a short text that describes the response.
    pub const fn memo(self) -> &'static str {
        match self {
            Self::Approved => "Approved or completed successfully",
            Self::AccountVerified => "Card account verification success",
            Self::CardNotActive => "Card not active",
            Self::CardSuspended => "Card suspended",
            Self::CardExpired => "Card expired",
            Self::UsageLimitReached => "Usage limit reached",
            Self::NotSufficientFunds => "Not sufficient funds",
            Self::PartiallyApproved => "Partially approved",
            Self::CardStolen => "Card stolen",
            Self::CardLost => "Card lost",
            Self::IncorrectPin => "Incorrect PIN",
            Self::CardholderNotActive => "Cardholder not active",
            Self::IncorrectSecurityCode => "Incorrect security code",
            Self::SuspectedFraud => "Suspected fraud",
            Self::MerchantNotAllowed => "Merchant not allowed",
            Self::CountryNotAllowed => "Country not allowed",
            Self::EntryModeNotAllowed => "Entry mode not allowed",
            Self::DecisionFunds => "Real-time decision: not sufficient funds",
            Self::DecisionNotPermitted => "Real-time decision: transaction not permitted",
            Self::DecisionAmountLimit => "Real-time decision: amount limit reached",
            Self::DecisionUsageLimit => "Real-time decision: usage limit reached",
            Self::DecisionDuplicate => "Real-time decision: duplicate entry",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvals_are_not_declines() {
        for approval in [Response::Approved, Response::AccountVerified, Response::PartiallyApproved] {
            assert!(!Response::DECLINES.contains(&approval), "{approval:?}");
        }
    }
}
