"""Verifies what Florin sends with the published libraries of Standard Webhooks, through a rotation of the secret.

`scripts/webhooks` installs the libraries, for Python and for JavaScript, and runs this.
"""

import base64
import hashlib
import hmac
import json
import queue
import subprocess
import sys
import threading
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/python"))

from florin import connect  # noqa: E402


class Receiver:
    """An HTTP server that stores the requests that it receives."""

    def __init__(self):
        received = self.received = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put(({name.lower(): value for name, value in self.headers.items()}, body.decode()))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.received.get(timeout=30)


def python_accepts(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


def javascript_accepts(secret, headers, body):
    case = json.dumps({"secret": secret, "headers": headers, "body": body})
    node = subprocess.run(["node", HERE / "verify.mjs"], input=case, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(node.stdout)


class Libraries(unittest.TestCase):
    def subscribe(self, world, receiver, **more):
        subscription = {"enabled": True, "url": receiver.url, "webhookEventTypeName": "BoxCredited",
                        "accountId": world.account_id, **more}
        return world.post("/v2/webhooks", subscription).json

    def rotate(self, world, webhook, hours):
        path = f"/v2/webhooks/{webhook['id']}/rotate-secret"
        return world.post(path, {"overlapHours": hours}, status=200).json["signingSecret"]

    def check(self, delivery, right, wrong):
        headers, body = delivery
        for verify in (python_accepts, javascript_accepts):
            for secret in right:
                self.assertTrue(verify(secret, headers, body), verify.__name__)
            for secret in wrong:
                self.assertFalse(verify(secret, headers, body), verify.__name__)
            self.assertFalse(verify(right[0], headers, body.replace("BoxCredited", "BoxDebited")), "a forged body")

    def test_the_libraries_accept_the_secrets_of_a_rotation_while_they_are_valid(self):
        receiver = Receiver()
        with connect().world(seed="webhook-libraries") as world:
            webhook = self.subscribe(world, receiver)
            first = webhook["signingSecret"]
            budget = world.new_budget("Hooks", "1.00")
            self.check(receiver.next(), [first], [])
            second = self.rotate(world, webhook, 1)
            world.fund(budget, "2.00")
            self.check(receiver.next(), [first, second], [])
            third = self.rotate(world, webhook, 0)
            world.fund(budget, "3.00")
            self.check(receiver.next(), [third], [first, second])

    def test_a_shared_secret_makes_both_signatures(self):
        receiver = Receiver()
        shared = str(uuid.uuid4())
        with connect().world(seed="webhook-shared") as world:
            webhook = self.subscribe(world, receiver, sharedSecret=shared)
            world.new_budget("Hooks", "1.00")
            headers, body = receiver.next()
            self.assertEqual(webhook["signingSecret"], "whsec_" + base64.b64encode(shared.encode()).decode())
            self.check((headers, body), [webhook["signingSecret"]], [])
            code = hmac.new(shared.encode(), body.encode(), hashlib.sha256).digest()
            self.assertEqual(headers["x-em-signature"], base64.b64encode(code).decode())


if __name__ == "__main__":
    unittest.main()
