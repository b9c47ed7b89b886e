//! `/pay/refunds/{token}`: the page on which a merchant authorises a refund at its bank.
//!
//! The page exists until the merchant decides or the refund expires. Afterwards it responds with 410. A redirect leads
//! to the result: the same path, with a signed time in the query. The result can be seen for a few minutes. Nothing is
//! stored for it.

use super::answer::{self, gone, invalid_form, redirect_to};
use super::at_bank;
use super::form::{Button, SentForm};
use super::form_token::FormOf;
use super::frame::{frame, language_of, remember_page};
use super::origin::check_origin;
use super::visit::{Reached, count_form, reach, unknown_token};
use crate::account_guards::AccountGuard;
use crate::extract::query::Query;
use crate::mapping::authorise_refund_problem;
use crate::problem::Problem;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{PageTokenMaker, authorise_refund, find_merchant_refund, find_session, start_refund};
use florin_domain::access::Account;
use florin_domain::checkout::{CheckoutSession, MerchantPayment, RefundRefusal, RefundStatus};
use florin_domain::ids::RefundId;
use florin_domain::merchant::{BankId, MerchantProfile};
use florin_pages::{Approval, BankLink, Form, Frame, Page, RefundResult, SimulatedBankPage};
use florin_ports::{DecisionPlace, FoundRefund, Mode, WriteError};

/// The time for which the result can be seen, in seconds.
const RESULT_SECONDS: i64 = 300;
/// The stage of all forms of a refund. Later stages have no form.
const STAGE: &str = "refund AWAITING_AUTHORISATION";

/// A request for the page of a refund.
struct RefundVisit<'a> {
    app: &'a App,
    account: Account,
    id: RefundId,
    refund: MerchantPayment,
    /// The session of the refunded payment.
    session: CheckoutSession,
    /// The bank of the settlement account. `None`: the account has no bank that is on the bank list.
    bank: Option<BankId>,
    bank_name: String,
    is_merchant_active: bool,
    path: String,
    frame: Frame,
    _guard: Option<AccountGuard>,
}

/// Shows the page for the decision, or the result.
pub(super) async fn show(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let visit = RefundVisit::begin(&app, &request, &token).await?;
    let query = Query::parse(request.query_string());
    let page = if query.one("result").is_ok_and(|sent| sent.is_some_and(|sent| visit.may_see_result(sent))) {
        Page::RefundResult(visit.result())
    } else if visit.is_awaiting() {
        visit.decision_page().await?
    } else {
        return Err(gone());
    };
    Ok(answer::page(StatusCode::OK, &visit.frame, &page))
}

/// Receives the form of the simulated bank.
pub(super) async fn receive(
    app: web::Data<App>,
    request: HttpRequest,
    token: web::Path<String>,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    remember_page(&app, &request, &format!("refunds/{token}"), language_of(None, &request));
    check_origin(&request, &app.checkouts.public_url)?;
    let form = SentForm::read(&request, payload).await?;
    let visit = RefundVisit::begin(&app, &request, &token).await?;
    count_form(&app, visit.id.0)?;
    let shown = visit.form_of().read(&app, form.get("formToken"));
    shown.ok_or_else(|| invalid_form("must have the token of a form of the page"))?;
    let button = form.button()?;
    if !visit.is_awaiting() {
        return Ok(redirect_to(&visit.result_path()));
    }
    if !visit.is_merchant_active {
        return Err(gone());
    }
    visit.decide(&form, button).await
}

impl<'a> RefundVisit<'a> {
    async fn begin(app: &'a App, request: &HttpRequest, token: &str) -> Result<Self, Problem> {
        let hash = PageTokenMaker::hash(token);
        let found = app.checkouts.payments.refund_with_token(hash).await?;
        let FoundRefund { account, refund: id } = found.ok_or_else(|| unknown_token(app, request))?;
        let Reached { account, guard } = reach(app, request, &account).await?;
        let refund = find_merchant_refund(&app.checkouts, &account, id).await?.ok_or_else(gone)?;
        let session = find_session(&app.checkouts, &account, refund.session).await?.ok_or_else(gone)?.session;
        let settlement_account = match session.purpose.settlement_account() {
            Some(id) => app.merchants.settlement_accounts.find(&account.id, id).await?,
            None => None,
        };
        let bank = settlement_account.and_then(|account| account.bank);
        let merchant = app.merchants.merchants.find(&account.id).await?;
        let language = language_of(None, request);
        let path = remember_page(app, request, &format!("refunds/{token}"), language);
        Ok(Self {
            app,
            frame: frame(app, language, merchant.as_ref()),
            is_merchant_active: merchant.as_ref().is_some_and(MerchantProfile::is_active),
            bank: bank.as_ref().map(|bank| bank.id.clone()),
            bank_name: bank.map_or_else(|| refund.bank.name.clone(), |bank| bank.name),
            session,
            account,
            id,
            refund,
            path,
            _guard: guard,
        })
    }

    fn is_awaiting(&self) -> bool {
        self.refund.refund_status() == RefundStatus::AwaitingAuthorisation
    }

    fn form_of(&self) -> FormOf<'_> {
        FormOf { account: &self.account.id, id: self.id.0, stage: STAGE }
    }

    /// Returns the page for the decision: the form of the simulated bank, or the link to the merchant's bank.
    async fn decision_page(&self) -> Result<Page, Problem> {
        let started = start_refund(&self.app.checkouts, &self.session, &self.refund, self.bank.clone()).await?;
        Ok(match started {
            DecisionPlace::Here => Page::SimulatedBank(self.bank_form()),
            DecisionPlace::AtBank(url) => Page::BankLink(BankLink {
                form: None,
                bank_name: self.bank_name.clone(),
                approval: self.approval(),
                url,
            }),
        })
    }

    fn bank_form(&self) -> SimulatedBankPage {
        let form = Form { path: self.path.clone(), token: self.form_of().token(self.app) };
        at_bank::empty_form(form, self.bank_name.clone(), self.approval())
    }

    fn approval(&self) -> Approval {
        Approval::Refund {
            amount: self.refund.amount,
            payment_reference: self.session.payment_reference.to_string(),
            reason: self.refund.refund.as_ref().and_then(|refund| refund.reason.clone()),
        }
    }

    async fn decide(&self, form: &SentForm, button: Button) -> Result<HttpResponse, Problem> {
        let bank_visit = match at_bank::read(form, button)? {
            Ok(bank_visit) => bank_visit,
            Err(errors) => {
                let page = Page::SimulatedBank(at_bank::with_errors(self.bank_form(), form, errors));
                return Ok(answer::page(StatusCode::BAD_REQUEST, &self.frame, &page));
            }
        };
        let decision = at_bank::decision(self.app, &self.account, bank_visit)?;
        match authorise_refund(&self.app.checkouts, &self.account, self.id, decision, Mode::Commit, None).await {
            // Another form may have decided first.
            Ok(_) | Err(WriteError::Refused(RefundRefusal::NotAwaiting(_))) => Ok(redirect_to(&self.result_path())),
            Err(WriteError::Absent) => Err(gone()),
            Err(WriteError::Refused(refusal)) => Err(authorise_refund_problem(refusal)),
            Err(WriteError::Mismatch(_)) => Err(Problem::internal()),
            Err(WriteError::Store(error)) => Err(error.into()),
        }
    }

    fn result(&self) -> RefundResult {
        match self.refund.refund_status() {
            RefundStatus::Cancelled => RefundResult::Cancelled,
            _ => RefundResult::Authorised {
                amount: self.refund.amount,
                payment_reference: self.session.payment_reference.to_string(),
            },
        }
    }

    /// Returns the path of the result, for the merchant who has sent the form.
    fn result_path(&self) -> String {
        let now = self.now();
        let signature = self.app.checkouts.page_tokens.sign(&self.account.id, self.id.0, &signed_text(now));
        format!("{}?result={now}-{signature}", self.path)
    }

    /// Whether the result may be shown: the decision was made, and `sent` is a signed time of this refund from the last
    /// [`RESULT_SECONDS`].
    fn may_see_result(&self, sent: &str) -> bool {
        let Some((time, signature)) = sent.split_once('-') else { return false };
        let Ok(time) = time.parse::<i64>() else { return false };
        let is_signed =
            self.app.checkouts.page_tokens.is_signed(&self.account.id, self.id.0, &signed_text(time), signature);
        is_signed && !self.is_awaiting() && (0..RESULT_SECONDS).contains(&(self.now() - time))
    }

    /// Returns the real time, in seconds. A person waits for the page, so the account's clock does not apply.
    fn now(&self) -> i64 {
        self.app.services.time.real_now().timestamp()
    }
}

fn signed_text(time: i64) -> String {
    format!("result {time}")
}
