//! The error responses of operations, for the OpenAPI document: each set is declared once and named by the operations
//! that share it. A set has the statuses and codes that its operations can return, and no others.

use crate::codes::ErrorCode::{
    self, DuplicateField, DuplicateParameter, InvalidFormat, InvalidJson, InvalidType, InvalidValue, MfaRequired,
    OutOfRange, Required, TooLong, TooManyDecimals, UnknownField,
};
use std::collections::BTreeMap;
use utoipa::IntoResponses;
use utoipa::openapi::{Content, Header, Ref, RefOr, Response, ResponseBuilder};

type Responses = BTreeMap<String, RefOr<Response>>;
/// A status and its response.
type StatusResponse = (String, RefOr<Response>);

/// The codes of the validation errors that a part of a request can have.
type Codes = &'static [ErrorCode];

/// Any request: a parameter or header that is sent twice, and `dryRun` for an operation without dry runs.
const ANY: Codes = &[InvalidValue, DuplicateParameter];
/// An id or a filter.
const VALUE: Codes = &[Required, InvalidFormat];
/// The id of an account in the path.
const ACCOUNT_IN_PATH: Codes = &[InvalidFormat, TooLong];
/// The id of an account in the query, and filters.
const ACCOUNT: Codes = &[Required, InvalidFormat, TooLong];
/// A number, such as `limit` and `offset`.
const NUMBER: Codes = &[Required, InvalidFormat, OutOfRange];
/// An operation without a body: its idempotency key, the ids in its path, and a body that is sent nevertheless.
const NO_BODY: Codes = &[InvalidJson, InvalidType, InvalidFormat, UnknownField, DuplicateField];
/// A JSON body, the idempotency key and the account.
const JSON: Codes =
    &[Required, InvalidJson, InvalidType, InvalidFormat, OutOfRange, TooLong, UnknownField, DuplicateField];
/// An amount whose currency limits its decimals.
const AMOUNT: Codes = &[TooManyDecimals];

/// The 409 that every operation on a world can return. The world can be restored by another server, or by this server
/// while the request waits for a decision endpoint.
const RESTORED: &str = "`invalid_state`: the world was restored while the request was in progress; retry it.";
// What a 409 can have in addition.
const STATE: &str = "`invalid_state`: the current state does not allow it.";
const SHOWN_ONCE: &str = "`invalid_state`: the request succeeded before under this idempotency key, and its response \
    contained a secret.";
const DISABLED: &str = "`invalid_state`: the subscription is disabled.";
/// The refusals of a message that follows another one.
const FOLLOW_UP: &str = "`wrong_transaction_kind`, `already_cleared`, `already_reversed`";

const OVERLOADED: &str = "`overloaded`: the server is overloaded, its database can't be reached, or the operator is \
    moving a client to another database.";
const RETRY: &str = "Retry after the interval in `Retry-After`, a write with the same `Idempotency-Key`.";

// What a 403 can have in addition to the codes that every operation has.
const NOTHING: &str = "";
const SANDBOX: &str = ", `sandbox_only`";
const NO_BANKS: &str = "; `feature_not_enabled`: the server has no banks that payers can pay from";
const NOT_PERMITTED: &str = "; `feature_not_enabled`: the merchant does not have the permission";
const NOT_ENABLED: &str = "; `feature_not_enabled`: the operator has not enabled the operation for the client";
const DRY_RUN: &str = "; `sandbox_only`: a dry run was sent to production";

/// Returns an error response with its status. `headers` are the names of its headers.
fn response(status: &str, description: &str, headers: &[&str]) -> StatusResponse {
    let content = Content::new(Some(Ref::from_schema_name("Error")));
    let response = ResponseBuilder::new().description(description).content("application/json", content);
    let response = headers.iter().fold(response, |response, name| response.header(*name, Header::default()));
    (status.to_owned(), response.build().into())
}

/// Returns the 400 of a request that consists of these parts.
fn invalid(parts: &[Codes]) -> StatusResponse {
    let has = |code: &&ErrorCode| ANY.contains(code) || parts.iter().any(|part| part.contains(code));
    let codes: Vec<_> = ErrorCode::ALL.iter().filter(has).map(|code| format!("`{}`", code.as_str())).collect();
    response("400", &format!("{}: one entry for each validation error.", codes.join(", ")), &[])
}

/// Returns the 409 of an operation on an account, which may be a world. `own` describes the operation's own refusals.
fn conflict(own: &str) -> StatusResponse {
    response("409", format!("{own} {RESTORED}").trim_start(), &[])
}

/// Returns the 503 of an operation that calls a provider.
fn provider(name: &str) -> StatusResponse {
    let description = format!("{OVERLOADED} `provider_unavailable`: {name} can't be reached. {RETRY}");
    response("503", &description, &["Retry-After"])
}

fn too_large(max: &str) -> StatusResponse {
    response("413", &format!("`payload_too_large`: the body exceeds {max}."), &[])
}

fn unsupported(what: &str) -> StatusResponse {
    response("415", &format!("`unsupported_media_type`: {what}."), &[])
}

/// Returns the errors of an operation that reads data of an account. `forbidden` is what its 403 has in addition.
fn reading(parts: &[Codes], forbidden: &str) -> Responses {
    let forbidden = format!("`invalid_credentials`, `insufficient_scope`, `address_not_allowed`{forbidden}.");
    BTreeMap::from([
        invalid(parts),
        response("401", "`missing_credentials`: no API key was sent.", &["WWW-Authenticate"]),
        response("403", &forbidden, &[]),
        response("404", "`not_found`: the object does not exist, or this API key cannot access it.", &[]),
        conflict(""),
        response("429", "`rate_limited`: too many requests, or too many unknown API keys.", &["Retry-After"]),
        response("500", "`internal`: a bug in Florin; the message contains the request id.", &[]),
        response("503", &format!("{OVERLOADED} {RETRY}"), &["Retry-After"]),
    ])
}

/// Returns the errors of an operation that reads data of the client. It names no account, so it has neither 404 nor
/// 409.
fn reading_client(parts: &[Codes], forbidden: &str) -> Responses {
    without(reading(parts, forbidden), &["404", "409"])
}

/// Returns the errors of an operation that writes what its JSON body says. `own` describes the operation's own refusals
/// with 409.
fn writing(parts: &[Codes], forbidden: &str, own: &str) -> Responses {
    let mismatch = "`idempotency_mismatch`: the idempotency key was used for a different request.";
    with(
        reading(parts, forbidden),
        [
            conflict(own),
            too_large("1 MiB"),
            unsupported("the body is not JSON in UTF-8"),
            response("422", mismatch, &[]),
        ],
    )
}

/// Returns the errors of an operation that writes without a body.
fn writing_without_body(parts: &[Codes], forbidden: &str, own: &str) -> Responses {
    let all: Vec<_> = [NO_BODY].into_iter().chain(parts.iter().copied()).collect();
    with(writing(&all, forbidden, own), [unsupported("the body is neither empty nor `{}`")])
}

/// Adds responses to a set. A response replaces the existing one with the same status.
fn with<const N: usize>(mut responses: Responses, more: [StatusResponse; N]) -> Responses {
    responses.extend(more);
    responses
}

/// Removes statuses from a set.
fn without(mut responses: Responses, statuses: &[&str]) -> Responses {
    responses.retain(|status, _| !statuses.contains(&status.as_str()));
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

// Reads.
error_sets! {
    /// Errors of an operation that reads an object.
    ReadErrors = reading(&[ACCOUNT], NOTHING);
    /// Errors of an operation that reads a page of a list, or an object by its number.
    ListErrors = reading(&[ACCOUNT, NUMBER], NOTHING);
    /// Errors of the list of banks. A missing account is a 403.
    BankErrors = with(
        reading(&[], "; `required`: `accountId` is missing"),
        [response("400", "`out_of_range`, `required` (of parameters other than `accountId`), `invalid_format`, \
            `invalid_value`, `too_long`, `duplicate_parameter`: one entry for each validation error.", &[])],
    );
    /// Errors of a list of data of the client.
    ClientListErrors = reading_client(&[NUMBER], NOTHING);
    /// Errors of an operation that reads an object and exists in the sandbox only.
    SandboxReadErrors = reading(&[ACCOUNT], SANDBOX);
    /// Errors of an operation that reads a page of a list and exists in the sandbox only.
    SandboxListErrors = reading(&[ACCOUNT, NUMBER], SANDBOX);
    /// Errors of a list of data of the client that exists in the sandbox only.
    SandboxClientListErrors = reading_client(&[NUMBER], SANDBOX);
    /// Errors of the list of events. In production, the operator enables events for each client.
    EventErrors = reading(&[ACCOUNT, NUMBER], NOT_ENABLED);
    /// Errors of a stream of events, before it begins.
    StreamErrors = with(reading(&[], NOT_ENABLED), [
        response("400", "`required`, `invalid_format`, `invalid_value` (also if the event of `Last-Event-ID` is no \
            longer stored), `too_long`, `duplicate_parameter`: one entry for each validation error.", &[]),
        response("429", "`rate_limited`: too many requests, unknown API keys or open streams.", &["Retry-After"]),
    ]);
    /// Errors of the address lookup.
    LookupErrors = with(reading_client(&[VALUE], NOT_ENABLED), [provider("the provider of addresses")]);
    /// Errors of an operation without parameters.
    NoParameterErrors = reading_client(&[], NOTHING);
    /// Errors of a download. It is a POST without a body.
    DownloadErrors = with(
        reading(&[NO_BODY, ACCOUNT], NOTHING),
        [too_large("1 MiB"), unsupported("the body is neither empty nor `{}`")],
    );
    /// Errors of an export of payments.
    ExportErrors = with(
        ReadErrors::responses(),
        [response("422", "`too_many_rows`: more rows match than a file can have.", &[])],
    );
}

// Writes of accounts.
error_sets! {
    /// Errors of a write that the state of an object can prevent.
    ChangeErrors = writing(&[JSON], NOTHING, STATE);
    /// Errors of a change of a budget. The change can have an amount.
    EditBudgetErrors = writing(&[JSON, AMOUNT], NOTHING, STATE);
    /// Errors of a change that is possible in every state of its object.
    SetErrors = writing(&[JSON], NOTHING, "");
    /// Errors of setting a limit of a card.
    LimitErrors = writing(&[JSON, AMOUNT], NOTHING, "");
    /// Errors of a removal that is possible in every state of its object.
    RemoveErrors = writing_without_body(&[ACCOUNT], NOTHING, "");
    /// Errors of a cancellation or removal that the state of an object can prevent.
    CancelErrors = writing_without_body(&[ACCOUNT], NOTHING, STATE);
    /// Errors of cancelling a session or a top-up. Steps of the session that are due are applied first, and may credit
    /// a budget.
    CancelSessionErrors = writing_without_body(
        &[ACCOUNT],
        NOTHING,
        "`invalid_state`: the session is not OPEN; `balance_limit`.",
    );
    /// Errors of a transfer.
    TransferErrors = writing(&[JSON, AMOUNT], DRY_RUN, "`insufficient_funds`, `balance_limit`.");
    /// Errors of creating a card.
    CreateCardErrors = writing(
        &[JSON],
        "; `feature_not_enabled`: the budget does not have the feature of the new card",
        "`invalid_state`: the person was erased, or the account has the maximum number of cards.",
    );
    /// Errors of the order of a physical card.
    PhysicalCardErrors = writing(
        &[JSON],
        SANDBOX,
        "`invalid_state`: the card is physical, has ended or has a physical card already, or the account has the \
         maximum number of cards.",
    );
    /// Errors of setting the decision endpoint of an account.
    EndpointErrors = writing(&[JSON], NOTHING, SHOWN_ONCE);
    /// Errors of replacing a signing secret.
    RotateSecretErrors = writing(
        &[JSON],
        NOTHING,
        "`invalid_state`: the request succeeded before under this idempotency key, and its response contained a \
         secret; or another request changed the object at the same time.",
    );
}

// Payment batches.
error_sets! {
    /// Errors of creating a payment batch.
    CreateBatchErrors = with(writing(&[JSON], NOTHING, "`balance_limit`."), [too_large("16 MiB")]);
    /// Errors of an upload of payments.
    UploadErrors = with(writing(&[JSON], NOTHING, "`invalid_state`, `balance_limit`."), [
        too_large("16 MiB"),
        unsupported("the body is neither JSON nor CSV in UTF-8"),
    ]);
    /// Errors of opening an MFA session.
    MfaSessionErrors = writing(&[JSON], NOTHING, "`invalid_state`, `mfa_not_enrolled`.");
    /// Errors of a confirmation.
    ConfirmErrors = with(
        writing(
            &[JSON, &[MfaRequired]],
            &format!(", `mfa_failed`, `mfa_expired`, `mfa_locked`{DRY_RUN}"),
            "`invalid_state`, `insufficient_funds`, `balance_limit`.",
        ),
        [provider("the MFA provider")],
    );
}

// Merchants.
error_sets! {
    /// Errors of creating a checkout.
    CreateCheckoutErrors = writing(&[JSON], NOT_PERMITTED, STATE);
    /// Errors of a change of a merchant profile.
    EditMerchantErrors = writing(&[JSON], NOT_PERMITTED, "");
    /// Errors of an upload of a logo.
    LogoErrors = with(writing(&[], NOTHING, ""), [
        response("400", "`required`, `invalid_json` (the body did not arrive), `invalid_format`, `invalid_value`, \
            `too_long`, `unknown_field`, `duplicate_parameter`: one entry for each validation error.", &[]),
        response("413", "`payload_too_large`: the file exceeds 5 MiB or 40,000,000 pixels, takes too much memory or \
            time to decode, or is sent twice.", &[]),
        unsupported("the body is not multipart/form-data, or the file is not PNG, JPEG or WebP"),
    ]);
    /// Errors of creating a checkout session.
    CreateSessionErrors = writing(&[JSON, AMOUNT], NO_BANKS, STATE);
    /// Errors of creating a top-up.
    CreateTopUpErrors = writing(&[JSON, AMOUNT], NO_BANKS, "");
    /// Errors of creating a refund.
    CreateRefundErrors = writing(&[JSON, AMOUNT], &format!("{NO_BANKS}{DRY_RUN}"), STATE);
    /// Errors of the operator's decision about bank details.
    ApprovalErrors = writing(&[JSON], SANDBOX, "`invalid_state`: the operator has decided already.");
    /// Errors of paying a checkout session without a browser.
    PaySessionErrors =
        writing(&[JSON, AMOUNT], SANDBOX, "`invalid_state`: the session is not OPEN; `balance_limit`.");
    /// Errors of authorising a refund without a browser.
    AuthoriseRefundErrors =
        writing(&[JSON], SANDBOX, "`invalid_state`: the refund does not await its authorisation; `balance_limit`.");
}

// Simulated credits, card messages and disputes.
error_sets! {
    /// Errors of a credit, and of a message that moves money in the card's currency.
    CreditErrors = writing(&[JSON, AMOUNT], SANDBOX, "`balance_limit`.");
    /// Errors of a first message, which can name a currency.
    FirstMessageErrors = with(CreditErrors::responses(), [provider("the source of exchange rates")]);
    /// Errors of a balance inquiry, which moves no money.
    InquiryErrors = writing(&[JSON], SANDBOX, "");
    /// Errors of an advice and an increment.
    HoldErrors = writing(&[JSON, AMOUNT], SANDBOX, &format!("{FOLLOW_UP}, `expired`, `balance_limit`."));
    /// Errors of a clearing. Without an authorization it is a first message.
    ClearingErrors = with(AtmClearingErrors::responses(), [provider("the source of exchange rates")]);
    /// Errors of the clearing of an ATM withdrawal.
    AtmClearingErrors = writing(
        &[JSON, AMOUNT],
        SANDBOX,
        &format!("{FOLLOW_UP}, `expired`, `amount_exceeds_authorization`, `balance_limit`."),
    );
    /// Errors of a reversal.
    ReversalErrors =
        writing(&[JSON, AMOUNT], SANDBOX, &format!("{FOLLOW_UP}, `expired`, `amount_exceeds_hold`, `balance_limit`."));
    /// Errors of the expiry of a hold.
    ExpirationErrors = writing(&[JSON], SANDBOX, &format!("{FOLLOW_UP}, `expired`, `balance_limit`."));
    /// Errors of the clearing of a refund.
    RefundClearingErrors =
        writing(&[JSON, AMOUNT], SANDBOX, &format!("{FOLLOW_UP}, `amount_exceeds_authorization`, `balance_limit`."));
    /// Errors of the reversal of a refund.
    RefundReversalErrors = writing(&[JSON], SANDBOX, &format!("{FOLLOW_UP}, `balance_limit`."));
    /// Errors of the return of a debit or refund.
    ReturnErrors = writing(
        &[JSON, AMOUNT],
        SANDBOX,
        "`wrong_transaction_kind`, `already_reversed`, `amount_exceeds_authorization`, `balance_limit`.",
    );
    /// Errors of opening a dispute.
    OpenDisputeErrors = writing(
        &[JSON, AMOUNT],
        SANDBOX,
        "`wrong_transaction_kind`, `amount_exceeds_authorization`, `balance_limit`.",
    );
    /// Errors of adding evidence to a dispute.
    EvidenceErrors =
        writing(&[JSON], SANDBOX, "`invalid_state`: the dispute is decided, or has 20 texts of evidence.");
    /// Errors of a provisional credit.
    ProvisionalCreditErrors = writing_without_body(
        &[ACCOUNT],
        SANDBOX,
        "`invalid_state`: the dispute is decided or credited already; `balance_limit`.",
    );
    /// Errors of deciding a dispute.
    ResolveErrors = writing(&[JSON], SANDBOX, "`invalid_state`: the dispute is decided already; `balance_limit`.");
}

// The sandbox.
error_sets! {
    /// Errors of a change that exists in the sandbox only and is possible in every state of its object.
    SandboxSetErrors = writing(&[JSON], SANDBOX, "");
    /// Errors of a clock change.
    ClockErrors =
        writing(&[JSON], SANDBOX, "`invalid_state`: the clock cannot go back, or leave the years 2000 to 2099.");
    /// Errors of a scenario. The errors of its steps are part of its 201 response, except for those that end it.
    ScenarioErrors = with(SandboxSetErrors::responses(), [provider("the source of exchange rates")]);
    /// Errors of creating a world.
    CreateWorldErrors = with(writing(&[JSON], SANDBOX, ""), [response("409", "`invalid_state`: a world with this seed \
        exists, the request already created a world under this idempotency key, the client has the maximum number of \
        worlds, or the snapshot was taken by another version of Florin.", &[])]);
    /// Errors of deleting a world. Its idempotency records are deleted, too.
    DeleteWorldErrors = without(writing_without_body(&[ACCOUNT_IN_PATH], SANDBOX, ""), &["422"]);
    /// Errors of taking a snapshot.
    TakeSnapshotErrors = writing(
        &[JSON],
        SANDBOX,
        "`invalid_state`: the world has the maximum number of snapshots, or is too large for a snapshot.",
    );
    /// Errors of restoring a snapshot.
    RestoreErrors =
        writing(&[JSON], SANDBOX, "`invalid_state`: the snapshot was taken by another version of Florin.");
    /// Errors of deleting a snapshot.
    DeleteSnapshotErrors = writing_without_body(&[ACCOUNT_IN_PATH], SANDBOX, "");
    /// Errors of importing a snapshot. The operation names no account.
    ImportSnapshotErrors = with(without(writing(&[], SANDBOX, ""), &["404"]), [
        response("400", "`required`, `invalid_json` (the body did not arrive), `invalid_format`, `invalid_value`, \
            `duplicate_parameter`: one entry for each validation error. The entry of a wrong file is `invalid_format` \
            if its first line is wrong, and otherwise `invalid_value`. Its message names the member, or the line, \
            table and column.", &[]),
        response("409", "`invalid_state`: the client has the maximum number of imported snapshots, or the snapshot \
            was taken by another version of Florin.", &[]),
        too_large("16 MiB"),
        unsupported("the body is not `application/x-ndjson`"),
    ]);
    /// Errors of deleting an imported snapshot.
    DeleteImportedErrors = without(writing_without_body(&[], SANDBOX, ""), &["409"]);
}

// What belongs to a client: subscriptions, and the networks that it may call from.
error_sets! {
    /// Errors of creating a subscription.
    CreateWebhookErrors = with(writing(&[JSON], NOTHING, ""), [response("409", "`invalid_state`: the client has the \
        maximum number of subscriptions; or the request succeeded before under this idempotency key, and its \
        response contained a secret.", &[])]);
    /// Errors of a change of a subscription.
    EditWebhookErrors =
        writing(&[JSON], NOTHING, "`invalid_state`: another request changed the subscription at the same time.");
    /// Errors of sending all events since a time again.
    RecoverErrors = writing(&[JSON], NOTHING, DISABLED);
    /// Errors of sending a test event.
    TestWebhookErrors = writing_without_body(&[ACCOUNT], NOTHING, DISABLED);
    /// Errors of sending an event again.
    RedeliverErrors = writing_without_body(
        &[ACCOUNT],
        NOTHING,
        "`invalid_state`: the subscription is disabled, or the event was deleted or undone.",
    );
    /// Errors of allowing a network. The operation names no object.
    CreateNetworkErrors = with(without(writing(&[JSON], NOTHING, ""), &["404"]), [response("409", "`invalid_state`: \
        the caller would be locked out, the address is on the list, or the list is full.", &[])]);
    /// Errors of removing a network. A retry finds nothing, so the operation stores no response.
    DeleteNetworkErrors = with(without(writing_without_body(&[], NOTHING, ""), &["422"]), [
        response("409", "`invalid_state`: the caller would be locked out.", &[]),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Returns the codes that a description names.
    fn codes(about: &str) -> Vec<&str> {
        let is_code =
            |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
        about.split('`').skip(1).step_by(2).filter(is_code).collect()
    }

    #[test]
    fn a_set_names_only_codes_that_exist() {
        let document: Value = serde_json::from_str(crate::routes::openapi::text()).unwrap();
        let paths = document["paths"].as_object().unwrap().values().filter_map(Value::as_object);
        for operation in paths.flat_map(serde_json::Map::values) {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let about = response["description"].as_str().unwrap();
                if response["content"].is_null() || status.starts_with('2') {
                    continue;
                }
                let named = codes(about);
                let known = |code: &str| ErrorCode::ALL.iter().any(|known| known.as_str() == code);
                let id = &operation["operationId"];
                assert!(!named.is_empty() && named.iter().all(|code| known(code)), "{id} {status}: {about}");
            }
        }
    }

    #[test]
    fn validation_errors_are_those_of_the_parts_of_the_request() {
        let (_, response) = invalid(&[NUMBER, AMOUNT]);
        let response = serde_json::to_value(response).unwrap();
        let expected =
            ["required", "invalid_format", "invalid_value", "out_of_range", "too_many_decimals", "duplicate_parameter"];
        assert_eq!(codes(response["description"].as_str().unwrap()), expected);
    }
}
