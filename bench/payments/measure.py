#!/usr/bin/env python3
"""Times a batch of 10,000 payments from the upload to its end: measure.py FLORIN DATABASE_URL NAME

FLORIN is the path of the binary. An empty DATABASE_URL selects a new SQLite file. NAME labels the rows of the table.
Needs only Python's standard library. Prints rows of a Markdown table, with medians of the rounds. The run
fails if a response is not 2xx, if a batch does not end as `completed`, or if the books do not agree.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROUNDS = int(os.environ.get("FLORIN_BENCH_ROUNDS", "3"))
ROWS, ROWS_OF_JSON = 10_000, 3_000
HEADER = "amount,currencyCode,reference,recipient.name,recipient.accountIdentifier,recipient.bankIdentifier\n"
TIMEOUT_SECONDS = 120


def csv(amount):
    rows = (f"{amount(row)},GBP,Wage {row},Ada Lovelace,66374958,089999\n" for row in range(ROWS))
    return (HEADER + "".join(rows)).encode()


def as_json(value):
    return json.dumps(value).encode()


class Florin:
    """A server with demo data, on a free port, in its own directory."""

    def __init__(self, binary, database, directory):
        self.binary = binary
        self.env = dict(os.environ, FLORIN_DATABASE_URL=database, FLORIN_LISTEN="127.0.0.1:0", FLORIN_ENVIRONMENT="sandbox")
        self.directory = directory
        demo = self.run("demo")
        self.account, self.key = demo["accountId"], demo["apiKey"]
        self.pounds = next(budget["id"] for budget in demo["budgets"] if budget["currencyCode"] == "GBP")
        with open(os.path.join(directory, "log"), "w") as log:
            command = [binary, "serve", "--json"]
            self.server = subprocess.Popen(command, env=self.env, cwd=directory, stdout=subprocess.PIPE, stderr=log)
        self.base = json.loads(self.server.stdout.readline())["baseUrl"]

    def run(self, command):
        return json.loads(subprocess.check_output([self.binary, command, "--json"], env=self.env, cwd=self.directory))

    def call(self, method, path, body=None, media_type="application/json", query=""):
        headers = {"Authorization": f"ApiKey {self.key}", "Content-Type": media_type}
        url = f"{self.base}{path}?accountId={self.account}{query}"
        request = urllib.request.Request(url, data=body, method=method, headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def memory(self):
        with open(f"/proc/{self.server.pid}/status") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))

    def fund(self):
        credit = {"budgetId": self.pounds, "settlementPriceAmount": "900000000", "settlementPriceCurrency": "GBP",
                  "remittersName": "Bench", "remittersAddress": "Here", "beneficiaryName": "Florin", "schemeName": "CHAPS"}
        self.call("POST", "/budgets/generate-credit", as_json(credit))

    def create_and_upload(self, body, media_type, expected_status):
        batch = self.call("POST", "/payment-batches", b"{}")["id"]
        query = f"&defaultFundingBudgetId={self.pounds}" if media_type == "text/csv" else ""
        seconds, answer = timed(lambda: self.call("POST", f"/payment-batches/{batch}/payments", body, media_type, query))
        assert answer["status"] == expected_status, answer
        return batch, seconds

    def confirm(self, batch):
        session = self.call("POST", "/mfa/sessions", as_json({"paymentBatchId": batch}))["sessionId"]
        proof = {"mfa": {"provider": "sandbox", "sessionId": session, "token": "000000"}}
        return timed(lambda: self.call("POST", f"/payment-batches/{batch}/confirm", as_json(proof)))[0]

    def wait_for_completion(self, batch):
        start = time.monotonic()
        while time.monotonic() - start < TIMEOUT_SECONDS:
            status = self.call("GET", f"/payment-batches/{batch}")["status"]
            if status not in ("confirmed", "started"):
                break
            time.sleep(0.02)
        assert status == "completed", status
        return time.monotonic() - start


def timed(work):
    start = time.monotonic()
    answer = work()
    return time.monotonic() - start, answer


def main(binary, database, name):
    good, bad = csv(lambda row: f"{row + 1}.01"), csv(lambda row: f"bad{row}")
    recipient = {"name": "Ada Lovelace", "accountIdentifier": "66374958", "bankIdentifier": "089999"}
    rows = [{"amount": f"{row + 1}.01", "currencyCode": "GBP", "reference": f"Wage {row}", "recipient": recipient}
            for row in range(ROWS_OF_JSON)]
    with tempfile.TemporaryDirectory(prefix="florin-bench-") as directory:
        florin = Florin(binary, database or f"sqlite://{directory}/florin.db", directory)
        times = {"good": [], "bad": [], "json": [], "confirm": [], "process": []}
        try:
            for _ in range(ROUNDS):
                florin.fund()
                batch, seconds = florin.create_and_upload(good, "text/csv", "validated")
                times["good"].append(seconds)
                times["bad"].append(florin.create_and_upload(bad, "text/csv", "failed")[1])
                body = as_json({"defaultFundingBudgetId": florin.pounds, "rows": rows})
                times["json"].append(florin.create_and_upload(body, "application/json", "validated")[1])
                times["confirm"].append(florin.confirm(batch))
                times["process"].append(florin.wait_for_completion(batch))
            memory = florin.memory()
        finally:
            florin.server.terminate()
            florin.server.wait()
        assert florin.run("check")["ok"], "the books do not agree"
    median = {step: statistics.median(values) for step, values in times.items()}
    print(f"| {name}: upload and check 10,000 rows of CSV | {median['good'] * 1000:.0f} ms |")
    print(f"| {name}: the same with an error in every row | {median['bad'] * 1000:.0f} ms |")
    print(f"| {name}: upload and check 3,000 rows of JSON | {median['json'] * 1000:.0f} ms |")
    print(f"| {name}: confirm 10,000 payments | {median['confirm'] * 1000:.0f} ms |")
    print(f"| {name}: process 10,000 payments | {ROWS / median['process']:.0f} payments/s |")
    print(f"| {name}: peak memory | {memory} MiB |")


if __name__ == "__main__":
    main(*sys.argv[1:])
