"""A small client for Florin's sandbox. It creates worlds and calls the API in them. Standard library only, Python 3.9 or newer.

    florin = Florin(url, api_key)
    with florin.world(seed="nightly") as world:
        print(world.get("/v2/budgets").json["count"])
"""

import atexit
import functools
import json
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

SIMULATIONS = "/v2/cards/simulations"
AUTHORIZATION = SIMULATIONS + "/transaction/authorization"
ADVICE = AUTHORIZATION + "/advice"
INCREMENTAL = AUTHORIZATION + "/incremental"
CLEARING = AUTHORIZATION + "/clearing"
REVERSAL = AUTHORIZATION + "/reversal"
ATM = SIMULATIONS + "/atm/withdrawal/authorization"
ATM_CLEARING = ATM + "/clearing"
REFUND = SIMULATIONS + "/refund/authorization"
REFUND_CLEARING = REFUND + "/clearing"
REFUND_REVERSAL = REFUND + "/reversal"


class Unexpected(AssertionError):
    """An answer does not have the expected status."""


class Answer:
    """The status and exact bytes of an answer."""

    def __init__(self, status, body):
        self.status = status
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error_code(self):
        return self.json["errors"][0]["errorCode"]


class Florin:
    """A running Florin, with a key that can create worlds."""

    def __init__(self, url, api_key):
        self.url = url.rstrip("/")
        self.api_key = api_key

    def send(self, method, path, body=None, query=None):
        """Sends one request. A refusal is an answer; only an unreachable server raises."""
        url = self.url + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        headers = {"Authorization": f"ApiKey {self.api_key}"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return Answer(answer.status, answer.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(refusal.code, refusal.read())

    @contextmanager
    def world(self, seed, template="demo"):
        """Creates a world with this seed and deletes it at the end. Its clock is frozen at 2026-01-05T12:00:00Z."""
        # Replaces the world that an interrupted run left behind.
        created = self.send("POST", "/v2/sandbox/worlds", {"seed": seed, "template": template, "replace": True})
        if created.status != 201:
            raise Unexpected(f"the world was not created: {created.status} {created.body.decode()}")
        world = World(Florin(self.url, created.json["apiKey"]), created.json["accountId"])
        try:
            yield world
        finally:
            world.florin.send("DELETE", f"/v2/sandbox/worlds/{world.account_id}")


class World:
    """An isolated account. `answers` records every answer: method, path, status, body."""

    def __init__(self, florin, account_id):
        self.florin = florin
        self.account_id = account_id
        self.answers = []

    def post(self, path, body, status=201):
        return self._call("POST", path, body, {}, status)

    def get(self, path, status=200, **query):
        return self._call("GET", path, None, query, status)

    def delete(self, path, status=204):
        return self._call("DELETE", path, None, {}, status)

    def peek(self, path):
        """Reads without recording the answer. Use it to poll, because the number of polls is not reproducible."""
        return self.florin.send("GET", path, query={"accountId": self.account_id})

    def _call(self, method, path, body, query, status):
        answer = self.florin.send(method, path, body, {"accountId": self.account_id, **query})
        self.answers.append((method, path, answer.status, answer.body))
        if answer.status != status:
            raise Unexpected(f"{method} {path}: {answer.status} instead of {status}: {answer.body.decode()}")
        return answer

    # Helpers that most tests need.

    def advance(self, duration):
        """Advances the clock by a duration such as `P7D` or `PT30M`, and returns the new time."""
        return self.post("/v2/sandbox/clock", {"advanceBy": duration}, status=200).json["now"]

    def now(self):
        return self.get("/v2/sandbox/clock").json["now"]

    def snapshot(self, name):
        """Takes a snapshot of the world and returns its id."""
        return self.post(f"/v2/sandbox/worlds/{self.account_id}/snapshots", {"name": name}).json["id"]

    def restore(self, snapshot):
        """Restores a snapshot: money, cards, clock, and the sequence of ids."""
        self.post(f"/v2/sandbox/worlds/{self.account_id}/restore", {"snapshotId": snapshot}, status=200)

    def new_budget(self, name, amount=None):
        """Creates a budget in pounds, funds it if an amount is given, and returns its id."""
        budget = self.post("/v2/budgets", {
            "parentId": None,
            "name": name,
            "features": ["payments", "peopleCards", "budgetCards"],
            "currencies": ["GBP"],
            "type": "shared",
        }).json["id"]
        if amount is not None:
            self.fund(budget, amount)
        return budget

    def fund(self, budget, amount):
        credit = {
            "budgetId": budget,
            "settlementPriceAmount": amount,
            "settlementPriceCurrency": "GBP",
            "remittersName": "Ada Byron",
            "remittersAddress": "1 High Street, London",
            "beneficiaryName": "Example Ltd",
            "schemeName": "FasterPayment",
        }
        self.post("/v2/budgets/generate-credit", credit, status=200)

    def new_card(self, budget, **more):
        """Creates an active card in pounds and returns its id."""
        card = {"cardOwnerType": "BUDGET", "budgetId": budget, "name": "Test", "activate": True, **more}
        return self.post("/v2/cards", card).json["id"]

    def move_card(self, card, state, reason):
        return self.post(f"/v2/cards/{card}/transition", {"state": state, "reason": reason}, status=200).json

    def funds(self, budget):
        """Returns a budget's ledger balance, available balance and pending amount."""
        answer = self.get(f"/v2/budgets/{budget}", include="balance")
        # Balances are JSON numbers with all their digits, which a float would not keep.
        found = json.loads(answer.body, parse_float=str)["balance"][0]
        return found["ledgerBalance"], found["availableBalance"], found["pendingBalance"]

    def first(self, path, card, amount, **more):
        """Sends a first message: an authorization, a withdrawal or a refund. A declined message is also a 201."""
        message = {"cardId": card, "amount": amount, "network": "VISA", "cardAcceptor": {"mid": "11111"}, **more}
        return self.post(path, message).json["transaction"]

    def follow(self, path, transaction, amount=None, status=201, **more):
        """Sends a follow-up to an earlier message of the chain. Returns the transaction, or the error code if it is refused."""
        message = {"precedingRelatedTransactionToken": transaction["token"], **more}
        if amount is not None:
            message["amount"] = amount
        answer = self.post(path, message, status=status)
        return answer.json["transaction"] if status == 201 else answer.error_code

    def chain(self, transaction):
        """Returns all messages of a chain, its hold, and explanations of declines."""
        return self.get(f"{SIMULATIONS}/transactions/{transaction['token']}").json


@functools.lru_cache(maxsize=None)
def connect():
    """Connects to FLORIN_URL with FLORIN_API_KEY. Without them, starts a Florin and stops it at exit."""
    url, api_key = os.environ.get("FLORIN_URL"), os.environ.get("FLORIN_API_KEY")
    if bool(url) != bool(api_key):
        raise SystemExit("set both FLORIN_URL and FLORIN_API_KEY, or neither")
    return Florin(url, api_key) if url and api_key else start()


def start():
    """Starts the binary on a free port, with FLORIN_DATABASE_URL or a new database."""
    binary = find_binary()
    folder = tempfile.mkdtemp(prefix="florin-example-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    settings = {name: value for name, value in os.environ.items() if not name.startswith("FLORIN_")}
    settings["FLORIN_DATABASE_URL"] = os.environ.get("FLORIN_DATABASE_URL", f"sqlite://{folder}/florin.db")
    settings["FLORIN_LISTEN"] = "127.0.0.1:0"

    demo = subprocess.run([binary, "demo", "--json"], cwd=folder, env=settings, stdout=subprocess.PIPE, check=True)
    log = open(Path(folder, "server.log"), "wb")
    server = subprocess.Popen([binary, "serve", "--json"], cwd=folder, env=settings, stdout=subprocess.PIPE, stderr=log)
    atexit.register(stop, server, log)
    # The server prints one line when it is ready.
    line = server.stdout.readline()
    if not line:
        raise SystemExit(f"{binary} did not start: {Path(folder, 'server.log').read_text()}")
    return Florin("http://" + json.loads(line)["listen"], json.loads(demo.stdout)["apiKey"])


def stop(server, log):
    server.terminate()
    server.wait(timeout=30)
    server.stdout.close()
    log.close()


def find_binary():
    """Finds FLORIN_BIN, or a binary that `cargo build` created in this repository."""
    if os.environ.get("FLORIN_BIN"):
        return str(Path(os.environ["FLORIN_BIN"]).resolve())
    repository = Path(__file__).resolve().parents[2]
    for target in ("target/debug/florin", "target/release/florin"):
        if (repository / target).exists():
            return str(repository / target)
    raise SystemExit("Florin not found: set FLORIN_URL and FLORIN_API_KEY, or FLORIN_BIN, or run `cargo build`")
