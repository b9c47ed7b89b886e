"""Starlette with asyncpg: the measured operations, in ordinary style."""

import contextlib
import json
import uuid
from typing import Annotated, Literal

import asyncpg
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import authorize
import confirm
import database
from access import authenticate
from database import Problem
from listing import checkouts


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Acceptor(Strict):
    mid: Annotated[str, Field(min_length=1, max_length=36)]


class Authorization(Strict):
    cardId: uuid.UUID
    amount: Annotated[float, Field(gt=0, le=1e9)]
    network: Literal["VISA", "MASTERCARD", "DISCOVER", "PULSE"]
    cardAcceptor: Acceptor


class Mfa(Strict):
    provider: Literal["sandbox", "totp", "fx-mfa-service"]
    sessionId: uuid.UUID
    token: Annotated[str, Field(min_length=1, max_length=64)]


class Confirmation(Strict):
    mfa: Mfa


def answer(status: int, body: str) -> Response:
    return Response(body, status, media_type="application/json")


async def ready(request: Request) -> Response:
    await database.pool.fetchval("SELECT 1")
    return JSONResponse({"status": "ready"})


async def list_checkouts(request: Request) -> Response:
    account = await authenticate(request, "merchant:checkouts:read:any")
    try:
        limit = int(request.query_params.get("limit", "100"))
        offset = int(request.query_params.get("offset", "0"))
    except ValueError:
        raise Problem(400, "limit and offset are numbers") from None
    if not 1 <= limit <= 1000 or offset < 0:
        raise Problem(400, "limit or offset is out of range")
    return JSONResponse(await checkouts(account, limit, offset))


async def authorize_card(request: Request) -> Response:
    account = await authenticate(request, "cards:simulate:any")
    raw = await request.body()
    status, body = await authorize.handle(account, request, raw, Authorization.model_validate_json(raw))
    return answer(status, body)


async def confirm_batch(request: Request) -> Response:
    account = await authenticate(request, "payment-batches:confirm:any")
    raw = await request.body()
    batch = uuid.UUID(request.path_params["batch"])
    status, body = await confirm.handle(account, request, raw, batch, Confirmation.model_validate_json(raw).mfa)
    return answer(status, body)


def problem(status: int, message: str) -> Response:
    return JSONResponse({"message": message, "errors": [{"path": "", "message": message, "errorCode": "error"}]}, status)


async def on_problem(request: Request, error: Exception) -> Response:
    return problem(error.status, error.message) if isinstance(error, Problem) else problem(500, "Something went wrong.")


async def on_invalid(request: Request, error: Exception) -> Response:
    faults = error.errors(include_url=False, include_context=False) if isinstance(error, ValidationError) else []
    return problem(400, json.dumps(faults, default=str))


@contextlib.asynccontextmanager
async def lifespan(app: Starlette):
    await database.connect()
    yield
    await database.pool.close()


app = Starlette(
    routes=[
        Route("/readyz", ready),
        Route("/v2/merchant/checkouts", list_checkouts),
        Route("/v2/cards/simulations/transaction/authorization", authorize_card, methods=["POST"]),
        Route("/v2/payment-batches/{batch}/confirm", confirm_batch, methods=["POST"]),
    ],
    exception_handlers={Problem: on_problem, ValidationError: on_invalid, asyncpg.PostgresError: on_problem},
    lifespan=lifespan,
)
