"""The pool and idempotency. asyncpg keeps every statement of a connection prepared."""

import json
import os
import time
import uuid

import asyncpg


class Problem(Exception):
    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status, self.message = status, message


pool: asyncpg.Pool = None


async def connect():
    global pool
    size = max(1, int(os.environ.get("PEER_POOL", "32")) // int(os.environ.get("PEER_PROCESSES", "1")))
    pool = await asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=size, max_size=size)


def canonical(raw: bytes) -> str:
    return json.dumps(json.loads(raw), sort_keys=True, separators=(",", ":"))


def new_id() -> uuid.UUID:
    """Creates a UUID of version 7, which this Python version lacks."""
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10))
    return uuid.UUID(int=value & ~(0xF << 76) & ~(0x3 << 62) | (0x7 << 76) | (0x2 << 62))


async def once(account, request, form: str, body: str, work):
    """Runs the work once per idempotency key, and returns the first answer for repeats."""
    key = request.headers.get("idempotency-key")
    async with pool.acquire() as connection, connection.transaction():
        if key is None:
            return await work(connection)
        path, query = request.url.path, f"accountId={account['id']}"
        record = await connection.fetchrow(
            "SELECT method, path, query, body, answer_status, answer_body FROM idempotency_records"
            " WHERE account_id = $1 AND client_id = $2 AND idempotency_key = $3",
            account["id"], account["client_id"], key,
        )
        if record is not None:
            if tuple(record)[:4] != (request.method, path, query, body):
                raise Problem(422, "The key was used with another request.")
            return record["answer_status"], record["answer_body"]
        status, answer = await work(connection)
        await connection.execute(
            "INSERT INTO idempotency_records VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())",
            account["id"], account["client_id"], key, request.method, path, query, form, body, status, answer,
        )
        return status, answer
