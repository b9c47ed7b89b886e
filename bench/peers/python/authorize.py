"""An authorization: card, limits and balance under the lock, a decision, and everything it changes."""

import json
from datetime import datetime, timedelta, timezone

from database import Problem, canonical, new_id, once

APPROVED = ("0000", "Approved or completed successfully")


def money(minor: int) -> str:
    sign, minor = ("-", -minor) if minor < 0 else ("", minor)
    return f"{sign}{minor // 100}.{minor % 100:02}"


async def handle(account, request, raw: bytes, body):
    return await once(account, request, "json", canonical(raw), lambda conn: decide(conn, account, body))


async def decide(conn, account, body):
    amount = round(body.amount * 100)
    card = await conn.fetchrow(
        "SELECT c.id, c.budget_id, c.currency, c.state, c.user_token, c.expires_on, b.available_minor, b.held_minor,"
        " b.reserved_minor FROM cards c"
        " JOIN balances b ON b.account_id = c.account_id AND b.budget_id = c.budget_id AND b.currency = c.currency"
        " WHERE c.account_id = $1 AND c.id = $2 FOR UPDATE OF b",
        account["id"], body.cardId,
    )
    if card is None:
        raise Problem(404, "The card does not exist.")
    limits = await conn.fetch(
        "SELECT amount_minor, spent_minor FROM card_limits WHERE account_id = $1 AND card_id = $2 FOR UPDATE",
        account["id"], card["id"],
    )
    now = datetime.now(timezone.utc)
    response = refusal(card, limits, amount, now) or APPROVED
    approved = response is APPROVED
    held = amount if approved else 0
    message = {
        "token": new_id(), "now": now, "amount": amount, "response": response, "impacted": -held,
        "state": "PENDING" if approved else "DECLINED",
        "ledger": card["available_minor"] + card["held_minor"] + card["reserved_minor"],
        "available": card["available_minor"] - held,
        "mid": body.cardAcceptor.mid.rjust(15, "0"), "network": body.network,
    }
    await store(conn, account, card, message)
    if approved:
        await hold(conn, account, card, message)
    return 201, json.dumps({"transaction": view(card, message)}, separators=(",", ":"))


def refusal(card, limits, amount, now):
    if card["state"] == "SUSPENDED":
        return "1003", "Card suspended"
    if card["state"] != "ACTIVE":
        return "1806", "Card not active"
    if card["expires_on"] < now.date():
        return "1001", "Card expired"
    if any(limit["spent_minor"] + amount > limit["amount_minor"] for limit in limits):
        return "1817", "Usage limit reached"
    if card["available_minor"] < amount:
        return "1016", "Not sufficient funds"
    return None


async def store(conn, account, card, m):
    await conn.execute(
        "INSERT INTO card_transactions VALUES ($1, $2, $2, $3, $4, $5, 'purchase', 'authorization', $6, $7, $8, $8, $9, $10,"
        " $11, $12, NULL, $13, $14, 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', $15)",
        account["id"], m["token"], card["id"], card["user_token"], card["budget_id"], m["state"], card["currency"], m["amount"],
        m["impacted"], m["response"][0], m["ledger"], m["available"], m["network"], m["mid"], m["now"],
    )


async def hold(conn, account, card, m):
    journal, budget, currency = new_id(), card["budget_id"], card["currency"]
    await conn.execute(
        "INSERT INTO card_chains VALUES ($1, $2, $3, $4, $5, 'purchase', $6, $6, 0, NULL, $7, $8)",
        account["id"], m["token"], card["id"], budget, currency, m["amount"], m["now"] + timedelta(days=7), m["now"],
    )
    await conn.execute(
        "INSERT INTO journal_transactions VALUES ($1, $2, 'card', $3, $4, $5)",
        account["id"], journal, m["token"], currency, m["now"],
    )
    await conn.execute(
        "INSERT INTO journal_entries VALUES ($1, $2, 0, 'available', $3, $4), ($1, $2, 1, 'held', $3, $5)",
        account["id"], journal, budget, -m["amount"], m["amount"],
    )
    await conn.execute(
        "UPDATE balances SET available_minor = $1, held_minor = $2 WHERE account_id = $3 AND budget_id = $4 AND currency = $5",
        m["available"], card["held_minor"] + m["amount"], account["id"], budget, currency,
    )


def view(card, m) -> dict:
    created = m["now"].strftime("%Y-%m-%dT%H:%M:%SZ")
    amount = money(m["amount"])
    return {
        "acquirerFeeAmount": "0.00", "type": "authorization", "state": m["state"], "token": str(m["token"]),
        "userToken": str(card["user_token"]), "cardToken": str(card["id"]), "requestAmount": amount,
        "response": {"code": m["response"][0], "memo": m["response"][1]},
        "createdTime": created, "userTransactionTime": created, "settlementDate": f"{created[:10]}T00:00:00Z",
        "amount": amount,
        "gpa": {
            "ledgerBalance": money(m["ledger"]), "availableBalance": money(m["available"]),
            "impactedAmount": money(m["impacted"]),
        },
        "currencyCode": card["currency"],
        "currencyConversion": {"originalAmount": amount, "conversionRate": 1, "originalCurrencyCode": "826"},
        "network": m["network"], "subnetwork": "VISANET",
        "cardAcceptor": {
            "postalCode": "EC1A 1BB", "mid": m["mid"], "mcc": "5999", "name": "Sandbox Merchant", "city": "London",
            "state": "", "countryCode": "GBR",
        },
    }
