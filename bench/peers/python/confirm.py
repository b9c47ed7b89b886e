"""The confirmation of a payment batch."""

import hashlib
from datetime import datetime, timezone

from database import Problem, canonical, new_id, once


async def handle(account, request, raw: bytes, batch, mfa):
    # The body contains a token, so only its hash is stored.
    body = hashlib.sha256(canonical(raw).encode()).hexdigest()
    return await once(account, request, "hash", body, lambda connection: decide(connection, account, batch, mfa))


async def decide(connection, account, batch_id, mfa):
    now = datetime.now(timezone.utc)
    batch = await connection.fetchrow(
        "SELECT id, status FROM payment_batches WHERE account_id = $1 AND id = $2 FOR UPDATE", account["id"], batch_id
    )
    if batch is None:
        raise Problem(404, "The batch does not exist.")
    if batch["status"] != "validated":
        raise Problem(409, f"The batch is {batch['status']}.")
    session = await connection.fetchrow(
        "SELECT id, client_id, batch_id, state, expires_at FROM mfa_sessions WHERE account_id = $1 AND id = $2 FOR UPDATE",
        account["id"], mfa.sessionId,
    )
    fits = session and session["batch_id"] == batch["id"] and session["client_id"] == account["client_id"]
    if not fits or session["state"] != "open" or session["expires_at"] <= now or mfa.token != "000000":
        raise Problem(403, "The token is wrong.")
    orders = await connection.fetch(
        "SELECT o.budget_id, o.currency, o.total_minor, b.available_minor, b.reserved_minor FROM payment_orders o"
        " JOIN balances b ON b.account_id = o.account_id AND b.budget_id = o.budget_id AND b.currency = o.currency"
        " WHERE o.account_id = $1 AND o.batch_id = $2 ORDER BY o.budget_id FOR UPDATE OF b",
        account["id"], batch["id"],
    )
    if any(order["available_minor"] < order["total_minor"] for order in orders):
        raise Problem(409, "The funds are insufficient.")
    await connection.execute(
        "UPDATE mfa_sessions SET state = 'burnt' WHERE account_id = $1 AND id = $2", account["id"], session["id"]
    )
    await connection.execute(
        "UPDATE payment_batches SET status = 'confirmed', updated_at = $3, confirmed_at = $3, passed_mfa_check_at = $3"
        " WHERE account_id = $1 AND id = $2",
        account["id"], batch["id"], now,
    )
    for order in orders:
        await reserve(connection, account, batch, order, now)
    return 200, '{"status":"confirmed"}'


async def reserve(connection, account, batch, order, now):
    journal, total = new_id(), order["total_minor"]
    await connection.execute(
        "INSERT INTO journal_transactions VALUES ($1, $2, 'batch_reservation', $3, $4, $5)",
        account["id"], journal, batch["id"], order["currency"], now,
    )
    await connection.execute(
        "INSERT INTO journal_entries VALUES ($1, $2, 0, 'available', $3, $4), ($1, $2, 1, 'reserved', $3, $5)",
        account["id"], journal, order["budget_id"], -total, total,
    )
    await connection.execute(
        "UPDATE balances SET available_minor = $1, reserved_minor = $2"
        " WHERE account_id = $3 AND budget_id = $4 AND currency = $5",
        order["available_minor"] - total, order["reserved_minor"] + total, account["id"], order["budget_id"], order["currency"],
    )
