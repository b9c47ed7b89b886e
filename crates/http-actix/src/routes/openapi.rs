//! The OpenAPI 3.1 document, with the list of all operations.

mod member_rules;
mod operations;
mod request_bodies;
mod request_rules;
mod schemas;
mod webhooks_section;

use super::{
    accounts, activity, addresses, budgets, card_decisions, cards, events, ip_addresses, merchant, mfa,
    payment_batches, people, sandbox, service, webhooks,
};
use crate::codes::ErrorCode;
use crate::problem::{ProblemBody, ProblemEntry};
use crate::views::{
    BatchChanged, BatchCompleted, BatchOrderChanged, BoxCredited, BoxDebited, CardStateUpdated, CardTransacted,
    MerchantPaymentEnded, MerchantPaymentFailed, PaymentCreated, PaymentReturned, QuestionView, SessionEnded,
};
use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use std::sync::LazyLock;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{self, ObjectBuilder, RefOr, Schema};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Florin",
        version = "2.0.0",
        description = "A money-handling HTTP API: merchants, checkouts, banks, payment batches, addresses, \
            and a card sandbox. What is marked \"Florin extension\" is not part of the original interface.",
        contact(name = "The operator of this server"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "This server.")),
    security(("apiKey" = [])),
    modifiers(&Finish),
    components(schemas(
        ProblemBody,
        ProblemEntry,
        BoxCredited,
        BoxDebited,
        CardTransacted,
        CardStateUpdated,
        BatchChanged,
        BatchOrderChanged,
        BatchCompleted,
        PaymentCreated,
        PaymentReturned,
        SessionEnded,
        MerchantPaymentFailed,
        MerchantPaymentEnded,
        QuestionView
    )),
    tags(
        (name = "Merchant", description = "The profile, checkouts, settlement accounts and payees of a merchant; \
            its checkout sessions, top-ups, payments and refunds; \
            and the banks that payers can pay from."),
        (name = "Payment batches", description = "Payments that are checked, confirmed and processed together."),
        (name = "Addresses", description = "The addresses of a UK postcode."),
        (name = "Activity", description = "Everything that moved or held money on an account."),
        (name = "Events", description = "Events of money and state, as webhooks deliver them."),
        (name = "Looking inside", description = "How balances are composed, and ledger invariants; sandbox only."),
        (name = "Budgets", description = "Budgets and their controls, and transfers between budgets."),
        (name = "Accounts", description = "The accounts of the client."),
        (name = "IP addresses", description = "The addresses and networks that the client may call from."),
        (name = "People", description = "People of an account, and their roles."),
        (name = "Cards", description = "Virtual and physical cards: their states, limits, controls and PINs; \
            and the endpoint that decides on card messages."),
        (name = "Simulations", description = "Simulated credits, card messages and disputes; sandbox only."),
        (name = "Sandbox", description = "Clocks of accounts, settings of card messages, scenarios, worlds, \
            the operator's decisions about merchants, \
            and what payers do. Florin extension, sandbox only."),
        (name = "Webhooks", description = "Subscriptions to events, and the log of their deliveries."),
        (name = "Service", description = "Health checks, which need no API key.")
    ),
    paths(
        merchant::find::handle,
        merchant::edit::handle,
        merchant::set_logo::handle,
        merchant::checkouts::list::handle,
        merchant::checkouts::create::handle,
        merchant::checkouts::find::handle,
        merchant::checkouts::edit::handle,
        merchant::settlement_accounts::list::handle,
        merchant::settlement_accounts::create::handle,
        merchant::settlement_accounts::find::handle,
        merchant::settlement_accounts::edit::handle,
        merchant::settlement_accounts::delete::handle,
        merchant::payees::list::handle,
        merchant::payees::create::handle,
        merchant::payees::find::handle,
        merchant::list_banks::handle,
        merchant::checkout_sessions::list::handle,
        merchant::checkout_sessions::create::handle,
        merchant::checkout_sessions::find::handle,
        merchant::checkout_sessions::cancel::handle,
        merchant::top_ups::create::handle,
        merchant::top_ups::find::handle,
        merchant::top_ups::cancel::handle,
        merchant::payments::list::handle,
        merchant::payments::export::handle,
        merchant::payments::find::handle,
        merchant::refunds::create::handle,
        merchant::refunds::find::handle,
        merchant::find_order::handle,
        payment_batches::create::handle,
        payment_batches::list::handle,
        payment_batches::find::handle,
        payment_batches::edit::handle,
        payment_batches::cancel::handle,
        payment_batches::upload::handle,
        payment_batches::list_payments::handle,
        payment_batches::list_alerts::handle,
        payment_batches::validate::handle,
        payment_batches::download::handle,
        payment_batches::template::handle,
        payment_batches::confirm::handle,
        mfa::open_session::handle,
        addresses::lookup::handle,
        activity::list::handle,
        activity::find::handle,
        events::list::handle,
        events::stream::handle,
        webhooks::event_types::handle,
        budgets::explain::handle,
        sandbox::invariants::handle,
        budgets::list::handle,
        budgets::create::handle,
        budgets::edit::handle,
        budgets::find::handle,
        budgets::transfer::handle,
        budgets::controls::find,
        budgets::controls::set,
        accounts::list::handle,
        accounts::find::handle,
        ip_addresses::list::handle,
        ip_addresses::create::handle,
        ip_addresses::delete::handle,
        people::list_roles::handle,
        people::list::handle,
        people::create::handle,
        people::find::handle,
        people::edit::handle,
        card_decisions::find::handle,
        card_decisions::set::handle,
        card_decisions::delete::handle,
        card_decisions::rotate_secret::handle,
        cards::list::handle,
        cards::create::handle,
        cards::find::handle,
        cards::change::handle,
        cards::details::handle,
        cards::controls::find,
        cards::controls::set,
        cards::pin::handle,
        cards::order_physical::handle,
        cards::replace::handle,
        cards::transition::handle,
        cards::list_transitions::handle,
        cards::limits::list_spending,
        cards::limits::set_spending,
        cards::limits::remove_spending,
        cards::limits::list_transaction,
        cards::limits::set_transaction,
        cards::limits::remove_transaction,
        budgets::generate_credit::handle,
        cards::purchases::authorize,
        cards::purchases::advise,
        cards::purchases::increment,
        cards::purchases::clear,
        cards::purchases::reverse,
        cards::refunds::authorize,
        cards::refunds::clear,
        cards::refunds::reverse,
        cards::refunds::refund,
        cards::refunds::return_refund,
        cards::purchases::expire,
        cards::single_messages::debit,
        cards::single_messages::return_debit,
        cards::single_messages::inquire,
        cards::single_messages::fee,
        cards::atm_withdrawals::authorize,
        cards::atm_withdrawals::clear,
        cards::find_chain::handle,
        cards::disputes::open::handle,
        cards::disputes::read::list,
        cards::disputes::read::find,
        cards::disputes::actions::add_evidence,
        cards::disputes::actions::credit,
        cards::disputes::actions::resolve,
        sandbox::read_clock::handle,
        sandbox::set_clock::handle,
        sandbox::hold_life::find,
        sandbox::hold_life::set,
        sandbox::over_clearing::find,
        sandbox::over_clearing::set,
        sandbox::scenarios::handle,
        sandbox::administer_merchant::handle,
        sandbox::approve_settlement_account::handle,
        sandbox::approve_payee::handle,
        sandbox::pay_session::handle,
        sandbox::authorise_refund::handle,
        sandbox::list_worlds::handle,
        sandbox::create_world::handle,
        sandbox::find_world::handle,
        sandbox::renew_world::handle,
        sandbox::delete_world::handle,
        sandbox::list_snapshots::handle,
        sandbox::take_snapshot::handle,
        sandbox::delete_snapshot::handle,
        sandbox::export_snapshot::handle,
        sandbox::list_imported_snapshots::handle,
        sandbox::import_snapshot::handle,
        sandbox::delete_imported_snapshot::handle,
        sandbox::restore_world::handle,
        webhooks::list::handle,
        webhooks::create::handle,
        webhooks::find::handle,
        webhooks::edit::handle,
        webhooks::delete::handle,
        webhooks::rotate_secret::handle,
        webhooks::test::handle,
        webhooks::list_deliveries::handle,
        webhooks::redeliver::handle,
        webhooks::recover::handle,
        service::healthz,
        service::readyz,
    )
)]
struct Document;

/// Adds the parts of the document that the macros can't express.
struct Finish;

impl Modify for Finish {
    fn modify(&self, document: &mut openapi::OpenApi) {
        super::examples::add(document);
        super::links::add(document);
        let Some(components) = document.components.as_mut() else { return };
        let description = "`ApiKey <key>`, or the bare key.";
        let api_key = ApiKey::Header(ApiKeyValue::with_description("Authorization", description));
        components.add_security_scheme("apiKey", SecurityScheme::ApiKey(api_key));
        if let Some(RefOr::T(Schema::Object(entry))) = components.schemas.get_mut("ErrorEntry") {
            let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
            let schema = ObjectBuilder::new()
                .schema_type(openapi::Type::String)
                .description(Some("A stable code from a closed list."))
                .enum_values(Some(codes));
            entry.properties.insert("errorCode".to_owned(), schema.into());
        }
    }
}

/// Returns the document as JSON.
pub(crate) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut document = serde_json::to_value(Document::openapi()).unwrap_or_default();
        webhooks_section::add(&mut document);
        schemas::finish(&mut document);
        request_rules::finish(&mut document);
        request_bodies::finish(&mut document);
        operations::finish(&mut document);
        document.to_string()
    });
    &TEXT
}

/// Serves the document.
pub(super) async fn serve() -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(text())
}
