//! Explanations of declines in responses.

use super::Amount;
use super::decision::DecisionView;
use florin_domain::card::{ControlCheck, DeclineExplanation, LimitCheck, Rule};
use florin_domain::money::{Currency, Minor};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a message was declined: the rules that were checked, in order. The last rule failed; later rules were not
/// checked.
#[derive(Serialize, ToSchema)]
#[schema(as = CardDeclineExplanation)]
pub(super) struct DeclineView {
    /// The response code of the decline.
    code: &'static str,
    /// The checked rules, in order.
    rules: Vec<RuleView>,
}

/// A rule, with the values that it compared. Amounts are in the card's currency.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = CardRule)]
#[serde(rename_all = "camelCase")]
struct RuleView {
    /// The name of the rule.
    #[schema(pattern = "^(forced|card_activated|card_in_use|card_not_suspended|card_not_expired|\
            cardholder_active|pin|security_code|wallet_token|three_d_secure|controls|transaction_limit|\
            spending_limit|decision|available_balance)$")]
    rule: &'static str,
    /// Whether the rule passed.
    passed: bool,
    /// The response code that the caller forced. Only with `forced`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    code: Option<&'static str>,
    /// The state of the card. Only with `card_activated`, `card_in_use` and `card_not_suspended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    card_state: Option<&'static str>,
    /// The last day on which the card is valid. Only with `card_not_expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    expires_on: Option<String>,
    /// The date of the message, in UTC. Only with `card_not_expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    today: Option<String>,
    /// The status of the person who owns the card. Only with `cardholder_active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(active|inactive)$")]
    person_status: Option<&'static str>,
    /// The state of the digital wallet's token. Only with `wallet_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(REQUESTED|ACTIVE|SUSPENDED|TERMINATED)$")]
    token_state: Option<&'static str>,
    /// The outcome of 3-D Secure. Only with `three_d_secure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    outcome: Option<&'static str>,
    /// The name of the control. Only with `controls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = "^(blockedMccs|allowedMccs|blockedMerchants|allowedMerchants|blockedCountries|\
            allowedCountries|allowedEntryModes)$"
    )]
    control: Option<&'static str>,
    /// Whether the control belongs to the card or to the budget. Only with `controls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(card|budget)$")]
    owner: Option<&'static str>,
    /// The value of the message that the control was compared with; absent if the message has none. Only with
    /// `controls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value: Option<String>,
    /// The window of the limit. Only with `transaction_limit` and `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^(TRANSACTION|DAY|WEEK|MONTH|LIFETIME)$")]
    limit_window: Option<&'static str>,
    /// The first day of the window. Only with `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Date)]
    window_start: Option<String>,
    /// Maximum amount per window. Only with `transaction_limit` and `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    limit_amount: Option<Amount>,
    /// The amount spent in the window. Only with `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    spent_amount: Option<Amount>,
    /// Maximum number of uses per window; absent if unlimited. Only with `transaction_limit` and `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    usage_limit: Option<u32>,
    /// The number of uses in the window. Only with `spending_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    uses: Option<u32>,
    /// The available balance of the budget. Only with `available_balance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    available_balance: Option<Amount>,
    /// The requested amount. Only with `transaction_limit`, `spending_limit` and `available_balance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, nullable = false)]
    wanted_amount: Option<Amount>,
    /// The decision of the account's endpoint, or its fallback. Only with `decision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    decision: Option<DecisionView>,
}

impl DeclineView {
    pub(super) fn of(declined: &DeclineExplanation, currency: Currency) -> Self {
        let rule = |(rule, passed): (&Rule, bool)| RuleView { passed, ..RuleView::of(rule, currency) };
        Self { code: declined.failed.response().code(), rules: declined.rules().map(rule).collect() }
    }
}

impl RuleView {
    fn of(rule: &Rule, currency: Currency) -> Self {
        let money = |minor: Minor| Some(Amount(minor.of(currency)));
        let view = Self { rule: rule.name(), ..Self::default() };
        match rule {
            Rule::Forced { code } => Self { code: Some(code.code()), ..view },
            Rule::CardActivated { state } | Rule::CardInUse { state } | Rule::CardNotSuspended { state } => {
                Self { card_state: Some(state.as_str()), ..view }
            }
            Rule::CardNotExpired { expires_on, today } => {
                Self { expires_on: Some(expires_on.to_string()), today: Some(today.to_string()), ..view }
            }
            Rule::CardholderActive { status } => Self { person_status: Some(status.as_str()), ..view },
            Rule::Pin { .. } | Rule::SecurityCode { .. } => view,
            Rule::WalletToken { state } => Self { token_state: Some(state.as_str()), ..view },
            Rule::ThreeDSecure { outcome } => Self { outcome: Some(outcome.as_str()), ..view },
            Rule::Controls(ControlCheck { control, owner, value, .. }) => {
                let (control, owner) = (Some(control.as_str()), Some(owner.as_str()));
                Self { control, owner, value: value.clone(), ..view }
            }
            Rule::TransactionLimit(LimitCheck { window, amount, max_uses, requested, .. }) => Self {
                limit_window: Some(window.as_str()),
                limit_amount: money(*amount),
                usage_limit: *max_uses,
                wanted_amount: money(*requested),
                ..view
            },
            Rule::SpendingLimit(LimitCheck { window, window_start, amount, spent, max_uses, uses, requested }) => {
                Self {
                    limit_window: Some(window.as_str()),
                    window_start: Some(window_start.to_string()),
                    limit_amount: money(*amount),
                    spent_amount: money(*spent),
                    usage_limit: *max_uses,
                    uses: Some(*uses),
                    wanted_amount: money(*requested),
                    ..view
                }
            }
            Rule::Decision(check) => Self { decision: Some(DecisionView::from(check)), ..view },
            Rule::AvailableBalance { available, requested } => {
                Self { available_balance: money(*available), wanted_amount: money(*requested), ..view }
            }
        }
    }
}
