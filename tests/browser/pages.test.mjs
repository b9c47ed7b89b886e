// The payment pages in real browsers: every state and outcome, tabs, keyboard, sizes, and accessibility.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  BROWSERS, SMALL, body, chooseBank, decide, enter, enterAddress, heading, launch, misfits, newSession, press,
  pressByKey, refusals, serve, startRates, startShop, stopScripts, tabTo, toBank, violations, watch,
} from "./support.mjs";

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

    /** Opens a tab. Without `script`, its pages run no scripts. */
    async function tab({ script = false } = {}) {
      const page = await browser.newPage();
      if (!script) await stopScripts(name, page);
      await watch(page, site.baseUrl);
      return page;
    }

    /** Checks what holds for every page: no foreign requests, the content security policy, accessibility, and sizes. */
    async function checkPage(page, what) {
      assert.deepEqual(page.foreign, [], `${what}: requests to other origins`);
      assert.deepEqual(page.refused, [], `${what}: refused by the content security policy`);
      const checked = await tab({ script: true });
      await checked.goto(page.url());
      assert.deepEqual(await refusals(checked), [], `${what}: refused by the content security policy`);
      assert.deepEqual(await violations(checked), [], what);
      const size = Buffer.byteLength(await checked.content());
      assert.ok(size < 30_000, `${what}: ${size} bytes`);
      for (const viewport of SMALL) assert.deepEqual(await misfits(checked, viewport), [], what);
      await checked.close();
    }

    it("runs the scripts of a page only with scripts on", async () => {
      const server = await serve((request, response) => {
        response.writeHead(200, { "Content-Type": "text/html" });
        response.end('<!doctype html><h1>off</h1><script>document.querySelector("h1").textContent = "on"</script>');
      });
      try {
        for (const [script, shown] of [[false, "off"], [true, "on"]]) {
          const page = await tab({ script });
          await page.goto(server.baseUrl);
          assert.equal(await heading(page), shown);
          await page.close();
        }
      } finally {
        server.stop();
      }
    });

    for (const script of [false, true]) {
      it(`pays from the summary to the receipt, with scripts ${script ? "on" : "off"}`, async () => {
        const { id, checkoutUrl, paymentReference } = await newSession(site);
        const page = await tab({ script });
        await page.goto(checkoutUrl);
        assert.match(await body(page), /Mug <b>blue<\/b>/);
        await checkPage(page, "summary");
        await press(page, "continue");
        await checkPage(page, "banks");
        await page.type('input[name="q"]', site.bank.name);
        await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
        assert.match(page.url(), /[?&]q=/);
        await chooseBank(page, site.bank);
        await checkPage(page, "simulated bank");
        await decide(page, "approve");
        const text = await body(page);
        assert.ok(text.includes(paymentReference) && text.includes("12.50"), text);
        await checkPage(page, "receipt");
        const back = 'a[href="https://shop.example/paid"]';
        assert.equal(await page.$eval(back, (link) => link.href), "https://shop.example/paid");
        assert.equal((await session(id)).status, "COMPLETED");
        await page.reload();
        assert.ok((await body(page)).includes(paymentReference));
      });
    }

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
      await checkPage(page, "logo");
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
        await checkPage(page, action);
        const { rows } = await site.shop.get(`/merchant/payments?checkoutSessionId=${id}`);
        assert.deepEqual(rows.map((row) => row.status), [payment]);
        await press(page, "continue");
        await chooseBank(page, site.bank);
        await decide(page, "approve");
        assert.equal((await session(id)).status, "COMPLETED");
      });
    }

    it("takes the decision from the name of the payer", async () => {
      for (const [payer, status, later] of [
        ["approve", "COMPLETED", "COMPLETED"],
        ["reject", "OPEN", "FAILED REJECTED_BY_BANK"],
        ["leave", "OPEN", "CANCELLED"],
        ["pending", "PROCESSING", "COMPLETED"],
        ["fail_later", "PROCESSING", "FAILED REJECTED_BY_BANK"],
        ["time_out", "PROCESSING", "FAILED TIMED_OUT"],
        ["technical_error", "PROCESSING", "FAILED TECHNICAL_ERROR"],
      ]) {
        const { id, checkoutUrl } = await newSession(site);
        const page = await tab();
        await toBank(page, checkoutUrl, site.bank);
        await decide(page, "approve", { name: payer });
        assert.equal((await session(id)).status, status, payer);
        await site.shop.post("/sandbox/clock", { advanceBy: "PT1M" });
        assert.deepEqual(await payments(id), [later], payer);
        await page.close();
      }
    });

    for (const [outcome, status, reason, shown] of [
      ["pending", "COMPLETED", null, /Your bank confirmed/],
      ["fail_later", "OPEN", "REJECTED_BY_BANK", /was rejected at the bank/],
      ["time_out", "OPEN", "TIMED_OUT", /did not confirm the payment in time/],
      ["technical_error", "OPEN", "TECHNICAL_ERROR", /technical problem/],
    ]) {
      it(`lets the bank decide later: ${outcome}`, async () => {
        const { id, checkoutUrl } = await newSession(site, { expiresInMinutes: 60 });
        const page = await tab();
        await toBank(page, checkoutUrl, site.bank);
        await decide(page, "approve", { outcome, minutes: 3 });
        assert.equal((await session(id)).status, "PROCESSING");
        await site.shop.post("/sandbox/clock", { advanceBy: "PT3M" });
        await page.reload();
        assert.match(await body(page), shown);
        await checkPage(page, outcome);
        assert.equal((await session(id)).status, status);
        const { rows } = await site.shop.get(`/merchant/payments?checkoutSessionId=${id}`);
        assert.deepEqual(rows.map((row) => row.failureReason), [reason]);
      });
    }

    it("waits until the bank decides", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve", { name: "pending" });
      assert.equal((await session(id)).status, "PROCESSING");
      await checkPage(page, "waiting");
      await site.shop.post("/sandbox/clock", { advanceBy: "PT2M" });
      await page.goto(checkoutUrl);
      assert.equal((await session(id)).status, "COMPLETED");
    });

    it("lets one of two tabs succeed: one cancels, and the other approves", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const [first, second] = [await tab(), await tab()];
      await toBank(first, checkoutUrl, site.bank);
      await second.goto(`${checkoutUrl}?show=summary`);
      await press(second, "cancel");
      assert.equal(await heading(second), "Payment cancelled");
      await decide(first, "approve");
      assert.equal(await heading(first), "Payment cancelled");
      assert.equal((await session(id)).status, "CANCELLED");
      assert.deepEqual(await payments(id), ["CANCELLED"]);
      await checkPage(first, "cancelled");
      await first.close();
      await second.close();
    });

    it("takes no payment after the merchant cancelled", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      await site.shop.post(`/merchant/checkout-sessions/${id}/cancel`, {});
      await decide(page, "approve");
      assert.equal(await heading(page), "Payment cancelled");
      assert.deepEqual(await payments(id), ["CANCELLED"]);
    });

    it("lets one of two tabs succeed: both approve", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const [first, second] = [await tab(), await tab()];
      await toBank(first, checkoutUrl, site.bank);
      await second.goto(checkoutUrl);
      assert.equal(await heading(second), await heading(first), "both are at the bank");
      await decide(first, "approve");
      await decide(second, "approve");
      assert.equal(await heading(first), "Payment complete");
      assert.equal(await heading(second), "You have already paid");
      await checkPage(second, "already paid");
      assert.deepEqual(await payments(id), ["COMPLETED"]);
      await first.close();
      await second.close();
    });

    it("lets one of two tabs succeed: both choose a bank", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const [first, second] = [await tab(), await tab()];
      for (const page of [first, second]) {
        await page.bringToFront();
        await page.goto(`${checkoutUrl}?show=banks`);
        await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
      }
      await press(first, "choose");
      await press(second, "choose");
      assert.equal(await heading(second), await heading(first));
      assert.deepEqual(await payments(id), ["PENDING"], "the second form was out of date");
      await decide(second, "approve");
      assert.deepEqual(await payments(id), ["COMPLETED"]);
      await first.close();
      await second.close();
    });

    it("pays once, however often the payer goes back and presses again", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await page.goto(checkoutUrl);
      await press(page, "continue");
      await chooseBank(page, site.bank);
      await decide(page, "approve");
      assert.equal(await heading(page), "Payment complete");
      // Chromium shows old forms, although the page must not be stored. Firefox loads the pages again.
      let pressed = 0;
      for (let steps = 0; steps < 4; steps += 1) {
        await page.goBack();
        if (!page.url().startsWith(checkoutUrl)) break;
        for (const action of ["continue", "choose", "approve"]) {
          if (!(await page.$(`button[value="${action}"]`))) continue;
          await sendAgain(page, action);
          pressed += 1;
          assert.match(await heading(page), /^(Payment complete|You have already paid)$/, action);
        }
      }
      assert.ok(pressed > 0 || name === "firefox", "the browser showed no old form");
      assert.deepEqual(await payments(id), ["COMPLETED"]);
    });

    it("does not accept a form of a payment that was rejected", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      const copy = await tab();
      await copy.goto(checkoutUrl);
      await decide(page, "reject");
      assert.deepEqual(await payments(id), ["FAILED REJECTED_BY_BANK"]);
      await decide(copy, "approve");
      assert.deepEqual(await payments(id), ["FAILED REJECTED_BY_BANK"], "the form belongs to the rejected payment");
      assert.equal((await session(id)).status, "OPEN");
      await copy.close();
    });

    it("makes a session EXPIRED if its time ends before the payer continues", async () => {
      const { id, checkoutUrl } = await newSession(site, { expiresInMinutes: 5 });
      const page = await tab();
      await page.goto(checkoutUrl);
      await site.shop.post("/sandbox/clock", { advanceBy: "PT5M" });
      await press(page, "continue");
      assert.equal((await session(id)).status, "EXPIRED");
      await checkPage(page, "expired");
    });

    it("makes a session ABANDONED if its time ends while the payer is at the bank", async () => {
      const { id, checkoutUrl } = await newSession(site, { expiresInMinutes: 5 });
      const page = await tab();
      await toBank(page, checkoutUrl, site.bank);
      await site.shop.post("/sandbox/clock", { advanceBy: "PT5M" });
      await decide(page, "approve");
      assert.equal(await heading(page), "The time to pay has run out");
      assert.equal((await session(id)).status, "ABANDONED");
      assert.deepEqual(await payments(id), ["CANCELLED"]);
      await checkPage(page, "abandoned");
    });

    it("lets the payer cancel", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab();
      await page.goto(checkoutUrl);
      await press(page, "cancel");
      assert.equal((await session(id)).status, "CANCELLED");
    });

    it("collects the shipping address", async () => {
      const { id, checkoutUrl } = await newSession({ ...site, checkout: site.addressCheckout });
      const page = await tab();
      await page.goto(checkoutUrl);
      await checkPage(page, "address");
      await enterAddress(page);
      await press(page, "continue");
      assert.match(await body(page), /12 St James's Square/);
      await checkPage(page, "summary with an address");
      await press(page, "continue");
      await chooseBank(page, site.bank);
      await decide(page, "approve");
      const paid = await session(id);
      assert.deepEqual([paid.status, paid.shipping.city], ["COMPLETED", "London"]);
    });

    it("offers the shipping rates of the merchant, even after a failure", async () => {
      const merchant = await startRates();
      try {
        const checkout = await site.open({ collectAddress: true, dynamicRatesUrl: merchant.url });
        const { id, checkoutUrl } = await newSession({ ...site, checkout });
        const page = await tab();
        await page.goto(checkoutUrl);
        await enterAddress(page);
        await press(page, "continue");
        assert.match(await body(page), /The delivery options could not be loaded/);
        await checkPage(page, "rates that could not be loaded");
        merchant.rates = [
          { description: "Second class", amount: "0", serviceCode: "slow" },
          { description: "Next day", amount: "3.50", serviceCode: "fast" },
        ];
        await press(page, "rates");
        assert.match(await body(page), /Next day/);
        await checkPage(page, "rates");
        await press(page, "rate");
        assert.match(await page.$eval('[role="alert"]', (alert) => alert.textContent), /Choose a delivery option/);
        await page.click('input[name="rate"][value="fast"]');
        await press(page, "rate");
        assert.match(await body(page), /£16\.00/);
        await checkPage(page, "summary with a rate");
        await press(page, "continue");
        await chooseBank(page, site.bank);
        await decide(page, "approve");
        const paid = await session(id);
        assert.deepEqual([paid.status, paid.amount.amount, paid.shipping.rate.serviceCode], ["COMPLETED", "16.00", "fast"]);
      } finally {
        merchant.stop();
      }
    });

    it("shows the first items of a large basket", async () => {
      const item = (number) => ({ name: `Screw ${number}`, quantity: 2, unitPrice: "0.01", sku: `SCREW-${number}` });
      const basket = { items: Array.from({ length: 500 }, (_, number) => item(number)) };
      const amount = { amount: "10.00", currencyCode: "GBP" };
      const { checkoutUrl } = await newSession(site, { basket, amount });
      const page = await tab();
      await page.goto(checkoutUrl);
      assert.match(await page.$eval(".basket", (table) => table.textContent), /and \d+ more items/);
      await checkPage(page, "large basket");
    });

    it("pays with the Tab key and without a mouse", async () => {
      const { id, checkoutUrl } = await newSession(site);
      const page = await tab({ script: true });
      await page.goto(checkoutUrl);
      await tabTo(page, 'button[value="continue"]');
      await enter(page);
      await tabTo(page, 'input[name="q"]');
      await page.keyboard.type(site.bank.name);
      await enter(page);
      await tabTo(page, 'input[name="bankId"]');
      await page.keyboard.press(" ");
      await tabTo(page, 'button[value="choose"]');
      await enter(page);
      await tabTo(page, 'input[name="name"]');
      await page.keyboard.type("Ada");
      await tabTo(page, 'button[value="approve"]');
      await enter(page);
      assert.equal((await session(id)).status, "COMPLETED");
      await tabTo(page, 'a[href="https://shop.example/paid"]');
    });

    it("pays by the keyboard, with scripts off", async () => {
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
      const page = await tab();
      const refund = await newRefund(page);
      await page.goto(refund.authorisationUrl);
      await checkPage(page, "refund");
      await decide(page, "approve");
      assert.equal(await heading(page), "Refund approved");
      await checkPage(page, "refund approved");
      assert.equal((await site.shop.get(`/merchant/refunds/${refund.id}`)).status, "COMPLETED");
      const used = await page.goto(refund.authorisationUrl);
      assert.equal(used.status(), 410);
      await checkPage(page, "a link that was used");
    });

    for (const action of ["reject", "leave"]) {
      it(`cancels a refund after ${action}`, async () => {
        const page = await tab();
        const refund = await newRefund(page);
        await page.goto(refund.authorisationUrl);
        await decide(page, action);
        assert.equal(await heading(page), "Refund cancelled");
        await checkPage(page, "refund cancelled");
        assert.equal((await site.shop.get(`/merchant/refunds/${refund.id}`)).status, "CANCELLED");
      });
    }

    it("responds to an unknown link with 404", async () => {
      const page = await tab();
      const unknown = await page.goto(new URL(`/pay/${"0".repeat(32)}`, site.baseUrl).href);
      assert.equal(unknown.status(), 404);
      await checkPage(page, "an unknown link");
    });

    it("tops up a budget", async () => {
      const budget = { parentId: null, name: "Float", features: ["payments"], currencies: ["GBP"], type: "shared" };
      const { id: budgetId } = await site.shop.post("/budgets", budget);
      const amount = { amount: "40.00", currencyCode: "GBP" };
      const { id, checkoutUrl } = await site.shop.post("/merchant/top-ups", { budgetId, amount, idempotencyKey: name });
      const page = await tab();
      await page.goto(checkoutUrl);
      await checkPage(page, "top-up");
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve");
      assert.equal(await heading(page), "Top-up complete");
      await checkPage(page, "receipt of a top-up");
      assert.equal((await site.shop.get(`/merchant/top-ups/${id}`)).status, "COMPLETED");
    });

    it("pays in Welsh", async () => {
      const { id, checkoutUrl } = await newSession(site, { locale: "cy" });
      const page = await tab();
      await page.goto(checkoutUrl);
      assert.equal(await page.$eval("html", (html) => html.lang), "cy");
      assert.equal(await heading(page), "Gwiriwch eich taliad");
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve");
      await checkPage(page, "receipt in Welsh");
      assert.equal((await session(id)).status, "COMPLETED");
    });

    /** Pays 12.50 pounds, and creates a refund of 2.00. */
    async function newRefund(page) {
      const { id, checkoutUrl } = await newSession(site);
      await toBank(page, checkoutUrl, site.bank);
      await decide(page, "approve");
      const { paymentId } = await session(id);
      const amount = { amount: "2.00", currencyCode: "GBP" };
      return site.shop.post(`/merchant/payments/${paymentId}/refunds`, { amount, reason: "Broken" });
    }

    /** Returns the payments of a session, the oldest first, with the reasons why they failed. */
    async function payments(id) {
      const { rows } = await site.shop.get(`/merchant/payments?checkoutSessionId=${id}&sort=createdAt`);
      return rows.map((row) => [row.status, row.failureReason].filter(Boolean).join(" "));
    }

    /** Sends the form of an old page once more. */
    async function sendAgain(page, action) {
      if (action === "choose") await page.click(`input[name="bankId"][value="${site.bank.id}"]`);
      if (action === "approve") await decide(page, "approve");
      else await press(page, action);
    }
  });
}
