//! `POST /v2/merchant/top-ups`

use super::common::top_up_view;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, PageUrl, body};
use crate::idempotency::{claim, execute_creation};
use crate::mapping::create_top_up_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::CreateTopUpErrors;
use crate::routes::merchant::amount::AmountBody;
use crate::routes::merchant::checkout_sessions::render_created;
use crate::routes::merchant::common::{LIFETIME, MERCHANT, WRITE_TOP_UPS};
use crate::state::App;
use crate::stored_page_urls::{with_tokens, without_tokens};
use crate::views::TopUpView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewTopUp, create_top_up};
use florin_domain::checkout::{CreatedSession, SessionTerms};
use florin_domain::fault::Faults;
use florin_domain::ids::BudgetId;
use florin_domain::merchant::Locale;
use florin_domain::text::Text;

body! {
    /// A new top-up.
    pub(crate) struct CreateTopUpBody as "CreateTopUpRequest" {
        /// The budget that is credited.
        #[example("0198c0de-0005-7000-8000-000000000001")]
        "budgetId" => budget: BudgetId,
        /// The amount to pay, in a currency that the budget holds.
        "amount" => amount: AmountBody,
        /// The client's own key for this top-up. A second request with the same key returns the first top-up.
        #[example("top-up-7")]
        "idempotencyKey" => idempotency_key: Text<1, 255>,
        /// The https URL that the payer returns to. The sandbox also accepts http URLs with loopback hosts.
        "returnUrl" => return_url: Option<PageUrl>,
        /// The locale of the payment page.
        "locale" => locale: Option<Locale>,
    }
}

/// Creates an OPEN top-up of a budget. Send the payer to its `checkoutUrl`.
///
/// A top-up can be paid for 20 minutes, and credits the budget when it is completed. If a top-up of the account already
/// has this `idempotencyKey`, the response is that top-up in its current state, with 200 and `Idempotent-Replayed`.
#[utoipa::path(post, path = "/v2/merchant/top-ups", tag = "Merchant", operation_id = "createTopUp",
    security(("apiKey" = [WRITE_TOP_UPS.scope])),
    request_body = CreateTopUpBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The top-up.", body = TopUpView<'static>),
        (status = 200, description = "The top-up with this `idempotencyKey`.", body = TopUpView<'static>),
        CreateTopUpErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let call = Call::enter(&app, &request, &WRITE_TOP_UPS).await?;
    app.checkouts.payer_banks()?;
    let mut write = call.with_body(payload).await?;
    let body = write.read::<CreateTopUpBody>()?;
    let new = body.and_then(|body| new_top_up(body, &mut write.call.faults));
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let render = render_created(&app, |app, status, session| answer(status, &top_up_view(app, session)));
    let recorded =
        without_tokens(&app, &account.id, |created: &CreatedSession| Some(created.session.id.0), render.clone());
    let claim = claim(&write, &account, false, recorded)?;
    let (new, is_new) = (expect_valid(new)?, |created: &CreatedSession| created.is_new);
    execute_creation(claim, MERCHANT, create_top_up_problem, (render, is_new), async |claim| {
        with_tokens(&app, &account.id, create_top_up(&app.checkouts, &account, new, claim).await)
    })
    .await
}

/// Converts the body, and checks the amount. Returns `None` if faults were recorded.
fn new_top_up(body: CreateTopUpBody, faults: &mut Faults) -> Option<NewTopUp> {
    let terms = SessionTerms {
        idempotency_key: body.idempotency_key,
        amount: body.amount.read(faults)?,
        return_url: body.return_url.map(|url| url.0),
        locale: body.locale,
        lifetime: LIFETIME,
    };
    Some(NewTopUp { budget: body.budget, terms })
}
