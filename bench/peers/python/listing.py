"""The list of checkouts."""

import database
from database import Problem


def text(at) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def view(row) -> dict:
    shipping = None
    if row["collect_address"] is not None:
        shipping = {"collectAddress": row["collect_address"], "dynamicRatesUrl": row["dynamic_rates_url"]}
    settlement = row["settlement_account_id"]
    return {
        "id": str(row["id"]),
        "type": row["checkout_type"],
        "name": row["name"],
        "status": row["status"],
        "currencyCode": row["currency"],
        "settlementAccountId": str(settlement) if settlement else None,
        "shippingOptions": shipping,
        "returnUrl": row["return_url"],
        "locale": row["locale"],
        "createdAt": text(row["created_at"]),
        "updatedAt": text(row["updated_at"]),
    }


async def checkouts(account, limit: int, offset: int) -> dict:
    if not account["merchant"]:
        raise Problem(404, "The account does not exist.")
    async with database.pool.acquire() as connection:
        rows = await connection.fetch(
            "SELECT id, checkout_type, status, name, currency, return_url, locale, settlement_account_id, collect_address,"
            " dynamic_rates_url, created_at, updated_at"
            " FROM checkouts WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3",
            account["id"], limit, offset,
        )
        count = await connection.fetchval("SELECT count(*) FROM checkouts WHERE account_id = $1", account["id"])
    return {"limit": limit, "offset": offset, "count": count, "rows": [view(row) for row in rows]}
