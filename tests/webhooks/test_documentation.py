"""Checks that the Python and TypeScript code of docs/WEBHOOKS.md verifies what Florin sends.

`scripts/webhooks` installs the libraries and runs this. The Rust code is run by crates/webhook-http/tests/documented.rs.
"""

import base64
import hashlib
import hmac
import json
import re
import subprocess
import time
import unittest

from standardwebhooks.webhooks import WebhookVerificationError

from test_libraries import HERE, Receiver, connect

PAGE = (HERE.parents[1] / "docs/WEBHOOKS.md").read_text()


def blocks(language):
    """Returns the block that uses the library, and the one that verifies by hand."""
    found = re.findall(f"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(found) == 2, f"{len(found)} blocks of {language}, not 2"
    return found


def with_library(secret, headers, body):
    names = {"signing_secret": secret, "headers": headers, "body": body}
    try:
        exec(blocks("python")[0], names)
    except WebhookVerificationError:
        return False
    assert names["event"] == json.loads(body)
    return True


def by_hand(secret, headers, body):
    names = {}
    exec(blocks("python")[1], names)
    return names["verify"](secret, headers, body.encode())


def in_typescript(number):
    def run(secret, headers, body):
        case = json.dumps({"code": blocks("typescript")[number], "secret": secret, "headers": headers, "body": body})
        node = subprocess.run(["node", HERE / "documented.mjs"], input=case, capture_output=True, text=True, timeout=60)
        assert node.returncode == 0, node.stderr
        return json.loads(node.stdout)

    return run


VERIFIERS = {"Python with the library": with_library, "Python by hand": by_hand,
             "TypeScript with the library": in_typescript(0), "TypeScript by hand": in_typescript(1)}


def signed_at(secret, headers, body, timestamp):
    """Returns the headers of the same webhook, signed at another time."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{timestamp}.{body}".encode()
    signature = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return {**headers, "webhook-timestamp": str(timestamp), "webhook-signature": signature}


class Documentation(unittest.TestCase):
    def test_the_code_accepts_both_secrets_of_a_rotation_and_refuses_forgeries_and_wrong_times(self):
        receiver = Receiver()
        with connect().world(seed="webhook-documentation") as world:
            subscription = {"enabled": True, "url": receiver.url, "webhookEventTypeName": "BoxCredited",
                            "accountId": world.account_id}
            webhook = world.post("/v2/webhooks", subscription).json
            first = webhook["signingSecret"]
            path = f"/v2/webhooks/{webhook['id']}/rotate-secret"
            second = world.post(path, {"overlapHours": 1}, status=200).json["signingSecret"]
            world.new_budget("Hooks", "1.00")
            headers, body = receiver.next()
        wrong = "whsec_" + base64.b64encode(bytes(32)).decode()
        now = int(time.time())
        for name, verify in VERIFIERS.items():
            with self.subTest(name):
                for secret in (first, second):
                    self.assertTrue(verify(secret, headers, body))
                self.assertFalse(verify(wrong, headers, body))
                self.assertFalse(verify(first, headers, body.replace("BoxCredited", "BoxDebited")), "a forged body")
                for seconds, expected in ((-240, True), (-360, False), (240, True), (360, False)):
                    signed = signed_at(first, headers, body, now + seconds)
                    self.assertEqual(verify(first, signed, body), expected, f"signed {seconds} seconds from now")


if __name__ == "__main__":
    unittest.main()
