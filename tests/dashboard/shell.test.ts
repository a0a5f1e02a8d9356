import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage } from "../kit/open-page.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { openMore } from "./open-more.js";
import { isLive, locatePaletteField } from "./open-palette.js";
import { findDashboardPages } from "./pages.js";

const chromium = findChromium();

const phone = { viewport: { width: 390, height: 844 } };

describe("what stands around every page", { tags: "chromium" }, () => {
  let browser: Browser;
  let broker: TestBroker;
  let rest: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => unknown)[] = [];
    browser = await sharedChromium(chromium ?? "");
    cleanups.push(() => closeProfiles(browser));
    broker = await startTestBroker({ dashboard: findDashboardPages() }, (cleanup) => cleanups.push(cleanup));
    rest = await transports.rest(broker.url);
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  async function open(path: string, options: ProfileOptions = {}) {
    const opened = await openPage(browser, `${broker.url}${path}`, options);
    await isLive(opened.page);
    return opened;
  }

  it("[DASH-360] a link that verifies is followed where its page is open already", async () => {
    const { page } = await open("/");
    await page.evaluate("location.hash = 'verify=mkv_code'");
    await page.waitForFunction(
      "sessionStorage.getItem('merkle.secret.verification') === 'mkv_code' && location.hash === ''",
    );
  });

  it("[DASH-1] links, Back and reload lead where they should, and only a reload loads the page anew", async () => {
    const { slug, sessionId } = await createTestSession(rest, "Split the auth service");
    const { page, problems } = await open("/");
    await page.evaluate("window.isTheSamePage = true");
    const main = page.getByRole("navigation", { name: "Main" });
    await main.getByRole("link", { name: "Split the auth service" }).click();
    await page.waitForURL(`**/sessions/${slug}`);
    await headed(page, "Split the auth service");
    await main.getByRole("link", { name: "Settings" }).click();
    await page.waitForURL("**/settings");
    await page.goBack();
    await headed(page, "Split the auth service");
    expect(await page.evaluate("window.isTheSamePage")).toBe(true);
    await page.reload();
    await headed(page, "Split the auth service");
    expect(await page.evaluate("window.isTheSamePage")).toBeUndefined();
    await page.goto(`${broker.url}/sessions/${sessionId}/state`);
    await headed(page, "Split the auth service");
    expect(problems).toEqual([]);
  });

  it("[DASH-363] a new mesh shows four places; each other page is under More with a count, and joins the sidebar when it is first used", async () => {
    const { url } = await startTestBroker({ dashboard: findDashboardPages() });
    const own = await transports.rest(url);
    const { page, problems, findBarriers } = await openPage(browser, url);
    const main = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
    const places = () => main.getByRole("link", { name: /^(?!Merkle|Docs)/ }).allTextContents();
    await isLive(page);
    expect(await places()).toEqual(["Needs you", "Sessions", "Agents", "Settings"]);
    const more = main.getByRole("button", { name: "More 6" });
    await more.focus();
    await page.keyboard.press("Enter");
    const hidden = page.getByRole("dialog", { name: "More pages" }).getByRole("link");
    await expect
      .poll(() => hidden.allTextContents())
      .toEqual(["Approvals", "Tasks", "Memory", "Progress", "Files", "Verify"]);
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => more.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("g");
    await page.keyboard.press("v");
    await page.waitForURL("**/verify");
    await expect.poll(places).toEqual(["Needs you", "Sessions", "Agents", "Verify", "Settings"]);

    const { sessionId: session_id, convener: team_id } = await createTestSession(own);
    await own.call("create_task", { session_id, team_id, title: "Rotate the tokens" });
    await own.call("remember", { team_id, content: "Tokens live for 15 minutes" });
    await main.getByRole("link", { name: "Tasks" }).waitFor();
    await main.getByRole("link", { name: "Memory" }).waitFor();
    await page.reload();
    await main.getByRole("link", { name: "Tasks" }).waitFor();
    expect((await places()).slice(-5)).toEqual(["Agents", "Tasks", "Memory", "Verify", "Settings"]);
    await main.getByRole("button", { name: "More 3" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-2] what happens shows in two tabs alike, each with its own connection, which goes with its tab", async () => {
    // Connections from pages that were closed earlier take a moment to end.
    await expect.poll(openConnections).toBe(0);
    const { page, problems } = await open("/");
    const second = await page.context().newPage();
    await second.goto(broker.url);
    await isLive(second);
    expect(await openConnections()).toBe(2);
    const title = `Shared ${randomUUID()}`;
    await createTestSession(rest, title);
    for (const tab of [page, second]) await recent(tab, title).waitFor();
    await page.close();
    await expect.poll(openConnections).toBe(1);
    const next = `Still there ${randomUUID()}`;
    await createTestSession(rest, next);
    await recent(second, next).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-6] it says that the broker is away, keeps what it knew, and comes back by itself", async () => {
    const own = await startTestBroker({ dashboard: findDashboardPages() });
    const transport = await transports.rest(own.url);
    await createTestSession(transport, "Search relevance");
    const { page } = await openPage(browser, own.url);
    await recent(page, "Search relevance").waitFor();
    await own.stop();
    await page.getByText(/^Reconnecting/).waitFor();
    await own.restartAfter(async () => {
      await expect.poll(() => recent(page, "Search relevance").isVisible()).toBe(true);
    });
    await page.getByText(/^Live again/).waitFor();
    await createTestSession(transport, "Q3 pricing");
    await recent(page, "Q3 pricing").waitFor();
  });

  it("[DASH-9] [DASH-10] keys go places and are listed; letters can be switched off", async () => {
    const { page, problems, findBarriers } = await open("/settings");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Go to memory").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.waitForURL("**/memory");

    await choose(page, { letterKeys: "off" });
    await page.reload();
    await isLive(page);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.keyboard.press("?");
    await page.keyboard.press("Control+k");
    await locatePaletteField(page).waitFor();
    expect(new URL(page.url()).pathname).toBe("/memory");
    expect(await help.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("[DASH-12] the tab is named for the page, with how much waits in front", async () => {
    const session = await createTestSession(rest, "Naming of tabs");
    await rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      to: "@humans",
      content: { text: "Which name?", kind: "ask" },
    });
    const { page } = await open(`/sessions/${session.slug}`);
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Naming of tabs · Merkle$/);
    await rest.call("conclude_session", {
      session_id: session.sessionId,
      team_id: session.convener,
      summary_section: "None.",
    });
    await (await openMore(page, "Main")).getByRole("link", { name: "Memory" }).click();
    await expect.poll(() => page.title()).toMatch(/Memory · Merkle$/);
  });

  it("[DASH-13] a person whom the broker does not know is told so and forgotten, and reads on as nobody", async () => {
    const stranger = { id: randomUUID(), name: "Ana", credential: `${randomUUID()}.mk_${"a".repeat(43)}` };
    const { page } = await openPage(
      browser,
      broker.url,
      {},
      `localStorage.setItem("merkle.person", ${JSON.stringify(JSON.stringify(stranger))})`,
    );
    await page.getByText("This broker doesn't recognise Ana.").waitFor();
    const title = `For everybody ${randomUUID()}`;
    await createTestSession(rest, title);
    await recent(page, title).waitFor();
    expect(await page.evaluate("localStorage.getItem('merkle.person')")).toBeNull();
  });

  it("[DASH-15] theme and density are as chosen before anything is drawn, and follow a choice in another tab", async () => {
    const { page } = await open("/settings", { colorScheme: "light" });
    expect(await background(page)).toBe("rgb(255, 255, 255)");
    const second = await page.context().newPage();
    await second.goto(`${broker.url}/settings`);
    await choose(second, { theme: "dark", density: "compact" });
    await expect.poll(() => background(page)).toBe("rgb(14, 17, 22)");
    const watching = await page.addInitScript(
      `new MutationObserver(() => { window.firstTheme ??= document.body && document.documentElement.className; })
        .observe(document, { childList: true, subtree: true })`,
    );
    await page.reload();
    expect(await page.evaluate("window.firstTheme")).toContain("dark");
    expect(await page.evaluate("document.documentElement.dataset.density")).toBe("compact");
    await watching.dispose();
  });

  it("[DASH-18] a script or style that gets into a page does nothing", async () => {
    const { page, problems } = await open("/settings");
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "window.isOverrun = true";
      const style = document.createElement("style");
      style.textContent = "main { display: none }";
      document.head.append(script, style);
    }`);
    await expect.poll(() => problems.filter((each) => each.startsWith("refused")).length).toBe(2);
    expect(await page.evaluate("window.isOverrun")).toBeUndefined();
    await expect.poll(() => page.getByRole("main").isVisible()).toBe(true);
  });

  it("[DASH-17] an address that there is no page for leads back", async () => {
    const { page, findBarriers } = await openPage(browser, `${broker.url}/nowhere`);
    await headed(page, "Page not found");
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("link", { name: "Go to sessions" }).click();
    await page.waitForURL(`${broker.url}/`);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`[DASH-11] in ${colorScheme} colours axe finds no barrier in the shell, on a desk and on a phone`, async () => {
      for (const size of [{}, phone]) {
        const { page, problems, findBarriers } = await open("/settings", { ...size, colorScheme });
        const { width = 0 } = page.viewportSize() ?? {};
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
        expect(await findBarriers()).toEqual([]);
        expect(problems).toEqual([]);
      }
    });
  }

  async function openConnections(): Promise<number> {
    const metrics = await (await fetch(`${broker.url}/metrics`)).text();
    return Number(/^merkle_sockets (\d+)$/m.exec(metrics)?.[1]);
  }
});

function headed(page: Page, name: string): Promise<void> {
  return page.getByRole("heading", { name }).waitFor();
}

function recent(page: Page, title: string) {
  return page.getByRole("list", { name: "Recent sessions" }).getByRole("link", { name: title });
}

function background(page: Page): Promise<string> {
  return page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
}

/** Stores preferences in the browser, as the settings page does. */
async function choose(page: Page, choices: Record<string, unknown>): Promise<void> {
  await page.evaluate(
    `localStorage.setItem("merkle.preferences", ${JSON.stringify(JSON.stringify(choices))})`,
  );
}
