import type { Browser, Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage } from "../kit/open-page.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { createPersonProfile } from "./as-person.js";
import { openMore } from "./open-more.js";
import { findDashboardPages } from "./pages.js";

const chromium = findChromium();

const desk = { viewport: { width: 1280, height: 800 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

describe("a session's page", { tags: "chromium" }, () => {
  let browser: Browser;
  let broker: TestBroker;
  let rest: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => Promise<void>)[] = [];
    browser = await sharedChromium(chromium ?? "");
    broker = await startTestBroker({ dashboard: findDashboardPages() }, (cleanup) =>
      cleanups.unshift(cleanup),
    );
    rest = await transports.rest(broker.url);
    return async () => {
      await closeProfiles(browser);
      for (const cleanup of cleanups) await cleanup();
    };
  });

  async function open(session: TestSession, path = "", options: ProfileOptions = desk) {
    const opened = await openPage(browser, `${broker.url}/sessions/${session.slug}${path}`, options);
    await opened.page.getByRole("heading", { level: 1 }).waitFor();
    return opened;
  }

  it("[DASH-81] it says what the session is and how it stands, and follows changes, tab after tab", async () => {
    const session = await createTestSession(rest, "Split the auth service");
    const { page, problems } = await open(session);
    await page.getByText("OPEN", { exact: true }).waitFor();
    await page.getByRole("button", { name: "About this session", exact: true }).click();
    await page.getByText("1 team", { exact: true }).waitFor();

    // Marks the heading, to check that the same element is still there after the tab changes.
    await page
      .getByRole("heading", { level: 1 })
      .evaluate((heading) => heading.setAttribute("data-kept", "yes"));
    await (await openMore(page, "Parts of the session")).getByRole("link", { name: "State" }).click();
    await page.waitForURL("**/state");
    await session.join("Birch");
    await page.getByText("2 teams", { exact: true }).waitFor();
    await session.post(session.convener, "Hello");
    await page.getByText("2 messages", { exact: true }).waitFor();
    await page.keyboard.press("4");
    await page.waitForURL("**/memory");
    await page.keyboard.press("1");
    await page.waitForURL(`**/sessions/${session.slug}`);
    expect(await page.locator("h1[data-kept=yes]").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("[DASH-83] a changed title comes with who changed it and why, with motion and without", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(rest, "Q3 pricing");
    const still = await open(session);
    const { page } = await open(session, "", { ...desk, reducedMotion: "no-preference" });
    await rest.call("update_session_metadata", {
      session_id: session.sessionId,
      team_id: session.convener,
      title: "Q3 pricing, EU",
      reason: "US split off",
    });
    await page.getByRole("heading", { name: "Q3 pricing, EU", exact: true }).waitFor();
    await page.getByText(/changed by Atlas .*: US split off/).waitFor();
    await still.page.getByText(/changed by Atlas .*: US split off/).waitFor();
  });

  it("[DASH-86] [DASH-87] the roster says who needs something first, and a card the rest", async () => {
    const session = await createTestSession(rest);
    const session_id = session.sessionId;
    const cedar = await rest.call("join_session", {
      session_id,
      team_name: "Cedar",
      peer_name: "cedar",
      role: "ops",
      groups: ["backend:lead"],
      summary: "Waiting for staging.",
    });
    await rest.call("set_status", {
      session_id,
      team_id: cedar.peer_id ?? "",
      status: "blocked",
      reason: "needs the staging key",
    });
    const ina = { ...desk, ...(await createPersonProfile(rest, broker.url, "Ina")) };
    const { page, problems, findBarriers } = await open(session, "", ina);
    const roster = page.getByRole("region", { name: "Participants" });
    await roster.getByRole("listitem").first().filter({ hasText: "needs the staging key" }).waitFor();

    await roster.getByRole("button", { name: /Cedar/ }).click();
    const card = page.getByRole("dialog", { name: "Cedar" });
    for (const fact of ["ops", "@backend (lead)", "Waiting for staging.", "never"]) {
      await card.getByText(fact, { exact: true }).waitFor();
    }
    await card.getByRole("button", { name: "Nudge" }).click();
    await card.getByText("Cedar/cedar is offline and reads when it returns.").waitFor();
    expect(await findBarriers()).toEqual([]);
    const wake = card.getByRole("combobox", { name: "What wakes cedar" });
    const passesEdge = await wake.evaluate((select) => {
      const narrow = select.closest<HTMLElement>("[role=dialog]");
      if (!narrow) return null;
      narrow.style.width = "12rem";
      const isBeyond = select.getBoundingClientRect().right > narrow.getBoundingClientRect().right;
      narrow.style.width = "";
      return isBeyond;
    });
    expect(passesEdge).toBe(false);
    await wake.selectOption("addressed");
    const wakes = async () => (await rest.call("list_peers", { session_id })).peers.map(({ wake }) => wake);
    await expect.poll(wakes).toContain("addressed");
    await card.getByRole("button", { name: "Write to" }).click();
    await page.getByRole("form").getByText("To Cedar", { exact: true }).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).evaluate(isFocused)).toBe(true);

    await page.getByRole("button", { name: "All participants" }).click();
    await page
      .getByRole("dialog", { name: "All participants" })
      .getByRole("heading", { name: "Cedar" })
      .waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-374] the header is at most 96 px high; all that it does not show is an expand, a hover or a focus away", async () => {
    const session = await createTestSession(rest, "W".repeat(200));
    const session_id = session.sessionId;
    const last = "The last line of the goal.";
    await rest.call("update_session_metadata", {
      session_id,
      team_id: session.convener,
      description: `${"A long goal. ".repeat(150)}\n${last}`,
      reason: "goals were missing",
    });
    for (let n = 1; n <= 30; n += 1) {
      const { team_id } = await rest.call("join_session", { session_id, team_name: `Team ${n}` });
      await rest.call("set_summary", { session_id, team_id, summary: `Part ${n}` });
    }
    const { page, problems, findBarriers } = await open(session, "", {
      viewport: { width: 1024, height: 768 },
    });
    const tabs = page.getByRole("navigation", { name: "Parts of the session" });
    const roster = page.getByRole("region", { name: "Participants" });
    const avatars = roster.getByRole("listitem").getByRole("button");
    const expand = page.getByRole("button", { name: "About this session", exact: true });
    const readHeight = async () => (await tabs.boundingBox())?.y;
    await avatars.nth(11).waitFor();
    expect(await readHeight()).toBeLessThanOrEqual(96);
    await page.getByText(/changed by Atlas .*: goals were missing/).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("5");
    await page.waitForURL("**/progress");
    await avatars.nth(11).waitFor();
    expect(await readHeight()).toBeLessThanOrEqual(96);

    await roster.getByRole("button", { name: /^Team 3,/ }).hover();
    const preview = page.locator("[data-slot=roster-preview]");
    await preview.getByText("Part 3", { exact: true }).waitFor();
    await preview.hover();
    await preview.getByText("Part 3", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await preview.waitFor({ state: "detached" });
    await expand.focus();
    await page.keyboard.press("Tab");
    await preview.getByText("Atlas", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Atlas" }).waitFor();
    await page.keyboard.press("Escape");
    await roster.getByRole("button", { name: "All participants 31" }).click();
    await page
      .getByRole("dialog", { name: "All participants" })
      .getByRole("link", { name: "What Team 30 did" })
      .waitFor();
    await page.keyboard.press("Escape");

    await expand.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "About this session" }).getByText(last).waitFor();
    await page.getByText("31 teams", { exact: true }).waitFor();
    const heading = page.getByRole("heading", { level: 1 });
    expect(await heading.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-85] the split moves with the arrow keys, is remembered, and folds", async () => {
    const session = await createTestSession(rest);
    const { page } = await open(session);
    const splitter = page.getByRole("separator", { name: "Feed width" });
    const feed = page.getByRole("region", { name: "Feed", exact: true });
    const before = Number(await splitter.getAttribute("aria-valuenow"));
    const widthBefore = await widthOf(feed);
    await splitter.press("ArrowRight");
    await expect.poll(() => splitter.getAttribute("aria-valuenow")).toBe(String(before + 2));
    expect(await widthOf(feed)).toBeGreaterThan(widthBefore);
    await page.reload();
    await expect.poll(() => splitter.getAttribute("aria-valuenow")).toBe(String(before + 2));
    await page.keyboard.press("[");
    await feed.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Show feed" }).click();
    await feed.waitFor();
  });

  it.each([
    ["a desktop", desk],
    ["a phone", phone],
  ])(
    "[DASH-364] a session shows Live and Document, and every other part when it holds something, on %s",
    async (_, size) => {
      const session = await createTestSession(rest);
      const { sessionId: session_id, convener: team_id } = session;
      const { page, problems, findBarriers } = await open(session, "", size);
      const parts = page.getByRole("navigation", { name: "Parts of the session" });
      const tabs = () => parts.getByRole("link").allTextContents();
      await parts.getByRole("button", { name: "More 6" }).waitFor();
      expect(await tabs()).toEqual(["Live", "Document"]);
      const hidden = (await openMore(page, "Parts of the session")).getByRole("link");
      await expect
        .poll(() => hidden.allTextContents())
        .toEqual(["Tasks", "State", "Memory", "Progress", "Audit", "Jobs"]);
      expect(await findBarriers()).toEqual([]);
      await page.keyboard.press("Escape");
      await rest.call("create_task", { session_id, team_id, title: "Rotate the tokens" });
      await rest.call("set_state", { session_id, team_id, key: "frozen", value: true });
      await expect.poll(tabs).toEqual(["Live", "Document", "Tasks1", "State1"]);
      await parts.getByRole("link", { name: "Document" }).click();
      await page.getByText("No document yet", { exact: true }).filter({ visible: true }).first().waitFor();
      await parts.getByRole("link", { name: "Document" }).and(page.locator("[aria-current]")).waitFor();
      await page.keyboard.press("5");
      await page.waitForURL("**/progress");
      await expect.poll(tabs).toEqual(["Live", "Document", "Tasks1", "State1", "Progress"]);
      await rest.call("claim_task", { session_id, team_id, task: 1 });
      await rest.call("finish_task", { session_id, team_id, task: 1 });
      await rest.call("conclude_session", { session_id, team_id, summary_section: "Done." });
      await expect.poll(tabs).toEqual(["Live", "Document", "Tasks", "State1", "Progress", "Audit"]);
      expect(await findBarriers()).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it("[DASH-82] on a phone the document takes the feed's place, and nothing is wider than the screen", async () => {
    const session = await createTestSession(rest, "W".repeat(200));
    const { page, findBarriers, problems } = await open(session, "", phone);
    const feed = page.getByRole("region", { name: "Feed", exact: true });
    const document = page.getByRole("region", { name: "Document", exact: true });
    await feed.waitFor();
    await page.getByRole("navigation", { name: "Parts of the session" }).getByText("Document").click();
    await document.waitFor();
    await feed.waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Live", exact: true }).click();
    await feed.waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-344] on a phone half of the height is the feed; what stands above it, filters and timeline unfold", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(rest, "Split the auth service");
    await session.post(session.convener, "A first word of some length, which has to break on a phone.");
    const { page, problems, findBarriers } = await open(session, "", phone);
    const feed = page.getByRole("feed", { name: "Messages" });
    for (const viewport of [phone.viewport, { width: 320, height: 640 }]) {
      await page.setViewportSize(viewport);
      await expect.poll(async () => (await feed.boundingBox())?.height).toBeGreaterThan(viewport.height / 2);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(viewport.width);
    }
    const filter = page.getByRole("group", { name: "Filter feed" });
    expect(await filter.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await filter.getByRole("button", { name: "Decisions" }).waitFor();
    await page.getByRole("button", { name: "Time", exact: true }).click();
    await page.getByRole("region", { name: "Timeline" }).waitFor();
    await page.getByRole("button", { name: "About this session", exact: true }).click();
    await page.getByText("1 team", { exact: true }).waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);
    expect(await findBarriers()).toEqual([]);

    const bar = page.getByRole("navigation", { name: "Main" });
    await bar.getByRole("button", { name: "More" }).click();
    const more = page.getByRole("dialog", { name: "More pages" });
    await more.getByRole("link", { name: "Files" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await more.getByRole("link", { name: "Tasks" }).click();
    await page.waitForURL("**/tasks");
    expect(problems).toEqual([]);
  });

  it("[DASH-345] a screen of 4K is filled by feed, document and tasks, each as wide as one reads", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(rest);
    await session.post(session.convener, "word ".repeat(400));
    const { page, problems, findBarriers } = await open(session, "", {
      viewport: { width: 3840, height: 2160 },
    });
    for (const name of ["Feed", "Document", "Tasks"]) {
      const pane = page.getByRole("region", { name, exact: true });
      await expect.poll(() => widthOf(pane)).toBeGreaterThan(800);
    }
    expect(await widthOf(page.locator("article [data-slot=markdown]"))).toBeLessThan(1_000);
    await page.keyboard.press("j");
    await page.locator("article:focus").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-91] a session that does not exist says so and leads back", async () => {
    const { page } = await openPage(browser, `${broker.url}/sessions/no-such-session`);
    await page.getByRole("heading", { name: "Session not found" }).waitFor();
    await page.getByRole("link", { name: "Go to sessions" }).click();
    await page.waitForURL(`${broker.url}/`);
  });
});

function isFocused(element: Element): boolean {
  return element === element.ownerDocument.activeElement;
}

async function widthOf(part: Locator): Promise<number> {
  return (await part.boundingBox())?.width ?? 0;
}
