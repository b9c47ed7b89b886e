//! A request for the page of a session: finds the session of the token, and what its page shows.

use super::answer;
use super::form_token::{FormOf, ShownAt};
use super::frame::{frame, language_of, remember_page};
use crate::account_guards::AccountGuard;
use crate::call::too_many;
use crate::codes::ErrorCode;
use crate::extract::query::Query;
use crate::problem::Problem;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{PageTokenMaker, settle_session};
use florin_domain::access::{Account, Environment};
use florin_domain::checkout::{CheckoutSession, MerchantPayment, SessionStage};
use florin_domain::ids::AccountId;
use florin_domain::merchant::MerchantProfile;
use florin_pages::{Form, Frame, Page};
use florin_ports::FoundSession;
use uuid::Uuid;

/// A part of the page that a link requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Summary,
    Address,
    Rates,
    Banks,
    /// The receipt, with the notice that the payment was already made.
    Repeated,
}

impl Part {
    const ALL: [Self; 5] = [Self::Summary, Self::Address, Self::Rates, Self::Banks, Self::Repeated];

    const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Address => "address",
            Self::Rates => "rates",
            Self::Banks => "banks",
            Self::Repeated => "repeated",
        }
    }
}

/// The account that a token leads to. A restore of its world waits while `guard` exists.
pub(super) struct Reached {
    pub(super) account: Account,
    pub(super) guard: Option<AccountGuard>,
}

/// Finds the account that a token leads to. Its world may have been restored since the token was looked up, so a later
/// change must be decided on the current rows, not on the rows of that lookup.
pub(super) async fn reach(app: &App, request: &HttpRequest, account: &AccountId) -> Result<Reached, Problem> {
    let guard = match app.services.environment {
        Environment::Sandbox => Some(app.account_guards.share(account).await),
        Environment::Production => None,
    };
    match app.services.accounts.find(account).await? {
        Some(account) => Ok(Reached { account, guard }),
        None => Err(unknown_token(app, request)),
    }
}

/// Returns the refusal of an unknown token. Unknown tokens are counted per address, together with unknown API keys.
pub(super) fn unknown_token(app: &App, request: &HttpRequest) -> Problem {
    match app.unknown_keys.count(request.peer_addr().map(|address| address.ip())) {
        Ok(()) => Problem::new(StatusCode::NOT_FOUND, "", ErrorCode::NotFound, "nothing exists at this path"),
        Err(seconds) => too_many("unknown tokens", seconds),
    }
}

/// Counts a form that was sent to a page. Returns a 429 if there were too many.
pub(super) fn count_form(app: &App, id: Uuid) -> Result<(), Problem> {
    app.forms.count(id).map_err(|seconds| too_many("forms", seconds))
}

/// A request for the page of a session.
pub(super) struct Visit<'a> {
    pub(super) app: &'a App,
    pub(super) account: Account,
    found: FoundSession,
    pub(super) merchant: Option<MerchantProfile>,
    pub(super) part: Option<Part>,
    /// The text that the payer searches for in the bank list.
    pub(super) search: Option<String>,
    /// The path of the page.
    pub(super) path: String,
    frame: Frame,
    _guard: Option<AccountGuard>,
}

impl<'a> Visit<'a> {
    /// Finds the session of a token, and applies its due steps.
    pub(super) async fn begin(app: &'a App, request: &HttpRequest, token: &str) -> Result<Self, Problem> {
        let hash = PageTokenMaker::hash(token);
        let find = async || app.checkouts.sessions.with_token(hash).await?.ok_or_else(|| unknown_token(app, request));
        let mut found = find().await?;
        let Reached { account, guard } = reach(app, request, &found.session.account).await?;
        if settle_session(&app.checkouts, &account, &found).await? {
            found = find().await?;
        }
        let merchant = app.merchants.merchants.find(&account.id).await?;
        let language = language_of(found.session.locale.as_ref(), request);
        let path = remember_page(app, request, token, language);
        let query = Query::parse(request.query_string());
        let sent = |name: &str| query.one(name).ok().flatten().map(str::to_owned);
        let part = sent("show").and_then(|name| Part::ALL.into_iter().find(|part| part.name() == name));
        Ok(Self {
            app,
            frame: frame(app, language, merchant.as_ref()),
            search: if query.has("q") { Some(sent("q").unwrap_or_default()) } else { None },
            account,
            found,
            merchant,
            part,
            path,
            _guard: guard,
        })
    }

    /// Whether the merchant may accept payments.
    pub(super) fn is_merchant_active(&self) -> bool {
        self.merchant.as_ref().is_some_and(MerchantProfile::is_active)
    }

    /// Returns the path of a part of the page.
    pub(super) fn path_of(&self, part: Part) -> String {
        format!("{}?show={}", self.path, part.name())
    }

    /// Returns the path and the token of the page's forms.
    pub(super) fn form(&self) -> Form {
        self.form_at(self.path.clone())
    }

    /// Returns the path and the token of the forms of a part of the page.
    pub(super) fn form_at(&self, path: String) -> Form {
        let stage = self.stage_text();
        Form { path, token: self.form_of(&stage).token(self.app) }
    }

    /// Reads the token of a form. `None`: it is not a token of this session.
    pub(super) fn read_form_token(&self, token: &str) -> Option<ShownAt> {
        let stage = self.stage_text();
        self.form_of(&stage).read(self.app, token)
    }

    fn form_of<'b>(&'b self, stage: &'b str) -> FormOf<'b> {
        FormOf { account: &self.account.id, id: self.session().id.0, stage }
    }

    /// Returns the last payment of the session.
    pub(super) const fn last_payment(&self) -> Option<&MerchantPayment> {
        self.found.last.as_ref()
    }

    /// Returns the session.
    pub(super) const fn session(&self) -> &CheckoutSession {
        &self.found.session
    }

    /// Returns the payment that is not final. `None`: there is none.
    pub(super) fn pending_payment(&self) -> Option<&MerchantPayment> {
        self.found.pending()
    }

    /// Returns the stage that the page shows.
    pub(super) fn stage(&self) -> SessionStage {
        SessionStage::of(self.session(), self.pending_payment())
    }

    /// Returns the stage with the number of payments. Without the number, the stage of the bank list would be the same
    /// before and after a failed payment.
    fn stage_text(&self) -> String {
        format!("{:?} {}", self.stage(), self.found.attempts)
    }

    /// Returns the response with a page.
    pub(super) fn answer(&self, status: StatusCode, page: &Page) -> HttpResponse {
        answer::page(status, &self.frame, page)
    }
}
