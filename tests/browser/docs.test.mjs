// The docs page: "Execute" succeeds on the demo data, with the ids that the links of the OpenAPI document provide.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { launch, startShop, watch } from "./support.mjs";

/**
 * Operations that need one, two or three others before them, or the complete answer of another one. The page needs
 * seconds for each, so the black-box test `every_example_succeeds` follows the links of all operations without a
 * browser.
 */
const CHAINS = ["deleteIpAddress", "importSnapshot", "redeliver", "resolveDispute"];

let site, browser, page;
before(async () => {
  site = await startShop();
  browser = await launch("chrome");
  page = await browser.newPage();
  await watch(page, site.baseUrl);
  await open();
});
after(async () => {
  await browser?.close();
  site?.stop();
});

async function open() {
  await page.goto(new URL("/docs", site.baseUrl).href);
  await page.waitForSelector(".auth-wrapper .authorize.locked");
}

const textOf = (selector) => page.$eval(selector, (element) => element.textContent);
const click = (selector) => page.$eval(selector, (element) => element.click());

/** Presses Execute on an operation. Returns the status, and the URL of the request that the page shows. */
async function execute(operation) {
  const block = `.opblock[id$="-${operation}"]`;
  await click(`${block} .opblock-summary-control`);
  await page.waitForSelector(`${block} .execute`);
  await click(`${block} .execute`);
  const text = async (selector) => {
    const element = await page.waitForSelector(`${block} ${selector}`);
    return element.evaluate((found) => found.textContent.trim());
  };
  const status = Number.parseInt(await text(".live-responses-table tr.response .response-col_status"), 10);
  const url = await text(".request-url pre");
  // Otherwise, the next call would find this response again.
  await click(`${block} .btn-clear`);
  await click(`${block} .opblock-summary-control`);
  return { status, url };
}

/** Presses Execute, and returns the id that the URL of the request contains. */
async function idOf(operation, expected) {
  const { status, url } = await execute(operation);
  assert.equal(status, expected, operation);
  return url.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)[0];
}

it("uses the object that the page created last, until it is deleted", async () => {
  const first = await idOf("getWebhook", 200);
  assert.match(await textOf("#sent"), /^Sent first: POST \/v2\/webhooks \(201\)\s*$/);
  assert.equal(await idOf("testWebhook", 202), first);
  assert.equal(await textOf("#sent"), "");
  const stored = await page.evaluate(() => sessionStorage.getItem("florin.exchanges"));
  assert.ok(stored.includes(first) && !stored.includes("whsec_"), stored);
  assert.equal((await execute("createWebhook")).status, 201);
  const second = await idOf("getWebhook", 200);
  assert.notEqual(second, first);
  await open();
  assert.equal(await idOf("deleteWebhook", 204), second, "after a reload");
  assert.notEqual(await idOf("getWebhook", 200), second);
});

it("creates another object for each call of an operation that ends its object", async () => {
  const ids = [];
  for (let count = 0; count < 2; count += 1) ids.push(await idOf("confirmPaymentBatch", 200));
  assert.notEqual(ids[0], ids[1]);
});

it("neither replaces an existing endpoint nor sends a request to the account of an earlier one", async () => {
  assert.equal((await execute("setCardDecisions")).status, 201);
  await page.evaluate(() => {
    const exchanges = JSON.parse(sessionStorage.getItem("florin.exchanges"));
    exchanges.setCardDecisions.values["$request.query.accountId"] = "OTHER";
    sessionStorage.setItem("florin.exchanges", JSON.stringify(exchanges));
  });
  await open();
  const { status, url } = await execute("getCardDecisions");
  assert.equal(status, 200);
  assert.ok(!url.includes("OTHER"), url);
  assert.equal((await textOf("#sent")).trim(), "Sent first: GET /v2/card-decisions (200)");
});

it("follows the links of operations that need others before them", async () => {
  for (const operation of CHAINS) {
    const { status, url } = await execute(operation);
    assert.ok(status >= 200 && status < 300, `${operation}: ${status} ${url}`);
  }
  assert.deepEqual([page.foreign, page.refused], [[], []]);
});
