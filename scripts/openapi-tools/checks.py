"""Checks for schemathesis: a request that the OpenAPI document describes is not refused for its form."""

import schemathesis
from schemathesis.core.failures import Failure

# Codes of errors that depend on stored data: the policy of the account, and the decimals of a currency.
BY_DATA = {"mfa_required", "too_many_decimals"}

# The beginnings of messages about what the document can't express.
MESSAGES = (
    # Stored data: currencies of budgets, cards, checkouts and payments, permissions, exchange rates, the bank list.
    "must be a currency that a budget of the card holds",
    "must be a currency that the budget holds",
    "must be a currency that the parent budget holds",
    "must be a currency with an exchange rate",
    "must be the currency of the card",
    "must not be set without the permission",
    "must be the id of a bank on the bank list",
    "must not be sent: the session collects no address",
    # The clock.
    "must be within the last ",
    "must be from today to",
    # A cursor that no earlier answer returned.
    "is from before a restore of the account",
    # Parameters that exclude each other, or must equal or differ from a member of the body.
    "cannot be combined with cursor",
    "must differ from the paying budget",
    "must equal the accountId of the query",
    # Two values that are equal, in order, or unique by some of their members.
    "must be the id of webhookEventTypeName",
    "must be at most multiClearingSequenceCount",
    "must be at most the amount",
    "must begin with the lower code",
    "must name each budget once",
    "must differ from rules[",
    # Names of earlier steps of a scenario.
    "must name an earlier step",
    "must differ from the names of earlier steps",
    # Sums: of the prices of a basket, and of the parts of a duration.
    "must be the sum of the basket and the shipping",
    "must be at most 365 days",
    # Check digits, and the contrast of colours.
    "must pass the modulus check",
    "must be a valid IBAN",
    "must have a contrast",
    # The name of a card after its transliteration.
    "must contain a letter or digit",
)

# Messages that vary at their beginning: the sum of a basket, and the type of a stored checkout.
ENDINGS = (", the sum of the basket and the shipping", ", the type of the checkout")

# Messages about the type of a stored object, which the request does not name.
OF_STORED_TYPE = {
    ("PATCH /v2/webhooks/{webhookId}", "is available for Merchant event types only"),
    ("PATCH /v2/merchant/checkouts/{checkoutId}", "must not be sent for a TOP_UP checkout"),
    ("PUT /v2/cards/{cardId}", "must be left out for BUDGET"),
}


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf8", "surrogatepass")}


def is_activity_number(case, error):
    """Whether the id in the path is a number, although the type in the path requires a UUID."""
    path = case.path_parameters or {}
    return (
        case.operation.label == "GET /v2/activity/{type}/{id}"
        and (error["path"], error["errorCode"]) == ("path.id", "invalid_format")
        and path.get("type") in ("transaction", "payment")
        and str(path.get("id", "")).isdecimal()
    )


def is_without_account(case, error):
    """Whether a request names the account neither in its query nor in its body.

    The document says only in words that one of the two is required.
    """
    body = case.body if isinstance(case.body, dict) else {}
    return (
        case.operation.label in {"POST /v2/people", "PATCH /v2/people/{personId}"}
        and (error["path"], error["message"]) == ("query.accountId", "is required")
        and body.get("accountId") is None
    )


def is_in_file(case, status, error):
    """Whether an error is about the contents of a file, which the document can't describe."""
    path, code = error["path"], error["errorCode"]
    match case.media_type:
        case "text/csv":
            return status == 400 and (path == "body" or path.startswith("body."))
        case "multipart/form-data":
            # The generator puts control characters into the names of parts, which are headers.
            if (path, error["message"].split(" in ")[0]) == ("body", "must have valid headers"):
                return status == 400
            refusals = {(415, "unsupported_media_type"), (400, "invalid_format"), (400, "invalid_value")}
            return path == "body.file" and (status, code) in refusals
        case "application/x-ndjson":
            return status == 400 and path == "body" and code in {"invalid_format", "invalid_value"}
    return False


def is_described(case, status, error):
    """Whether the document can express the rule that the error is about."""
    return not (
        error["errorCode"] in BY_DATA
        or error["message"].startswith(MESSAGES)
        or error["message"].endswith(ENDINGS)
        or (case.operation.label, error["message"]) in OF_STORED_TYPE
        or is_activity_number(case, error)
        or is_without_account(case, error)
        or is_in_file(case, status, error)
    )


@schemathesis.check
def described_requests_are_accepted(ctx, response, case):
    """Fails if a request of the described form gets 400, 413 or 415."""
    has_form = case.meta is not None and case.meta.generation.mode.is_positive
    if not has_form or response.status_code not in (400, 413, 415):
        return
    errors = [error for error in response.json()["errors"] if is_described(case, response.status_code, error)]
    if errors:
        raise Failure(
            operation=case.operation.label,
            title="A described request was refused",
            message=f"{response.status_code}: {errors}",
        )
