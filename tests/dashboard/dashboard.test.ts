import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { chromiumMissing, findChromium, launchChromium } from "../kit/chromium.js";
import { doors } from "../kit/doors.js";
import { openPage } from "../kit/open-page.js";
import { startTestBroker } from "../kit/test-broker.js";

const run = promisify(execFile);
const chromium = findChromium();
if (chromium === undefined) console.warn(chromiumMissing);

const pages = fileURLToPath(new URL("../../apps/dashboard/out", import.meta.url));
const scriptBytesMax = 170_000;
const phone = { viewport: { width: 360, height: 740 } };

describe.skipIf(chromium === undefined)("the dashboard in a browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    if (!existsSync(pages)) {
      throw new Error("The dashboard has not been built. Run: npm run build -w @merkle/dashboard");
    }
    browser = await launchChromium(chromium ?? "");
    return () => browser.close();
  });

  it("[OPS-1] without sessions it shows how to start one, and the command does that", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    const { page, problems, findBarriers } = await openPage(browser, url);
    await page.getByText("No sessions yet").waitFor();
    expect(await findBarriers()).toEqual([]);

    const command = await page.getByRole("figure", { name: "Start a session" }).locator("code").textContent();
    await run("sh", ["-c", command ?? ""]);
    await rowOf(page, "Auth refactor").waitFor();
    expect(problems).toEqual([]);
  });

  it("[OPS-1] a session shows within seconds, and what happens in it as well", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    const { page, problems } = await openPage(browser, url);
    await page.getByText("No sessions yet").waitFor();

    const { session_id, team_id } = await startSession(url, "Split the auth service");
    const row = rowOf(page, "Split the auth service");
    await row.getByText("open", { exact: true }).waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toMatchObject([{}, "1", "0", "empty", "nothing yet"]);

    const rest = await doors.rest(url);
    await rest.call("post_message", { session_id, team_id, content: { text: "Who takes the tests?" } });
    await rest.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    await row.getByText("closed", { exact: true }).waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toMatchObject([{}, "1", "2", "v1", {}]);
    expect(problems).toEqual([]);
  });

  it("[OPS-1] it says where agents connect, and copies what to give them", async () => {
    const { url, broker } = await startTestBroker({ dashboard: pages });
    const { page } = await openPage(browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy Claude Code" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Copied: Claude Code").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `claude mcp add --transport http merkle '${broker.mcpUrl}?view=compact'`,
    );

    for (const link of await page.getByRole("link").all()) {
      const path = (await link.getAttribute("href")) ?? "";
      expect((await fetch(new URL(path, url))).status, path).toBe(200);
    }
  });

  it("[OPS-1] while the broker is down it says so and keeps what it knew; then it goes on by itself", async () => {
    const test = await startTestBroker({ dashboard: pages });
    await startSession(test.url, "Search relevance");
    const { page, findBarriers } = await openPage(browser, test.url);
    await rowOf(page, "Search relevance").waitFor();

    await test.stop();
    await page.getByText("The broker does not answer.").waitFor();
    expect(await rowOf(page, "Search relevance").isVisible()).toBe(true);
    expect(await findBarriers()).toEqual([]);

    await test.restart();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.getByText("The broker does not answer.").count()).toBe(0);
  });

  it("[OPS-1] what teams write is shown as text, and long or right-to-left titles break nothing", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    const hostile = '<img src="https://example.org/x.png" onerror="alert(1)">';
    await startSession(url, hostile, "x".repeat(8_000));
    await startSession(url, "W".repeat(200));
    await startSession(url, "تقسيم خدمة المصادقة");
    const { page, problems } = await openPage(browser, url, phone);
    await page.getByText(hostile).waitFor();
    expect(await scrollWidth(page)).toBe(phone.viewport.width);
    expect(problems).toEqual([]);
  });

  it("[OPS-1] sessions beyond the first page are one press away", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    for (let number = 1; number <= 101; number++) await startSession(url, `Session ${number}`);
    const { page } = await openPage(browser, url);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("101 open, 0 closed").waitFor();
    expect(await page.getByRole("row").count()).toBe(1 + 101);
  });

  it("[OPS-1] an address that there is no page for leads back", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    const { page, findBarriers } = await openPage(browser, `${url}/nowhere`);
    await page.getByRole("heading", { name: "There is no page here" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("link", { name: "Go to the sessions" }).click();
    await page.getByText("No sessions yet").waitFor();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`[OPS-1] in ${colorScheme} colours axe finds no barrier, on a desk and on a phone`, async () => {
      const { url } = await startTestBroker({ dashboard: pages });
      await startSession(url, "Split the auth service", "Move token issuing out; keep v1 clients working.");
      const background = colorScheme === "dark" ? "rgb(14, 17, 22)" : "rgb(255, 255, 255)";
      for (const size of [{}, phone]) {
        const { page, problems, findBarriers } = await openPage(browser, url, { ...size, colorScheme });
        await rowOf(page, "Split the auth service").waitFor();
        expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
        expect(await findBarriers()).toEqual([]);
        expect(problems).toEqual([]);
      }
    });
  }

  it("[OPS-1] the page needs no more than 170 kB of scripts", async () => {
    const { url } = await startTestBroker({ dashboard: pages });
    const { page } = await openPage(browser, url);
    await page.getByText("No sessions yet").waitFor();
    const bytes = await page.evaluate<number>(
      `performance.getEntriesByType("resource").filter((e) => new URL(e.name).pathname.endsWith(".js"))
        .reduce((sum, e) => sum + e.encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
  });
});

async function startSession(url: string, title: string, description = "") {
  const rest = await doors.rest(url);
  return rest.call("create_session", { title, description, creator_team_name: "Alex's Team" });
}

function rowOf(page: Page, title: string) {
  return page.getByRole("row").filter({ hasText: title });
}

function scrollWidth(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth");
}
