//! The error responses of operations, for the OpenAPI document: each set is declared once and named by the operations
//! that share it.

use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{Content, Header, Ref, RefOr, Response, ResponseBuilder};

type Responses = BTreeMap<String, RefOr<Response>>;

const INVALID: &str = "`required`, `invalid_type`, `invalid_format`, `invalid_value`, `out_of_range`, `too_long`, \
    `duplicate_parameter`: one entry for each validation error.";
const VALUES_OF_A_BODY: &str = "`required`, `invalid_json`, `invalid_type`, `invalid_format`, `invalid_value`, \
    `out_of_range`, `too_long`, `too_many_decimals`, `unknown_field`, `duplicate_field`, `duplicate_parameter`, \
    `mfa_required`: one entry for each validation error.";

const WRONG_FILE: &str = "`required`, `invalid_type`, `invalid_format`, `invalid_value`, `out_of_range`, `too_long`, \
    `duplicate_parameter`: one entry for each validation error. The entry of a wrong file is `invalid_format` if its \
    first line is wrong, and otherwise `invalid_value`. Its message names the member, or the line, table and column.";

const UNAVAILABLE: &str = "`overloaded`: the server is overloaded, its database can't be reached, or the operator is \
    moving a client to another database. `provider_unavailable`: an external provider can't be reached. Retry \
    after the interval in `Retry-After`, a write with the same `Idempotency-Key`.";

/// Returns an error response with its status. `headers` are the names of its headers.
fn response(status: &str, description: &str, headers: &[&str]) -> (String, RefOr<Response>) {
    let content = Content::new(Some(Ref::from_schema_name("Error")));
    let response = ResponseBuilder::new().description(description).content("application/json", content);
    let response = headers.iter().fold(response, |response, name| response.header(*name, Header::default()));
    (status.to_owned(), response.build().into())
}

/// Returns the errors of an operation that reads.
fn reading(forbidden: &str) -> Responses {
    BTreeMap::from([
        response("400", INVALID, &[]),
        response("401", "`missing_credentials`: no API key was sent.", &["WWW-Authenticate"]),
        response("403", forbidden, &[]),
        response("404", "`not_found`: the object does not exist, or this API key cannot access it.", &[]),
        response("429", "`rate_limited`: too many requests, or too many unknown API keys.", &["Retry-After"]),
        response("500", "`internal`: a bug in Florin; the message contains the request id.", &[]),
        response("503", UNAVAILABLE, &["Retry-After"]),
    ])
}

/// Returns the errors of an operation that writes.
fn writing(forbidden: &str, conflict: &str) -> Responses {
    let mut responses = reading(forbidden);
    responses.extend([
        response("400", VALUES_OF_A_BODY, &[]),
        response("409", conflict, &[]),
        response("413", "`payload_too_large`: the body exceeds 1 MiB.", &[]),
        response("415", "`unsupported_media_type`: the body is not JSON in UTF-8.", &[]),
        response("422", "`idempotency_mismatch`: the idempotency key was used for a different request.", &[]),
    ]);
    responses
}

macro_rules! error_sets {
    ($($(#[$doc:meta])* $name:ident = $responses:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> Responses {
                $responses
            }
        }
    )*};
}

error_sets! {
    /// Errors of an operation that reads.
    ReadErrors = reading(
        "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; \
         on the bank list also `required`: `accountId` is missing.",
    );
    /// Errors of an operation that reads data of the client. It names no account, so it has no 404.
    ClientReadErrors = without(reading(FORBIDDEN), &["404"]);
    /// Errors of an operation that changes the networks of the client.
    ClientWriteErrors = writing(
        FORBIDDEN,
        "`invalid_state`: the caller would be locked out, the address is on the list, or the list is full.",
    );
    /// Errors of a reading operation that exists in the sandbox only.
    SandboxReadErrors = reading(FORBIDDEN_OR_SANDBOX_ONLY);
    /// Errors of an operation that reads data of the client in the sandbox. It names no account, so it has no 404.
    SandboxClientReadErrors = without(reading(FORBIDDEN_OR_SANDBOX_ONLY), &["404"]);
    /// Errors of reading events. In production, the operator enables events for each client.
    EventErrors =
        reading("`invalid_credentials`, `insufficient_scope`, `address_not_allowed`, `feature_not_enabled`.");
    /// Errors of a stream of events.
    StreamErrors = with(
        EventErrors::responses(),
        [response("429", "`rate_limited`: too many requests, unknown API keys or open streams.", &["Retry-After"])],
    );
    /// Errors of the address lookup, which names no account.
    LookupErrors = without(
        reading("`invalid_credentials`, `insufficient_scope`, `address_not_allowed`, `feature_not_enabled`."),
        &["404"],
    );
    /// Errors of the CSV template and of the list of event types. They name no account.
    TemplateErrors = without(ReadErrors::responses(), &["404"]);
    /// Errors of a download. Its body must be empty or `{}`.
    DownloadErrors = with(ReadErrors::responses(), [
        response("413", "`payload_too_large`: the body exceeds 1 MiB.", &[]),
        response("415", "`unsupported_media_type`: the body is neither empty nor `{}`.", &[]),
    ]);
    /// Errors of opening an MFA session.
    MfaSessionErrors = writing(FORBIDDEN, "`invalid_state`, `mfa_not_enrolled`.");
    /// Errors of an operation that accepts payments.
    UploadErrors = with(writing(FORBIDDEN, "`invalid_state`, `balance_limit`."), [
        response("413", "`payload_too_large`: the body exceeds 16 MiB.", &[]),
        response("415", "`unsupported_media_type`: the body is neither JSON nor, for uploads, CSV in UTF-8.", &[]),
    ]);
    /// Errors of a write for which the state of an object is the only conflict.
    ChangeErrors = writing(FORBIDDEN, "`invalid_state`.");
    /// Errors of an operation that manages budgets or cards.
    ManagementErrors = writing(
        "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; `feature_not_enabled`: the budget does \
         not have the feature of the new card.",
        "`invalid_state`, `insufficient_funds`, `balance_limit`.",
    );
    /// Errors of the order of a physical card.
    PhysicalCardErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the card is physical, has ended or has a physical card already, or the account has the \
         maximum number of cards.",
    );
    /// Errors of an operation that needs a permission of the merchant.
    MerchantErrors = writing(
        "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; `feature_not_enabled`: the merchant does \
         not have the permission.",
        "`invalid_state`.",
    );
    /// Errors of a change of a merchant profile or a checkout. It is possible in every state, so it has no 409.
    MerchantEditErrors = without(MerchantErrors::responses(), &["409"]);
    /// Errors of an upload of a logo.
    LogoErrors = with(without(writing(FORBIDDEN, ""), &["409"]), [
        response("413", "`payload_too_large`: the file exceeds 5 MiB or 40,000,000 pixels, takes too much memory or \
            time to decode, or is sent twice.", &[]),
        response("415", "`unsupported_media_type`: the body is not multipart/form-data, \
            or the file is not PNG, JPEG or WebP.", &[]),
    ]);
    /// Errors of creating a checkout session, a top-up or a refund.
    PaymentInitiationErrors = writing(
        "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`; `feature_not_enabled`: the server has no \
         banks that payers can pay from.",
        "`invalid_state`.",
    );
    /// Errors of an export of payments.
    ExportErrors = with(
        ReadErrors::responses(),
        [response("422", "`too_many_rows`: more rows match than a file can have.", &[])],
    );
    /// Errors of the simulated decisions of operators, payers and merchants.
    MerchantSimulationErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the object is final, or not OPEN; `balance_limit`.",
    );
    /// Errors of a confirmation.
    ConfirmErrors = writing(
        "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`, `mfa_failed`, \
        `mfa_expired`, `mfa_locked`.",
        "`invalid_state`, `insufficient_funds`, `balance_limit`.",
    );
    /// Errors of a simulated credit or card message.
    SimulationErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`already_cleared`, `already_reversed`, `expired`, `wrong_transaction_kind`, `amount_exceeds_hold`, \
         `amount_exceeds_authorization`, `balance_limit`; `invalid_state`: the world was restored while a decision \
         endpoint was asked.",
    );
    /// Errors of an operation on a dispute.
    DisputeErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`wrong_transaction_kind`, `amount_exceeds_authorization`; `invalid_state`: the dispute is decided or credited \
         already, or has 20 texts of evidence; `balance_limit`.",
    );
    /// Errors of an operation on a subscription.
    WebhookErrors = writing(
        FORBIDDEN,
        "`invalid_state`: the client has the maximum number of subscriptions, the subscription is disabled or was \
         changed at the same time, the event was deleted or undone, or the request succeeded before under this \
         idempotency key and its response contained a secret.",
    );
    /// Errors of a clock change.
    ClockErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the clock cannot go back, or past the year 2099.",
    );
    /// Errors of a change of the settings of card messages.
    SettingErrors = without(writing(FORBIDDEN_OR_SANDBOX_ONLY, ""), &["409"]);
    /// Errors of a scenario. The errors of its steps are part of its 201 response.
    ScenarioErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the world was restored while a decision endpoint was asked about a step.",
    );
    /// Errors of creating a world.
    CreateWorldErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: a world with this seed exists, the request already created a world under this idempotency \
         key, the client has the maximum number of worlds, or the snapshot was taken by another version of Florin.",
    );
    /// Errors of an operation that imports a snapshot.
    ImportSnapshotErrors = with(without(writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the client has the maximum number of imported snapshots, \
         or the snapshot was taken by another version of Florin.",
    ), &["404"]), [
        response("400", WRONG_FILE, &[]),
        response("413", "`payload_too_large`: the body exceeds 16 MiB.", &[]),
        response("415", "`unsupported_media_type`: the body is not `application/x-ndjson`.", &[]),
    ]);
    /// Errors of deleting an imported snapshot.
    DeleteImportedErrors = without(writing(FORBIDDEN_OR_SANDBOX_ONLY, ""), &["409"]);
    /// Errors of an operation on a world.
    WorldErrors = writing(
        FORBIDDEN_OR_SANDBOX_ONLY,
        "`invalid_state`: the world has the maximum number of snapshots, it is too large for a snapshot, or the \
         snapshot was taken by another version of Florin.",
    );
}

const FORBIDDEN: &str = "`invalid_credentials`, `insufficient_scope`, `address_not_allowed`.";
const FORBIDDEN_OR_SANDBOX_ONLY: &str =
    "`invalid_credentials`, `insufficient_scope`, `sandbox_only`, `address_not_allowed`.";

/// Adds responses to a set. A response replaces the existing one with the same status.
fn with<const N: usize>(mut responses: Responses, more: [(String, RefOr<Response>); N]) -> Responses {
    responses.extend(more);
    responses
}

/// Removes statuses from a set.
fn without(mut responses: Responses, statuses: &[&str]) -> Responses {
    responses.retain(|status, _| !statuses.contains(&status.as_str()));
    responses
}
