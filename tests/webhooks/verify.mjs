// Verifies one webhook, read as JSON from the standard input, with the published library. Prints whether it is genuine.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// The folder in which scripts/webhooks has installed the library.
const { Webhook } = createRequire(`${process.env.NODE_TOOLS}/`)("standardwebhooks");
const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
let isGenuine = true;
try {
  new Webhook(secret).verify(body, headers);
} catch {
  isGenuine = false;
}
console.log(isGenuine);
