// Takes the pictures of the documentation: of a purchase on a running server, and of every page of the gallery.
// FLORIN_BIN=… GALLERY=… NODE_TOOLS=… node tests/browser/pictures.mjs docs/pictures

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { decide, launch, newSession, press, serveFolder, startShop } from "./support.mjs";

const folder = process.argv[2];
const browser = await launch("chrome");
const page = await browser.newPage();

/** Takes a picture of the whole page: the window is as high as the page, because a bar is fixed to the bottom of the window. */
async function picture(path, { width = 900, ...options } = {}) {
  await page.setViewport({ width, height: 100 });
  await page.setViewport({ width, height: await page.$eval("html", (html) => html.scrollHeight) });
  await page.screenshot({ path: `${folder}/${path}`, ...options });
}

/** Makes a purchase, and takes the pictures of docs/MERCHANT.md. */
async function purchase() {
  const site = await startShop();
  await site.shop.call("PATCH", "/merchant", { name: "Mugs & More" });
  const choose = async () => {
    await press(page, "continue");
    await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
  };
  const basket = { items: [{ name: "Mug, blue", quantity: 2, unitPrice: "6.25" }] };
  const { checkoutUrl } = await newSession(site, { basket });
  await page.goto(checkoutUrl);
  await picture("summary.png");
  await choose();
  await picture("banks.png");
  await press(page, "choose");
  await picture("simulated-bank.png");
  await decide(page, "reject");
  await picture("failed.png");
  await choose();
  await press(page, "choose");
  await decide(page, "approve", { name: "pending" });
  await picture("waiting.png");
  await site.shop.post("/sandbox/clock", { advanceBy: "PT2M" });
  await page.goto(checkoutUrl);
  await picture("receipt.png");
  const shipped = await newSession({ ...site, checkout: site.addressCheckout }, { basket });
  await page.goto(shipped.checkoutUrl);
  await picture("address.png");
  site.stop();
}

/** Further pictures of pages: the name of the picture, the page, and the options. */
const VARIANTS = [
  ["dark_summary", "summary.en-GB", { scheme: "dark" }],
  ["dark_banks", "banks.en-GB", { scheme: "dark" }],
  ["dark_simulated_payment", "simulated_payment.en-GB", { scheme: "dark" }],
  ["dark_receipt", "receipt.en-GB", { scheme: "dark" }],
  ["dark_look_green", "look_green.en-GB", { scheme: "dark" }],
  ["welsh_summary", "summary.cy", {}],
  ["welsh_banks", "banks.cy", {}],
  ["welsh_receipt", "receipt.cy", {}],
  ["narrow_summary", "summary.en-GB", { width: 320 }],
  ["narrow_address", "summary_address_errors.en-GB", { width: 320 }],
  ["narrow_banks", "banks.en-GB", { width: 320 }],
  ["narrow_receipt", "receipt.en-GB", { width: 320 }],
  ["print_receipt", "receipt.en-GB", { media: "print" }],
];

/** Takes the pictures of docs/GALLERY.md: every page in English, and the variants. */
async function gallery() {
  const server = await serveFolder(process.env.GALLERY);
  rmSync(`${folder}/gallery`, { recursive: true, force: true });
  mkdirSync(`${folder}/gallery`, { recursive: true });
  const english = readdirSync(process.env.GALLERY).filter((name) => name.endsWith(".en-GB.html"));
  // The full pages exist to measure their size.
  const names = english.map((name) => name.split(".")[0]).filter((name) => !name.startsWith("full_"));
  const all = [...names.map((name) => [name, `${name}.en-GB`, {}]), ...VARIANTS];
  for (const [name, file, { scheme = "light", media = "screen", width }] of all) {
    // Each of these two calls removes the effect of the other one.
    await page.emulateMediaType("screen");
    if (media === "screen") await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    else await page.emulateMediaType(media);
    await page.goto(`${server.baseUrl}/${file}.html`);
    await picture(`gallery/${name}.webp`, { width, type: "webp", quality: 60 });
  }
  server.stop();
}

mkdirSync(folder, { recursive: true });
await purchase();
await gallery();
await browser.close();
