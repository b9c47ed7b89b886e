// Takes the pictures of the documentation: FLORIN_BIN=… NODE_TOOLS=… node tests/browser/pictures.mjs docs/pictures

import { mkdirSync } from "node:fs";
import { decide, launch, newSession, press, startShop } from "./support.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const site = await startShop();
await site.shop.call("PATCH", "/merchant", { name: "Mugs & More" });
const browser = await launch("chrome");
const page = await browser.newPage();
const width = 900;
/** Takes the whole page: the window is as high as the page, because a bar stays at the bottom of the window. */
const picture = async (name) => {
  await page.setViewport({ width, height: 100 });
  await page.setViewport({ width, height: await page.$eval("html", (html) => html.scrollHeight) });
  await page.screenshot({ path: `${folder}/${name}.png` });
};
const choose = async () => {
  await press(page, "continue");
  await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
};

const basket = { items: [{ name: "Mug, blue", quantity: 2, unitPrice: "6.25" }] };
const { checkoutUrl } = await newSession(site, { basket });
await page.goto(checkoutUrl);
await picture("summary");
await choose();
await picture("banks");
await press(page, "choose");
await picture("simulated-bank");
await decide(page, "reject");
await picture("failed");
await choose();
await press(page, "choose");
await decide(page, "approve", { name: "pending" });
await picture("waiting");
await site.shop.post("/sandbox/clock", { advanceBy: "PT2M" });
await page.goto(checkoutUrl);
await picture("receipt");
const parcel = await newSession({ ...site, checkout: site.parcels }, { basket });
await page.goto(parcel.checkoutUrl);
await picture("address");
await browser.close();
site.stop();
