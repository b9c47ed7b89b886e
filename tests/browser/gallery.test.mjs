// Every page in every state, in both languages, from the gallery of crates/pages: accessibility with light and dark
// colours, small windows, print, and size. `GALLERY` is the folder that the gallery was written to.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SMALL, launch, misfits, refusals, serveFolder, violations, watch } from "./support.mjs";

const folder = process.env.GALLERY;
const files = readdirSync(folder).filter((name) => name.endsWith(".html"));
const BAD_PAGE = '<!doctype html><html lang="en"><title>x</title><p style="color: red">x</p><script>1</script></html>';

describe("gallery", () => {
  let browser, server, page;
  before(async () => {
    browser = await launch("chrome");
    server = await serveFolder(folder, { "/hostile.html": BAD_PAGE });
    page = await browser.newPage();
    await watch(page, server.baseUrl);
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  const open = async (name, scheme) => {
    await page.emulateMediaType("screen");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ width: 1280, height: 900 });
    page.refused = [];
    page.foreign = [];
    await page.goto(`${server.baseUrl}/${name}`);
  };

  it("has every page in both languages", () => {
    const names = (tag) => files.filter((name) => name.endsWith(`.${tag}.html`)).map((name) => name.split(".")[0]);
    assert.deepEqual(names("en-GB"), names("cy"));
    assert.ok(files.length > 100, `${files.length} files`);
  });

  it("detects what the content security policy refuses", async () => {
    await open("hostile.html", "light");
    const seen = await refusals(page);
    assert.ok(seen.some((text) => text.startsWith("style-src")), `${seen}`);
    assert.ok(seen.some((text) => text.startsWith("script-src")), `${seen}`);
    page.refused = [];
  });

  for (const name of files) {
    it(name, async () => {
      const bytes = readFileSync(join(folder, name)).length;
      assert.ok(bytes < 30_000, `${bytes} bytes`);
      await open(name, "light");
      assert.deepEqual(await refusals(page), [], "refused by the content security policy");
      const colour = await page.$eval("h1", (element) => getComputedStyle(element).color);
      assert.deepEqual(await violations(page), [], "light");
      for (const viewport of SMALL) assert.deepEqual(await misfits(page, viewport), [], `${viewport.height} px high`);
      await open(name, "dark");
      assert.notEqual(await page.$eval("h1", (element) => getComputedStyle(element).color), colour, "dark");
      assert.deepEqual(await violations(page, ["color-contrast", "link-in-text-block"]), [], "dark");
      // On paper, the page shows the heading and nothing to press. A4 is 794 px wide.
      await page.emulateMediaType("print");
      const printed = await page.$$eval("h1, button, .button, input", (all) =>
        all.filter((element) => element.checkVisibility()).map((element) => element.tagName),
      );
      assert.deepEqual(printed, ["H1"], "print");
      await page.setViewport({ width: 794, height: 1123 });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 794, "print");
      assert.deepEqual(page.foreign, [], "requests to other origins");
    });
  }
});
