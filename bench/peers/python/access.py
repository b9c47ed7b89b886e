"""Authentication and authorization of callers."""

import hashlib
import time
from datetime import datetime, timezone

from starlette.requests import Request

import database
from database import Problem

# A key is looked up at most once in this time.
CACHED_SECONDS = 1.0
callers: dict = {}


async def find(key: str):
    known = callers.get(key)
    if known and known[1] > time.monotonic():
        return known[0]
    caller = await database.pool.fetchrow(
        "SELECT client_id, scopes, expires_at, revoked_at FROM api_keys WHERE hash = $1 AND environment = 'sandbox'",
        hashlib.sha256(key.encode()).digest(),
    )
    callers[key] = (caller, time.monotonic() + CACHED_SECONDS)
    return caller


async def authenticate(request: Request, scope: str):
    header = request.headers.get("authorization")
    if not header:
        raise Problem(401, "An API key is required.")
    caller = await find(header.removeprefix("ApiKey "))
    expires = caller and caller["expires_at"]
    if caller is None or caller["revoked_at"] or (expires and expires <= datetime.now(timezone.utc)):
        raise Problem(403, "The key is not valid.")
    if scope not in caller["scopes"].split():
        raise Problem(403, f"The scope {scope} is missing.")
    name = request.query_params.get("accountId")
    if not name or len(name) > 36:
        raise Problem(400, "accountId is required.")
    account = await database.pool.fetchrow("SELECT id, client_id, merchant, mfa_required FROM accounts WHERE id = $1", name)
    if account is None or account["client_id"] != caller["client_id"]:
        raise Problem(404, "The account does not exist.")
    return account
