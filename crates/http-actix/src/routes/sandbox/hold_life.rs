//! `/v2/sandbox/hold-life`

use super::common::CARDS;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, Items, TextValue, body, named};
use crate::idempotency::{claim, execute};
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, ok};
use crate::routes::error_sets::{SandboxReadErrors, SandboxSetErrors};
use crate::state::App;
use crate::views::HoldLifeView;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use florin_application::set_hold_life;
use florin_domain::card::{CardSettings, HoldLife, HoldLifeRule, MccRange, MessageKind};
use florin_domain::fault::{Faults, Flaw};
use florin_ports::StoredResponse;
use utoipa::openapi::schema::Object;

body! {
    /// How long new holds last. The body replaces the current setting.
    pub(crate) struct HoldLifeBody as "HoldLifeRequest" {
        /// The life of holds to which no rule applies: an ISO 8601 duration of days, hours, minutes and seconds, from
        /// one second to 365 days. Default: `P7D`.
        #[example("P7D")]
        "default" => default: Option<Life>,
        /// Rules for holds of certain merchant categories or messages. The most specific rule that applies wins.
        "rules" => rules: Option<Items<HoldLifeRuleBody, 0, { HoldLife::MAX_RULES }>>,
    }
}

body! {
    /// The life of the holds that a rule applies to.
    pub(crate) struct HoldLifeRuleBody as "HoldLifeRuleRequest" {
        /// The merchant category (ISO 18245): a code or a range. Default: all categories.
        #[example("7011")]
        "mcc" => mcc: Option<MccRange>,
        /// The `type` of the first message. Default: all types.
        #[example("authorization")]
        "message" => message: Option<HoldingMessage>,
        /// The life: an ISO 8601 duration of days, hours, minutes and seconds, from one second to 365 days.
        #[example("P30D")]
        "life" => life: Life,
    }
}

/// The life of a hold, from one second to 365 days.
#[derive(Clone, Copy)]
pub(crate) struct Life(TimeDelta);

impl TextValue for Life {
    fn parse(text: &str) -> Result<Self, Flaw> {
        HoldLife::parse(text).map(Self)
    }

    fn schema() -> Object {
        <TimeDelta as TextValue>::schema()
    }
}

/// The type of a first message that creates a hold.
#[derive(Clone, Copy)]
pub(crate) struct HoldingMessage(MessageKind);

named! {
    HoldingMessage: HoldLife::MESSAGES.map(HoldingMessage), |message| message.0.as_str();
}

/// Returns how long the holds of an account last. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/hold-life", tag = "Sandbox", operation_id = "getHoldLife",
    security(("apiKey" = [CARDS.scope])),
    params(AccountParameter),
    responses((status = 200, description = "The setting.", body = HoldLifeView), SandboxReadErrors))]
pub(crate) async fn find(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &CARDS).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    ok(&HoldLifeView::from(&app.management.cards.settings(&account.id).await?.hold_life))
}

/// Sets how long the holds of an account last.
///
/// It applies to new holds only: the first message determines the life of a hold. Florin extension.
#[utoipa::path(put, path = "/v2/sandbox/hold-life", tag = "Sandbox", operation_id = "setHoldLife",
    security(("apiKey" = [CARDS.scope])),
    request_body = HoldLifeBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The setting.", body = HoldLifeView), SandboxSetErrors))]
pub(crate) async fn set(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &CARDS).await?.with_body(payload).await?;
    let body = write.read::<HoldLifeBody>()?;
    let hold_life = body.and_then(|body| body.checked(&mut write.call.faults));
    let account = write.account().await?;
    let hold_life = expect_valid(hold_life)?;
    let claim = claim(&write, &account, false, render)?;
    execute(
        claim,
        ("query.accountId", "account"),
        |never| match never {},
        render,
        async |claim| set_hold_life(&app.management, &account, hold_life, claim).await,
    )
    .await
}

impl HoldLifeBody {
    /// Checks the rules together and returns the setting. `None` if a fault was recorded.
    fn checked(self, faults: &mut Faults) -> Option<HoldLife> {
        let default = self.default.map_or(HoldLife::DEFAULT, |life| life.0);
        let rule = |rule: HoldLifeRuleBody| HoldLifeRule {
            mcc: rule.mcc,
            message: rule.message.map(|message| message.0),
            life: rule.life.0,
        };
        let rules = self.rules.into_iter().flat_map(|rules| rules.0).map(rule).collect();
        let checked = HoldLife::checked(default, rules);
        checked.map_err(|found| found.into_iter().for_each(|fault| faults.push(fault))).ok()
    }
}

fn render(settings: &CardSettings) -> StoredResponse {
    answer(StatusCode::OK, &HoldLifeView::from(&settings.hold_life))
}
