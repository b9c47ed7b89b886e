//! The interface, described: OpenAPI 3.1.

use super::{activity, addresses, budgets, cards, merchant, mfa, payment_batches, sandbox, service};
use crate::codes::ErrorCode;
use crate::problem::{ProblemBody, ProblemEntry};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::openapi::schema::AdditionalProperties;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{self, Content, Header, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Schema};
use utoipa::{IntoResponses, Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Florin",
        version = "2.0.0",
        description = "A money-handling HTTP API: checkouts, banks, payment batches, addresses, and a card sandbox.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "This server.")),
    security(("apiKey" = [])),
    modifiers(&Finish),
    components(schemas(ProblemBody, ProblemEntry)),
    tags(
        (name = "Merchant", description = "Checkouts, and the banks that can pay them."),
        (name = "Payment batches", description = "Many payments, checked, confirmed and processed together."),
        (name = "Addresses", description = "The addresses of a UK postcode."),
        (name = "Activity", description = "Everything that moved on an account."),
        (name = "Looking inside", description = "What a balance is made of, and whether the books agree; in the sandbox only."),
        (name = "Budgets", description = "What holds money, and how it moves from one to another."),
        (name = "Cards", description = "Virtual cards, their states and spending limits."),
        (name = "Simulations", description = "Credits and card messages; in the sandbox only."),
        (name = "Sandbox", description = "Extension of Florin: clocks of accounts, and worlds; in the sandbox only."),
        (name = "Service", description = "Health; no key needed.")
    ),
    paths(
        merchant::list_checkouts::handle,
        merchant::list_banks::handle,
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
        budgets::explain::handle,
        sandbox::invariants::handle,
        budgets::list::handle,
        budgets::create::handle,
        budgets::find::handle,
        budgets::transfer::handle,
        cards::list::handle,
        cards::create::handle,
        cards::find::handle,
        cards::transition::handle,
        cards::list_transitions::handle,
        cards::list_limits::handle,
        cards::set_limit::handle,
        cards::remove_limit::handle,
        budgets::generate_credit::handle,
        cards::purchases::authorize,
        cards::purchases::advise,
        cards::purchases::increment,
        cards::purchases::clear,
        cards::purchases::reverse,
        cards::refunds::authorize,
        cards::refunds::clear,
        cards::refunds::reverse,
        cards::atm_withdrawals::authorize,
        cards::atm_withdrawals::clear,
        cards::look::handle,
        sandbox::read_clock::handle,
        sandbox::set_clock::handle,
        sandbox::list_worlds::handle,
        sandbox::create_world::handle,
        sandbox::find_world::handle,
        sandbox::delete_world::handle,
        sandbox::list_snapshots::handle,
        sandbox::take_snapshot::handle,
        sandbox::delete_snapshot::handle,
        sandbox::restore_world::handle,
        service::healthz,
        service::readyz,
    )
)]
struct Document;

/// What the macros can't say.
struct Finish;

impl Modify for Finish {
    fn modify(&self, document: &mut openapi::OpenApi) {
        super::examples::add(document);
        let Some(components) = document.components.as_mut() else { return };
        let description = "`ApiKey <key>`, or the bare key.";
        let api_key = ApiKey::Header(ApiKeyValue::with_description("Authorization", description));
        components.add_security_scheme("apiKey", SecurityScheme::ApiKey(api_key));
        for (name, schema) in &mut components.schemas {
            let RefOr::T(Schema::Object(object)) = schema else { continue };
            // Unknown members of a request are refused.
            if name.ends_with("Request") {
                object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
            }
            if name == "ErrorEntry" {
                let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
                let schema = ObjectBuilder::new()
                    .schema_type(openapi::Type::String)
                    .description(Some("A stable code of a closed list."))
                    .enum_values(Some(codes));
                object.properties.insert("errorCode".to_owned(), schema.into());
            }
        }
    }
}

/// The document as JSON.
pub(crate) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| Document::openapi().to_json().unwrap_or_default());
    &TEXT
}

type Responses = BTreeMap<String, RefOr<Response>>;

/// An answer from 400 on.
pub(super) fn problem(description: &str, headers: &[&str]) -> RefOr<Response> {
    let content = Content::new(Some(Ref::from_schema_name("Error")));
    let response = ResponseBuilder::new().description(description).content("application/json", content);
    headers.iter().fold(response, |response, name| response.header(*name, Header::default())).build().into()
}

const SHAPE: &str = "`required`, `invalid_type`, `invalid_format`, `invalid_value`, `out_of_range`, `too_long`, \
    `duplicate_parameter`: every fault of the request's shape.";
const BODY_SHAPE: &str = "`required`, `invalid_json`, `invalid_type`, `invalid_format`, `invalid_value`, \
    `out_of_range`, `too_long`, `too_many_decimals`, `unknown_field`, `duplicate_field`, `duplicate_parameter`, \
    `mfa_required`: every fault of the request's shape and values.";

/// What any operation can answer.
fn common(forbidden: &str) -> Responses {
    let retry: &[&str] = &["Retry-After"];
    let entry = |status: &str, description: &str, headers: &[&str]| (status.to_owned(), problem(description, headers));
    BTreeMap::from([
        entry("400", SHAPE, &[]),
        entry("401", "`missing_credentials`: no API key.", &["WWW-Authenticate"]),
        entry("403", forbidden, &[]),
        entry("404", "`not_found`: no such object within reach of this key.", &[]),
        entry("429", "`rate_limited`: too many requests.", retry),
        entry("500", "`internal`: our fault; the message tells the request id.", &[]),
        entry("503", "`overloaded`, `provider_unavailable`: try again.", retry),
    ])
}

pub(crate) fn writing(forbidden: &str, conflict: &str) -> Responses {
    let mut responses = common(forbidden);
    responses.extend([
        ("400".to_owned(), problem(BODY_SHAPE, &[])),
        ("409".to_owned(), problem(conflict, &[])),
        ("413".to_owned(), problem("`payload_too_large`: over 1 MiB.", &[])),
        ("415".to_owned(), problem("`unsupported_media_type`: not JSON in UTF-8.", &[])),
        ("422".to_owned(), problem("`idempotency_mismatch`: the key was used for another request.", &[])),
    ]);
    responses
}

/// The errors of a read.
pub(crate) struct ReadErrors;

impl IntoResponses for ReadErrors {
    fn responses() -> Responses {
        common("`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; `required` on the bank list.")
    }
}

/// The errors of a read of the sandbox.
pub(crate) struct SandboxReadErrors;

impl IntoResponses for SandboxReadErrors {
    fn responses() -> Responses {
        common("`invalid_credentials`, `insufficient_scope`, `sandbox_only`, `address_not_allowed`.")
    }
}

/// The errors of the address lookup, which knows no account.
pub(crate) struct LookupErrors;

impl IntoResponses for LookupErrors {
    fn responses() -> Responses {
        let mut responses =
            common("`invalid_credentials`, `insufficient_scope`, `address_not_allowed`, `feature_not_enabled`.");
        responses.remove("404");
        responses
    }
}

/// The errors of a write.
pub(crate) struct WriteErrors;

impl IntoResponses for WriteErrors {
    fn responses() -> Responses {
        writing(
            "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`.",
            "`invalid_state`, `mfa_not_enrolled`.",
        )
    }
}

/// The errors of what manages budgets and cards.
pub(crate) struct ManagementErrors;

impl IntoResponses for ManagementErrors {
    fn responses() -> Responses {
        writing(
            "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; `feature_not_enabled`: the budget was \
             made without this feature.",
            "`invalid_state`, `insufficient_funds`, `balance_limit`.",
        )
    }
}

/// The errors of a confirmation.
pub(crate) struct ConfirmErrors;

impl IntoResponses for ConfirmErrors {
    fn responses() -> Responses {
        writing(
            "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`, `mfa_failed`, `mfa_expired`, \
             `mfa_locked`.",
            "`invalid_state`, `insufficient_funds`, `balance_limit`.",
        )
    }
}

/// The errors of a simulation.
pub(crate) struct SimulationErrors;

impl IntoResponses for SimulationErrors {
    fn responses() -> Responses {
        writing(
            "`invalid_credentials`, `insufficient_scope`, `sandbox_only`, `address_not_allowed`.",
            "`already_cleared`, `already_reversed`, `expired`, `wrong_transaction_kind`, `amount_exceeds_hold`, \
             `amount_exceeds_authorization`, `balance_limit`.",
        )
    }
}
