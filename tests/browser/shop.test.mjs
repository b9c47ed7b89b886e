// The example shop: a customer orders, pays or cancels, and comes back.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, it } from "node:test";
import { decide, launch, press, startShop } from "./support.mjs";

let site, shop, browser, address;
before(async () => {
  site = await startShop();
  shop = spawn("node", [`${process.env.NODE_TOOLS}/shop/shop.js`], {
    env: {
      ...process.env,
      FLORIN_URL: site.baseUrl,
      FLORIN_API_KEY: site.shop.key,
      FLORIN_ACCOUNT: site.shop.account,
      FLORIN_CHECKOUT: site.checkout.id,
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  address = await new Promise((resolve) => shop.stdout.once("data", (data) => resolve(`${data}`.trim())));
  browser = await launch("chrome");
});
after(async () => {
  await browser?.close();
  shop?.kill();
  site?.stop();
});

it("thanks a customer who paid", async () => {
  const page = await browser.newPage();
  await page.goto(address);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  assert.match(page.url(), /\/pay\/[0-9a-f]{32}$/);
  await press(page, "continue");
  await page.click('input[name="bankId"]');
  await press(page, "choose");
  await decide(page, "approve");
  await Promise.all([page.waitForNavigation(), page.click(`a[href^="${address}orders/"]`)]);
  assert.equal(await page.$eval("h1", (element) => element.textContent), "Thank you");
});

it("shows that an order was not paid", async () => {
  const page = await browser.newPage();
  await page.goto(address);
  await Promise.all([page.waitForNavigation(), page.click("button")]);
  await press(page, "cancel");
  await Promise.all([page.waitForNavigation(), page.click(`a[href^="${address}orders/"]`)]);
  assert.equal(await page.$eval("h1", (element) => element.textContent), "Not paid");
});
