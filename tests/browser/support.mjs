// Starts servers, and browsers that pay in a shop.

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const require = createRequire(`${process.env.NODE_TOOLS}/package.json`);
const puppeteer = require("puppeteer-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The browsers: Debian's packages. */
export const BROWSERS = {
  chrome: { browser: "chrome", executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] },
  firefox: { browser: "firefox", executablePath: "/usr/bin/firefox-esr", args: ["--remote-allow-system-access"] },
};

export async function launch(name) {
  return puppeteer.launch({ headless: true, ...BROWSERS[name] });
}

/** Stops the scripts of the pages in a tab. The scripts that these tests inject still run. */
export async function stopScripts(name, page) {
  if (name === "chrome") return page.setJavaScriptEnabled(false);
  // Firefox 153 has no command for it. The preference `javascript.enabled` would also stop the scripts of puppeteer. So
  // the browser's own window sets what the developer tools set for a tab.
  const { connection } = page.browser();
  const tree = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" });
  const answer = await connection.send("script.evaluate", {
    expression: `ChromeUtils.importESModule("chrome://remote/content/shared/NavigableManager.sys.mjs")
      .NavigableManager.getBrowsingContextById(${JSON.stringify(page.mainFrame()._id)}).allowJavascript = false`,
    target: { context: tree.result.contexts[0].context },
    awaitPromise: false,
  });
  assert.equal(answer.result.type, "success", JSON.stringify(answer.result));
}

/** Starts a sandbox with a world whose merchant has a shop. */
export async function startShop() {
  const folder = mkdtempSync(join(tmpdir(), "florin-browser-"));
  const env = {
    ...process.env,
    FLORIN_DATABASE_URL: `sqlite://${join(folder, "florin.db")}`,
    FLORIN_LISTEN: "127.0.0.1:0",
    FLORIN_ADMIN_LISTEN: "off",
  };
  const bin = process.env.FLORIN_BIN;
  const demo = JSON.parse(execFileSync(bin, ["demo", "--json"], { env, stdio: ["ignore", "pipe", "ignore"] }));
  const server = spawn(bin, ["serve", "--json"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const line = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    server.on("exit", (code) => reject(new Error(`florin serve exited with ${code}`)));
  });
  const { baseUrl } = JSON.parse(line);
  const owner = client(baseUrl, demo.apiKey, demo.accountId);
  const world = await owner.post("/sandbox/worlds", { template: "empty" });
  const shop = client(baseUrl, world.apiKey, world.accountId);
  await shop.call("PATCH", "/sandbox/merchant", { canCreateTopUpCheckouts: true });
  const banks = (await shop.get("/merchant/banks")).rows;
  const bank = banks.find((bank) => bank.supportsRefunds);
  const bankDetails = { type: "SORT_CODE", sortCode: "200000", accountNumber: "55779911" };
  const account = await shop.post("/merchant/settlement-accounts", { currencyCode: "GBP", bankDetails });
  await shop.call("PATCH", `/merchant/settlement-accounts/${account.id}`, { bankId: bank.id });
  const open = (shippingOptions) =>
    shop.post("/merchant/checkouts", {
      type: "SHOPPING",
      name: "Web shop",
      currencyCode: "GBP",
      returnUrl: "https://shop.example/paid",
      shippingOptions,
    });
  const [checkout, addressCheckout] = [await open(), await open({ collectAddress: true })];
  const stop = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { demo, owner, baseUrl, shop, open, checkout, addressCheckout, bank, stop };
}

/** Starts a merchant's server of shipping rates. While `rates` is null, it responds with an error. */
export async function startRates() {
  const merchant = { rates: null };
  const { baseUrl, stop } = await serve((request, response) => {
    request.resume();
    response.writeHead(merchant.rates ? 200 : 500, { "Content-Type": "application/json" });
    response.end(JSON.stringify(merchant.rates));
  });
  return Object.assign(merchant, { url: `${baseUrl}/rates`, stop });
}

/** Starts a server with this listener. */
export async function serve(listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://127.0.0.1:${server.address().port}`, stop };
}

let sessions = 0;

/** Creates a session of 12.50 pounds. */
export function newSession({ shop, checkout }, change = {}) {
  sessions += 1;
  return shop.post("/merchant/checkout-sessions", {
    type: "SHOPPING",
    checkoutId: checkout.id,
    idempotencyKey: `session ${sessions}`,
    merchantReference: "order-7",
    amount: { amount: "12.50", currencyCode: "GBP" },
    description: "Two mugs",
    basket: { items: [{ name: "Mug <b>blue</b>", quantity: 2, unitPrice: "6.25" }] },
    ...change,
  });
}

function client(baseUrl, key, account) {
  const call = async (method, path, body) => {
    const separator = path.includes("?") ? "&" : "?";
    const response = await fetch(`${baseUrl}${path}${separator}accountId=${account}`, {
      method,
      headers: { Authorization: `ApiKey ${key}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
    return answer;
  };
  const upload = async (path, file) => {
    const body = new FormData();
    body.append("file", new Blob([file]), "logo.png");
    const headers = { Authorization: `ApiKey ${key}` };
    const response = await fetch(`${baseUrl}${path}?accountId=${account}`, { method: "PATCH", headers, body });
    const answer = await response.json();
    if (!response.ok) throw new Error(`PATCH ${path}: ${response.status} ${answer.message}`);
    return answer;
  };
  return { call, upload, key, account, get: (path) => call("GET", path), post: (path, body) => call("POST", path, body) };
}

/** Clicks the visible button of an action, and waits for the next page. A form may have a hidden button, for Enter. */
export async function press(page, action) {
  // A browser delays tabs in the background.
  await page.bringToFront();
  for (const button of await page.$$(`button[name="action"][value="${action}"]`)) {
    if (await button.isVisible()) return Promise.all([page.waitForNavigation(), button.click()]);
  }
  throw new Error(`${page.url()} has no button ${action}`);
}

/** The content security policy of the pages. */
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };

/** Serves the files of a folder under the content security policy of the pages. `pages` are further pages by path. */
export function serveFolder(folder, pages = {}) {
  return serve((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    try {
      const body = pages[path] ?? readFileSync(join(folder, path));
      response.writeHead(200, { "Content-Type": TYPES[extname(path)], "Content-Security-Policy": POLICY });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
}

/**
 * Makes a tab record what its pages must not do: requests to other origins (`foreign`), and what the content security
 * policy refused (`refused`). Without scripts, Chromium reports the latter on the console only.
 */
export async function watch(page, baseUrl) {
  page.foreign = [];
  page.refused = [];
  page.on("request", (request) => {
    const origin = new URL(request.url()).origin;
    if (origin !== new URL(baseUrl).origin && origin !== "null") page.foreign.push(request.url());
  });
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) page.refused.push(message.text());
  });
  await page.evaluateOnNewDocument(() => {
    globalThis.refused = [];
    addEventListener("securitypolicyviolation", (event) => {
      globalThis.refused.push(`${event.effectiveDirective}: ${event.blockedURI}`);
    });
  });
}

/** Returns what the content security policy refused on the page. */
export async function refusals(page) {
  return [...page.refused, ...((await page.evaluate(() => globalThis.refused)) ?? [])];
}

/** Returns the texts that are wider than their elements. */
export function overflows(page) {
  return page.$$eval("h1, h2, p, dt, dd, th, td, button, a, label, legend", (elements) =>
    elements
      .filter((element) => element.checkVisibility() && !element.closest(".hidden"))
      .filter((element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).display !== "inline")
      .map((element) => element.outerHTML.slice(0, 100)),
  );
}

/** A phone, and a window of 1280 x 1024 at a zoom of 400 % (WCAG 1.4.10). */
export const SMALL = [{ width: 320, height: 800 }, { width: 320, height: 256, deviceScaleFactor: 4 }];

/** Returns what does not fit into a small window: the page itself, and texts that are wider than their elements. */
export async function misfits(page, viewport) {
  await page.setViewport(viewport);
  const [width, ratio] = await page.evaluate(() => [document.documentElement.scrollWidth, devicePixelRatio]);
  const found = width <= viewport.width ? [] : [`${width} px wide`];
  if (ratio !== (viewport.deviceScaleFactor ?? 1)) found.push(`a device pixel ratio of ${ratio}`);
  return [...found, ...(await overflows(page))];
}

/** Returns the heading of a page. */
export function heading(page) {
  return page.$eval("h1", (element) => element.textContent.trim());
}

/** Returns the text of a page. */
export function body(page) {
  return page.$eval("body", (element) => element.textContent);
}

/** Fills in the form for the shipping address. */
export async function enterAddress(page) {
  const fields = { recipientName: "Ada", addressLine1: "12 St James's Square", city: "London", postcode: "SW1Y 4JH" };
  for (const [field, value] of Object.entries(fields)) {
    await page.type(`[name="${field}"]`, value);
  }
}

/** Goes from the summary to the simulated bank. */
export async function toBank(page, url, bank) {
  await page.goto(url);
  await press(page, "continue");
  await chooseBank(page, bank);
}

/** Chooses a bank of the list, which leads to the simulated bank. */
export async function chooseBank(page, bank) {
  await page.click(`input[name="bankId"][value="${bank.id}"]`);
  await press(page, "choose");
}

/** Signs in at the simulated bank, and decides. */
export async function decide(page, action, { name = "Ada Lovelace", outcome, minutes } = {}) {
  await page.type('input[name="name"]', name);
  if (outcome !== undefined) await page.click(`[name="outcome"][value="${outcome}"]`);
  if (minutes !== undefined) await page.$eval('[name="afterMinutes"]', (field, value) => (field.value = value), `${minutes}`);
  await press(page, action);
}

/** Presses Enter on an element, which leads to another page. */
export async function pressByKey(page, selector) {
  await page.focus(selector);
  await enter(page);
}

/** Presses Enter, which leads to another page. */
export async function enter(page) {
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

/** Presses Tab until an element has the focus. The focus must be visible and follow the order of the document. */
export async function tabTo(page, selector) {
  await page.bringToFront();
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate((wanted) => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const inside = getComputedStyle(element.closest("label") ?? element);
      const before = window.lastFocus;
      window.lastFocus = element;
      return {
        name: element.outerHTML.slice(0, 100),
        isWanted: element.matches(wanted),
        isVisible:
          (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none" ||
          (inside.outlineStyle !== "none" && inside.outlineWidth !== "0px"),
        isLater: !before || Boolean(before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING),
      };
    }, selector);
    assert.ok(focus.isVisible, `the focus is not visible: ${focus.name}`);
    assert.ok(focus.isLater, `the focus goes back: ${focus.name}`);
    if (focus.isWanted) return;
  }
  assert.fail(`${selector} is not reached`);
}

/**
 * Returns the violations of accessibility rules, by default of all rules of WCAG 2.2 AA. The pages allow no
 * scripts, so the test injects axe.
 */
export async function violations(page, rules) {
  await page.evaluate(AXE);
  const tags = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
  const runOnly = rules ? { type: "rule", values: rules } : tags;
  const found = await page.evaluate((only) => globalThis.axe.run({ runOnly: only }), runOnly);
  return found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" ")}`);
}
