"""An authorization: card, limits and balance under the lock, a decision, and everything it changes."""

import json
from datetime import datetime, timedelta, timezone

from database import Problem, canonical, new_id, once

APPROVED = ("0000", "Approved or completed successfully")


def money(minor: int) -> str:
    sign, minor = ("-", -minor) if minor < 0 else ("", minor)
    return f"{sign}{minor // 100}.{minor % 100:02}"


async def handle(account, request, raw: bytes, body):
    return await once(account, request, "json", canonical(raw), lambda connection: decide(connection, account, body))


async def decide(connection, account, body):
    amount = round(body.amount * 100)
    card = await connection.fetchrow(
        "SELECT c.id, c.budget_id, c.currency, c.state, c.user_token, c.expires_on, b.available_minor, b.held_minor,"
        " b.reserved_minor FROM cards c"
        " JOIN balances b ON b.account_id = c.account_id AND b.budget_id = c.budget_id AND b.currency = c.currency"
        " WHERE c.account_id = $1 AND c.id = $2 FOR UPDATE OF b",
        account["id"], body.cardId,
    )
    if card is None:
        raise Problem(404, "The card does not exist.")
    limits = await connection.fetch(
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
    await store(connection, account, card, message)
    if approved:
        await hold(connection, account, card, message)
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


async def store(connection, account, card, message):
    await connection.execute(
        "INSERT INTO card_transactions VALUES ($1, $2, $2, $3, $4, $5, 'purchase', 'authorization', $6, $7, $8, $8, $9, $10,"
        " $11, $12, NULL, $13, $14, 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', $15)",
        account["id"], message["token"], card["id"], card["user_token"], card["budget_id"], message["state"],
        card["currency"], message["amount"], message["impacted"], message["response"][0], message["ledger"],
        message["available"], message["network"], message["mid"], message["now"],
    )


async def hold(connection, account, card, message):
    journal, budget, currency = new_id(), card["budget_id"], card["currency"]
    await connection.execute(
        "INSERT INTO card_chains VALUES ($1, $2, $3, $4, $5, 'purchase', $6, $6, 0, NULL, $7, $8)",
        account["id"], message["token"], card["id"], budget, currency, message["amount"],
        message["now"] + timedelta(days=7), message["now"],
    )
    await connection.execute(
        "INSERT INTO journal_transactions VALUES ($1, $2, 'card', $3, $4, $5)",
        account["id"], journal, message["token"], currency, message["now"],
    )
    await connection.execute(
        "INSERT INTO journal_entries VALUES ($1, $2, 0, 'available', $3, $4), ($1, $2, 1, 'held', $3, $5)",
        account["id"], journal, budget, -message["amount"], message["amount"],
    )
    await connection.execute(
        "UPDATE balances SET available_minor = $1, held_minor = $2 WHERE account_id = $3 AND budget_id = $4 AND currency = $5",
        message["available"], card["held_minor"] + message["amount"], account["id"], budget, currency,
    )


def view(card, message) -> dict:
    created = message["now"].strftime("%Y-%m-%dT%H:%M:%SZ")
    amount = money(message["amount"])
    return {
        "acquirerFeeAmount": "0.00", "type": "authorization", "state": message["state"], "token": str(message["token"]),
        "userToken": str(card["user_token"]), "cardToken": str(card["id"]), "requestAmount": amount,
        "response": {"code": message["response"][0], "memo": message["response"][1]},
        "createdTime": created, "userTransactionTime": created, "settlementDate": f"{created[:10]}T00:00:00Z",
        "amount": amount,
        "gpa": {
            "ledgerBalance": money(message["ledger"]), "availableBalance": money(message["available"]),
            "impactedAmount": money(message["impacted"]),
        },
        "currencyCode": card["currency"],
        "currencyConversion": {"originalAmount": amount, "conversionRate": 1, "originalCurrencyCode": "826"},
        "network": message["network"], "subnetwork": "VISANET",
        "cardAcceptor": {
            "postalCode": "EC1A 1BB", "mid": message["mid"], "mcc": "5999", "name": "Sandbox Merchant", "city": "London",
            "state": "", "countryCode": "GBR",
        },
    }
