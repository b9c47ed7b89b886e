"""A small client of Florin's sandbox: worlds, and the calls inside them. Standard library only, Python 3.9 or newer.

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
    """An answer has another status than the one that was wanted."""


class Answer:
    """Status and exact bytes of an answer."""

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
    """A running Florin, and a key that may make worlds."""

    def __init__(self, url, api_key):
        self.url = url.rstrip("/")
        self.api_key = api_key

    def send(self, method, path, body=None, query=None):
        """One request. Refusals are answers, too: only a server that can't be reached raises."""
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
        """A world of this seed, deleted at the end. Its clock stands still at 2026-01-05T12:00:00Z."""
        # What a run that was killed has left is replaced.
        made = self.send("POST", "/v2/sandbox/worlds", {"seed": seed, "template": template, "replace": True})
        if made.status != 201:
            raise Unexpected(f"the world was not made: {made.status} {made.body.decode()}")
        world = World(Florin(self.url, made.json["apiKey"]), made.json["accountId"])
        try:
            yield world
        finally:
            world.florin.send("DELETE", f"/v2/sandbox/worlds/{world.account_id}")


class World:
    """An account of one's own. What was answered is kept in `answers`: method, path, status, body."""

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
        """A read that is not kept: for waiting, since how often one has to ask is not the same each time."""
        return self.florin.send("GET", path, query={"accountId": self.account_id})

    def _call(self, method, path, body, query, status):
        answer = self.florin.send(method, path, body, {"accountId": self.account_id, **query})
        self.answers.append((method, path, answer.status, answer.body))
        if answer.status != status:
            raise Unexpected(f"{method} {path}: {answer.status} instead of {status}: {answer.body.decode()}")
        return answer

    # What tests need again and again.

    def advance(self, duration):
        """Lets time pass: `P7D`, `PT30M`."""
        return self.post("/v2/sandbox/clock", {"advanceBy": duration}, status=200).json["now"]

    def now(self):
        return self.get("/v2/sandbox/clock").json["now"]

    def snapshot(self, name):
        """Keeps the state of the world; the id to put it back to."""
        return self.post(f"/v2/sandbox/worlds/{self.account_id}/snapshots", {"name": name}).json["id"]

    def restore(self, snapshot):
        """All is as it was: money, cards, clock, and the ids that come next."""
        self.post(f"/v2/sandbox/worlds/{self.account_id}/restore", {"snapshotId": snapshot}, status=200)

    def new_budget(self, name, amount=None):
        """A budget in pounds, with money if an amount is given; its id."""
        budget = self.post("/v2/budgets", {"name": name, "currencies": ["GBP"]}).json["id"]
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
        """An active card in pounds; its id."""
        card = {"budgetId": budget, "currencyCode": "GBP", "activate": True, **more}
        return self.post("/v2/cards", card).json["id"]

    def move_card(self, card, state, reason):
        return self.post(f"/v2/cards/{card}/transition", {"state": state, "reason": reason}, status=200).json

    def funds(self, budget):
        """What a budget has in pounds: ledger, available, held."""
        found = self.get(f"/v2/budgets/{budget}", include="balances").json["balances"][0]
        return found["ledger"], found["available"], found["held"]

    def first(self, path, card, amount, **more):
        """A first message of a card: an authorization, a withdrawal, a refund. Declined ones are answered with 201, too."""
        message = {"cardId": card, "amount": amount, "network": "VISA", "cardAcceptor": {"mid": "11111"}, **more}
        return self.post(path, message).json["transaction"]

    def follow(self, path, transaction, amount=None, status=201, **more):
        """A message that follows another one of its chain."""
        message = {"precedingRelatedTransactionToken": transaction["token"], **more}
        if amount is not None:
            message["amount"] = amount
        answer = self.post(path, message, status=status)
        return answer.json["transaction"] if status == 201 else answer.error_code

    def chain(self, transaction):
        """All messages of a chain, what is held, and why a decline was a decline."""
        return self.get(f"{SIMULATIONS}/transactions/{transaction['token']}").json


@functools.lru_cache(maxsize=None)
def connect():
    """The Florin of FLORIN_URL and FLORIN_API_KEY; without these, one that is started here and stopped at exit."""
    url, api_key = os.environ.get("FLORIN_URL"), os.environ.get("FLORIN_API_KEY")
    if bool(url) != bool(api_key):
        raise SystemExit("FLORIN_URL and FLORIN_API_KEY go together: set both, or neither")
    return Florin(url, api_key) if url and api_key else start()


def start():
    """Starts the binary on a free port with a database of its own (FLORIN_DATABASE_URL: on that one)."""
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
    # It prints one line when it listens.
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
    """FLORIN_BIN, or what `cargo build` has left in this repository."""
    if os.environ.get("FLORIN_BIN"):
        return str(Path(os.environ["FLORIN_BIN"]).resolve())
    repository = Path(__file__).resolve().parents[2]
    for target in ("target/debug/florin", "target/release/florin"):
        if (repository / target).exists():
            return str(repository / target)
    raise SystemExit("no Florin: set FLORIN_URL and FLORIN_API_KEY, or FLORIN_BIN, or run `cargo build`")
