//! `POST /v2/sandbox/checkout-sessions/{checkoutSessionId}/pay`

use super::common::MERCHANTS;
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, WholeNumber, body};
use crate::dry_run::execute;
use crate::idempotency::claim;
use crate::mapping::session_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::PaySessionErrors;
use crate::routes::merchant::{SESSION, SessionPath, ShippingBody, session_view};
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::{DryRunView, PaidSession};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{act_on_session, find_session};
use florin_domain::checkout::{BankChoice, BankVisit, CheckoutSession, PayerOutcome, SessionAction, SessionRefusal};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::merchant::BankId;

body! {
    /// The decision of the payer at a bank, and the reaction of the bank.
    pub(crate) struct PayBody as "PayCheckoutSessionRequest" {
        /// The bank that the payer chooses from the bank list.
        #[example("5f3a1c52f1f44ee5b0f6b6a7f0a1c001")]
        "bankId" => bank: BankId,
        /// What the payer decides, and how the bank reacts.
        #[example("approve")]
        "outcome" => outcome: PayerOutcome,
        /// Minutes until the bank reports, by the account's clock. Only with `pending`, `fail_later`, `time_out` and
        /// `technical_error`. Default: 1.
        "afterMinutes" => after_minutes: Option<WholeNumber<1, { BankVisit::MAX_MINUTES }>>,
        /// Where and how the goods are shipped. Required if the payment page would ask for it, otherwise not allowed.
        "shipping" => shipping: Option<ShippingBody>,
    }
}

/// Chooses a bank for an OPEN checkout session or top-up and decides there, as a payer would on the payment page.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/checkout-sessions/{checkoutSessionId}/pay", tag = "Sandbox",
    operation_id = "payCheckoutSession",
    security(("apiKey" = [MERCHANTS.scope])),
    request_body = PayBody,
    params(SessionPath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The session.", body = PaidSession<'static>), PaySessionErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &MERCHANTS).await?;
    let mode = call.read_mode()?;
    let mut write = call.with_body(payload).await?;
    let path = write.call.read::<SessionPath>();
    let body = write.read::<PayBody>()?;
    let visit =
        body.as_ref().and_then(|body| payer_visit(body.outcome, body.after_minutes.as_ref(), &mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let rendering_app = web::Data::clone(&app);
    let render = move |session: &CheckoutSession, dry_run: Option<DryRunView>| {
        answer(StatusCode::OK, &PaidSession { session: session_view(&rendering_app.checkouts, session), dry_run })
    };
    let recorded = render.clone();
    let recorded = move |session: &CheckoutSession| recorded(session, None);
    let recorded = without_tokens(&app, &account.id, |session: &CheckoutSession| Some(session.id.0), recorded);
    let claim = claim(&write, &account, false, recorded)?;
    let (id, body) = (expect_valid(path)?.id, expect_valid(body)?);
    let bank = app.checkouts.banks.find(&body.bank).await?;
    let mut faults = Faults::default();
    let unknown = || Flaw::value("must be the id of a bank on the bank list");
    let bank = faults.take("body.bankId", bank.ok_or_else(unknown));
    let shipping = match body.shipping {
        // The shipping rate has the currency of the session.
        Some(shipping) => {
            let found = find_session(&app.checkouts, &account, id).await?;
            let found = found.ok_or_else(|| Problem::absent(SESSION.0, SESSION.1))?;
            shipping.read(&found.session.amount, &mut faults).map(Some)
        }
        None => Some(None),
    };
    let (Some(bank), Some(shipping)) = (bank, shipping) else { return Err(Problem::faults(faults.into_vec())) };
    let bank = BankChoice { id: bank.id, name: bank.name };
    let decision = app.checkouts.simulated_bank()?.visit(expect_valid(visit)?, app.checkouts.time.now_of(&account));
    let refused = |refusal: SessionRefusal| session_problem(SESSION.0, &refusal);
    let pay = SessionAction::Pay { bank, shipping, decision };
    execute(claim, SESSION, refused, render, async |claim| {
        with_tokens(&app, &account.id, act_on_session(&app.checkouts, &account, id, pay, mode, claim).await)
    })
    .await
}

/// Combines an outcome with the minutes until the bank reports. Returns `None` if a fault was recorded.
pub(super) fn payer_visit<const MIN: i64, const MAX: i64>(
    outcome: PayerOutcome,
    minutes: Option<&WholeNumber<MIN, MAX>>,
    faults: &mut Faults,
) -> Option<BankVisit> {
    let minutes = minutes.map(|minutes| minutes.0);
    faults.take("body.afterMinutes", BankVisit::new(outcome, minutes))
}
