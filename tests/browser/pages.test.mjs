// The payment pages in real browsers: every state and outcome, tabs, keyboard, sizes, and accessibility.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BROWSERS, decide, heading, launch, newSession, press, startShop, toBank, violations } from "./support.mjs";

let site;
before(async () => {
  site = await startShop();
});
after(() => site?.stop());

const session = (id) => site.shop.get(`/merchant/checkout-sessions/${id}`);

for (const name of Object.keys(BROWSERS)) {
  describe(name, () => {
    let browser;
    before(async () => {
      browser = await launch(name);
    });
    after(() => browser?.close());

    /** Opens a tab that records requests to other origins. */
    async function tab({ script = false } = {}) {
      const page = await browser.newPage();
      // Chromium pays with scripts off, Firefox with scripts on.
      if (name === "chrome") await page.setJavaScriptEnabled(script);
      page.foreign = [];
      page.on("request", (request) => {
        const origin = new URL(request.url()).origin;
        if (origin !== new URL(site.baseUrl).origin && origin !== "null") page.foreign.push(request.url());
      });
      return page;
    }

    /** Checks what every page promises. */
    async function sound(page, what) {
      assert.deepEqual(page.foreign, [], `${what}: requests to other origins`);
      const checked = await tab({ script: true });
      await checked.goto(page.url());
      assert.deepEqual(await violations(checked), [], what);
      const size = (await checked.content()).length;
      assert.ok(size < 30_000, `${what}: ${size} bytes`);
      await checked.setViewport({ width: 320, height: 800 });
      const width = await checked.$eval("html", (html) => html.scrollWidth);
      assert.ok(width <= 320, `${what}: ${width} px wide`);
      await checked.close();
    }

    it("pays from the summary to the receipt", async () => {
      const { id, checkoutUrl, paymentReference } = await newSession(site);
      const page = await tab();
      await page.goto(checkoutUrl);
      assert.match(await page.$eval("body", (body) => body.textContent), /Mug <b>blue<\/b>/);
      await sound(page, "summary");
      await press(page, "continue");
      await sound(page, "banks");
      await page.type('input[name="q"]', site.bank.name);
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
      assert.match(page.url(), /[?&]q=/);
      await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
      await press(page, "choose");
      await sound(page, "simulated bank");
      await decide(page, "approve");
      const text = await page.$eval("body", (body) => body.textContent);
      assert.ok(text.includes(paymentReference) && text.includes("12.50"), text);
      await sound(page, "receipt");
      assert.equal(await page.$eval('a[href="https://shop.example/paid"]', (link) => link.href), "https://shop.example/paid");
      assert.equal((await session(id)).status, "COMPLETED");
      await page.reload();
      assert.ok((await page.$eval("body", (body) => body.textContent)).includes(paymentReference));
    });

    it("shows the logo of the merchant", async () => {
      const { checkoutUrl } = await newSession(site);
      const page = await tab({ script: true });
      await page.goto(checkoutUrl);
      const initials = await page.$eval(".masthead .badge", (badge) => badge.getBoundingClientRect().toJSON());
      const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 400, height: 300 } });
      const { logoUrl } = await site.shop.upload("/merchant/logo", picture);
      await page.reload();
      const logo = await page.$eval(".masthead img", (image) => ({
        address: image.src,
        isLoaded: image.complete && image.naturalWidth === 512 && image.naturalHeight === 512,
        box: image.getBoundingClientRect().toJSON(),
      }));
      assert.deepEqual(logo, { address: logoUrl, isLoaded: true, box: initials }, "in the place of the initials");
      await sound(page, "logo");
    });

    for (const [action, status, payment] of [
      ["reject", "OPEN", "FAILED"],
      ["leave", "OPEN", "CANCELLED"],
    ]) {
      it(`lets the payer ${action}, and pay after all`, async () => {
        const { id, checkoutUrl } = await newSession(site);
        const page = await tab();
        await toBank(page, checkoutUrl, site.bank);
        await decide(page, action);
        assert.equal((await session(id)).status, status);
        await sound(page, action);
        const { rows } = await site.shop.get(`/merchant/payments?checkoutSessionId=${id}`);
        assert.deepEqual(rows.map((row) => row.status), [payment]);
        await press(page, "continue");
        await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
        await press(page, "choose");
        await decide(page, "approve");
        assert.equal((await session(id)).status, "COMPLETED");
      });
    }

    it("decides by the name of the payer, without a choice", async () => {
      for (const [payer, status] of [["approve", "COMPLETED"], ["reject", "OPEN"], ["leave", "OPEN"], ["pending", "PROCESSING"]]) {
        const { id, checkoutUrl } = await newSession(site);
        const page = await tab();
        await toBank(page, checkoutUrl, site.bank);
        await decide(page, "approve", { name: payer });
        assert.equal((await session(id)).status, status, payer);
        await page.close();
      }
    });

    it("waits for the bank", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve", { name: "pending" });
      assert.equal((await session(id)).status, "PROCESSING");
      await sound(page, "waiting");
      await site.shop.post("/sandbox/clock", { advanceBy: "PT2M" });
      await page.goto(checkoutUrl);
      assert.equal((await session(id)).status, "COMPLETED");
    });

    it("has one winner of two tabs", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const [first, second] = [await tab(), await tab()];
      await toBank(first, checkoutUrl, site.bank);
      await second.goto(checkoutUrl);
      await site.shop.post(`/merchant/checkout-sessions/${id}/cancel`, {});
      await decide(first, "approve");
      assert.equal((await session(id)).status, "CANCELLED");
      await sound(first, "cancelled");
      await second.reload();
      assert.equal(await heading(second), await heading(first));
      const paid = await newSession(site);
      await toBank(first, paid.checkoutUrl, site.bank);
      await second.goto(paid.checkoutUrl);
      await decide(first, "approve");
      await first.goBack();
      const { rows } = await site.shop.get(`/merchant/payments?checkoutSessionId=${paid.id}`);
      assert.deepEqual(rows.map((row) => row.status), ["COMPLETED"]);
    });

    it("runs out while it is open", async () => {
      const { id, checkoutUrl } = await newSession(site, { expiresInMinutes: 5 });
      const page = await tab();
      await page.goto(checkoutUrl);
      await site.shop.post("/sandbox/clock", { advanceBy: "PT5M" });
      await press(page, "continue");
      assert.equal((await session(id)).status, "EXPIRED");
      await sound(page, "expired");
    });

    it("is cancelled by the payer", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await page.goto(checkoutUrl);
      await press(page, "cancel");
      assert.equal((await session(id)).status, "CANCELLED");
    });

    it("asks where to ship", async () => {
      const { id, checkoutUrl } = await newSession({ ...site, checkout: site.parcels });
      const page = await tab();
      await page.goto(checkoutUrl);
      await sound(page, "address");
      const fields = { recipientName: "Ada", addressLine1: "12 St James's Square", city: "London", postcode: "SW1Y 4JH" };
      for (const [field, value] of Object.entries(fields)) {
        await page.type(`[name="${field}"]`, value);
      }
      await press(page, "continue");
      assert.match(await page.$eval("body", (body) => body.textContent), /12 St James's Square/);
      await sound(page, "summary with an address");
      await press(page, "continue");
      await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
      await press(page, "choose");
      await decide(page, "approve");
      const paid = await session(id);
      assert.deepEqual([paid.status, paid.shipping.city], ["COMPLETED", "London"]);
    });

    it("needs no mouse", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await page.goto(checkoutUrl);
      await pressByKey(page, 'button[value="continue"]');
      await page.focus('input[name="bankId"]');
      await page.keyboard.press(" ");
      await pressByKey(page, 'button[value="choose"]');
      await page.focus('input[name="name"]');
      await page.keyboard.type("Ada");
      await pressByKey(page, 'button[value="approve"]');
      assert.equal((await session(id)).status, "COMPLETED");
    });

    it("authorises a refund once", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve");
      const { paymentId } = await session(id);
      const amount = { amount: "2.00", currencyCode: "GBP" };
      const refund = await site.shop.post(`/merchant/payments/${paymentId}/refunds`, { amount, reason: "Broken" });
      await page.goto(refund.authorisationUrl);
      await sound(page, "refund");
      await decide(page, "approve");
      assert.equal((await site.shop.get(`/merchant/refunds/${refund.id}`)).status, "COMPLETED");
      const again = await page.goto(refund.authorisationUrl);
      assert.equal(again.status(), 410);
    });

    async function pressByKey(page, selector) {
      await page.focus(selector);
      await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    }
  });
}
