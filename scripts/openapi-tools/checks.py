"""Checks for schemathesis: a request that the OpenAPI document describes is not refused for its form."""

import schemathesis
from schemathesis.core.failures import Failure

# What a document can't express, because it depends on stored data: the account's policy, the decimals of a card's
# currency, and (by their messages) the currencies of a budget and those with an exchange rate.
BY_DATA = {"mfa_required", "too_many_decimals"}
BY_DATA_MESSAGES = (
    "must be a currency that the budget holds",
    "must be a currency that the parent budget holds",
    "must be a currency with an exchange rate",
    "must be the currency of the card",
)


def depends_on_data(error):
    return error["errorCode"] in BY_DATA or error["message"].startswith(BY_DATA_MESSAGES)


@schemathesis.check
def described_requests_are_accepted(ctx, response, case):
    """Refuses 400, 413 and 415 for a request of the described form."""
    is_described = case.meta is not None and case.meta.generation.mode.is_positive
    # The document can't describe the columns of a CSV file.
    if not is_described or case.media_type == "text/csv" or response.status_code not in (400, 413, 415):
        return
    errors = [error for error in response.json()["errors"] if not depends_on_data(error)]
    if errors:
        raise Failure(
            operation=case.operation.label,
            title="A described request was refused",
            message=f"{response.status_code}: {errors}",
        )
