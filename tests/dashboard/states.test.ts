import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { backUp, restoreInPlace } from "../kit/restore.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";
import { placeOf } from "./shown-feed.js";
import { type WatchedWire, watchWire } from "./watch-wire.js";

const dashboard = testDashboard();

describe("what a page shows while not all is well", { tags: "chromium" }, () => {
  it("[DASH-225] while a session is loading its parts stand where they will be, and nothing moves as they come", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    await sayNumbered(session, 12);
    await writeDocument(session, "# The plan");
    const release: (() => void)[] = [];
    const { page, problems } = await openWatched(`/sessions/${session.slug}`, (wire) => {
      for (const operation of ["get_session", "get_history", "read_session_doc"]) {
        release.push(wire.hold(operation));
      }
    });
    await page.getByRole("status", { name: "Loading session" }).waitFor();
    release[0]?.();
    const composer = page.getByRole("form", { name: "Write a message" });
    await page.getByText("Loading feed").waitFor();
    await page.evaluate("document.fonts.ready.then(() => null)");
    const parts = [
      page.getByRole("heading", { level: 1 }),
      composer,
      page.getByRole("region", { name: "Document" }),
    ];
    const before = await Promise.all(parts.map(boxOf));
    release[1]?.();
    await page.getByText("word 11", { exact: true }).waitFor();
    release[2]?.();
    await page.getByRole("heading", { name: "The plan" }).waitFor();
    expect(await Promise.all(parts.map(boxOf))).toEqual(before);
    expect(await shiftOf(page)).toBeLessThanOrEqual(0.05);
    expect(problems).toEqual([]);
  });

  it("[DASH-226] the list of sessions waits for what needs me, which stands above its rows and orders them", async () => {
    const session = await createTestSession(dashboard.rest, "Waiting for a human");
    await ask(session);
    let release = () => {};
    const { page, wire } = await openWatched("/", (opened) => {
      release = opened.hold("list_attention");
    });
    const row = page.getByRole("row").filter({ hasText: "Waiting for a human" });
    await expect.poll(() => wire.sent).toContain("list_sessions");
    await page.getByRole("table").waitFor();
    expect(await row.count()).toBe(0);
    release();
    await page.getByRole("list", { name: "Needs you" }).getByText("Which key?").waitFor();
    await row.getByText("Needs you").waitFor();
  });

  it("[DASH-227] a panel that fails says what failed and what works, leaves the others alone, and is tried again", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    await session.post(session.convener, "Hello");
    await writeDocument(session, "# The plan");
    const mend: (() => void)[] = [];
    const { page, findBarriers } = await openWatched(`/sessions/${session.slug}`, (wire) => {
      mend.push(wire.mislead("get_history"), wire.mislead("get_timeline"));
    });
    const feed = problemOf(page, "Couldn't load the feed.");
    await feed.getByText("The document and roster still work.").waitFor();
    await feed.getByText("Details").click();
    await feed.getByText(/^not_found · since \d\d:\d\d/).waitFor();
    await problemOf(page, "Couldn't load the timeline.").waitFor();
    await page.getByRole("heading", { name: "The plan" }).waitFor();
    await page.getByRole("region", { name: "Participants" }).getByText("Atlas").waitFor();
    expect(await findBarriers()).toEqual([]);
    for (const again of mend) again();
    await feed.getByRole("button", { name: "Retry" }).click();
    await page.getByText("Hello", { exact: true }).waitFor();
    expect(await feed.count()).toBe(0);
  });

  it("[DASH-91] what is forbidden and what comes too often is refused in words of its own, and what was written stays", {
    tags: "long",
  }, async () => {
    const kept = await createSessionWith({ metadata_by: "convener" });
    const busy = await createSessionWith({ metadata_min_interval_s: 3_600 });
    await dashboard.rest.call("update_session_metadata", {
      session_id: busy.session_id,
      team_id: busy.team_id,
      description: "Changed a moment ago",
      reason: "first",
    });
    const as = await dashboard.newPerson();
    for (const { slug, words } of [
      { slug: kept.slug, words: /You don't have permission to do this\..*only the convener may/s },
      { slug: busy.slug, words: /Too many requests\..*Try again in \d+ s\./s },
    ]) {
      const { page } = await dashboard.open(`/sessions/${slug}`, { as });
      await page.getByRole("button", { name: "More about this session" }).click();
      await page.getByRole("button", { name: "Edit title and description…" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit title and description" });
      await dialog.getByRole("textbox", { name: "Title" }).fill("A better title");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("it is better");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("alert").filter({ hasText: words }).waitFor();
      await expect
        .poll(() => dialog.getByRole("textbox", { name: "Title" }).inputValue())
        .toBe("A better title");
      await expect.poll(() => dialog.getByRole("button", { name: "Save" }).isEnabled()).toBe(true);
    }
  });

  it("[DASH-228] an empty session says what comes next in feed and document, and gives the command to copy", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const { page, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, {
      as: await dashboard.newPerson(),
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByText("No messages yet").waitFor();
    await page.getByText("No document yet", { exact: true }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Copy Start a peer in this session" }).click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(`merkle launch --session ${session.slug}`);
    await page.getByRole("button", { name: "Write first version" }).click();
    await page.getByRole("textbox", { name: "Document, based on version 0" }).fill("# Begun");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Begun" }).waitFor();
  });

  it("[DASH-7] back in view or online, a page reconnects without waiting, and asks a connection that seems to stand", async () => {
    const { page, wire } = await openWatched("/settings", () => undefined, stopTimers);
    const live = page.locator('[data-slot="live-badge"]').getByText(/^Live/);
    await live.waitFor();
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await expect.poll(() => wire.sent).toContain("ping");
    for (const event of [
      'document.dispatchEvent(new Event("visibilitychange"))',
      'window.dispatchEvent(new Event("online"))',
    ]) {
      // On a sleeping machine no timer fires, so only the dispatched event can end the pause before the next attempt.
      await page.evaluate("window.areTimersStopped = true");
      await dashboard.broker.restart();
      await page.getByText(/^(Reconnecting|Offline)/).waitFor();
      await page.evaluate(event);
      await live.waitFor();
      await page.evaluate("window.areTimersStopped = false");
    }
  });

  it("[DASH-61] after a restore of the database an open page says so, keeps its place, and shows what there is now", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    await sayNumbered(session, 60);
    const file = await backUp(dashboard.broker);
    await session.post(session.convener, "lost by the restore");
    const { page } = await dashboard.open(`/sessions/${session.slug}?m=20`);
    await page.locator('article[data-sequence="20"]').waitFor();
    const place = await placeOf(page, 20);

    // Waits for both status messages while the restore runs, because the badge shows its message for only a few
    // seconds.
    const told = Promise.all([
      page.getByText(/^Reloaded at \d\d:\d\d.*: the broker's database was restored\./).waitFor(),
      page.getByText(/^Live again · refreshed after/).waitFor(),
    ]);
    await restoreInPlace(dashboard.broker, file);
    await told;
    const note = page.getByRole("status").filter({ hasText: "Reloaded at" });
    await note.getByRole("button", { name: "Close" }).click();
    await note.waitFor({ state: "detached" });
    await expect.poll(() => placeOf(page, 20)).toEqual(place);
    await session.post(session.convener, "said since");
    await page.keyboard.press("e");
    await page.getByText("said since", { exact: true }).waitFor();
    expect(await page.getByText("lost by the restore").count()).toBe(0);
  });

  it("[DASH-45] nobody is notified of a session that is in front", async () => {
    const front = await createTestSession(dashboard.rest, "In front");
    const other = await createTestSession(dashboard.rest, "Elsewhere");
    const third = await createTestSession(dashboard.rest, "Elsewhere, later");
    const { page } = await dashboard.open(`/sessions/${front.slug}`, {
      as: await dashboard.newPerson(),
      permissions: ["notifications"],
      before: (opened) =>
        opened.addInitScript(
          `localStorage.setItem("merkle.preferences", JSON.stringify({ notifications: ["ask"] }));
          window.told = [];
          window.Notification = class extends Notification {
            constructor(title, options) { super(title, options); window.told.push(title); }
          };`,
        ),
    });
    await page.getByRole("heading", { name: "In front" }).waitFor();
    await page.bringToFront();
    const readNotifications = () => page.evaluate<string[]>("window.told");
    // Only items that arrive after the reporter has started cause a notification, so the test keeps asking until one is
    // shown.
    await expect
      .poll(async () => {
        await ask(other);
        return readNotifications();
      })
      .toContain("Elsewhere");
    await ask(front);
    await ask(third);
    await expect.poll(readNotifications).toContain("Elsewhere, later");
    expect(await readNotifications()).not.toContain("In front");
  });

  it("[DASH-229] thirty teams, long names, text from right to left and words without an end widen no page", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "مراجعة خدمة الدخول".padEnd(200, "م"));
    await Promise.all(
      Array.from({ length: 29 }, (_, index) => session.join(`${index + 1} ${"W".repeat(90)}`)),
    );
    const { credential } = await session.join(`فريق الأرز ${"ج".repeat(60)}`);
    await session.post(credential, "نص من اليمين إلى اليسار");
    await session.post(credential, Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n"));
    await session.post(session.convener, "W".repeat(10_000));
    await writeDocument(session, `# ${"W".repeat(500)}\n\n| a | b |\n|-|-|\n| ${"W".repeat(300)} | b |\n`);
    for (const size of [phone, { viewport: { width: 1024, height: 768 } }]) {
      const { page, problems } = await dashboard.open(`/sessions/${session.slug}`, size);
      await page.getByRole("button", { name: /^Show all 10,000 characters/ }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.viewport.width);
      await page.getByRole("button", { name: /^All / }).click();
      await page
        .getByRole("dialog", { name: "All participants" })
        .getByRole("heading", { name: /^29 W/ })
        .waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.viewport.width);
      expect(problems).toEqual([]);
    }
  });

  /** Opens a page and observes its connection from the first frame. */
  async function openWatched(path: string, begin: (wire: WatchedWire) => void, script = "") {
    const wires: WatchedWire[] = [];
    const opened = await dashboard.open(path, {
      before: async (page) => {
        const wire = await watchWire(page);
        wires.push(wire);
        begin(wire);
        await page.addInitScript(script);
      },
    });
    const [wire] = wires;
    if (!wire) throw new Error("The page was opened before its connection could be watched.");
    return { ...opened, wire };
  }

  function createSessionWith(settings: { metadata_by?: "convener"; metadata_min_interval_s?: number }) {
    return dashboard.rest.call("create_session", {
      title: "A session with rules",
      creator_team_name: "Atlas",
      settings,
    });
  }

  async function ask({ sessionId: session_id, convener: team_id }: TestSession): Promise<void> {
    const content = { text: "Which key?", kind: "ask" as const };
    await dashboard.rest.call("post_message", { session_id, team_id, content });
  }

  async function sayNumbered(session: TestSession, count: number): Promise<void> {
    for (let said = 0; said < count; said += 1) await session.post(session.convener, `word ${said}`);
  }

  async function writeDocument(session: TestSession, content: string): Promise<void> {
    const { sessionId: session_id, convener: team_id } = session;
    await dashboard.rest.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
  }
});

/** While `areTimersStopped` is set, timers with a delay never fire. */
const stopTimers = `{
  const start = window.setTimeout;
  window.setTimeout = (run, ms = 0, ...rest) =>
    window.areTimersStopped && ms > 0 ? start(() => undefined, 0) : start(run, ms, ...rest);
}`;

/** Finds a panel's error message by its text, because the message is not an alert for screen readers. */
function problemOf(page: Page, words: string): Locator {
  return page.locator('[data-slot="alert"]').filter({ hasText: words });
}

function boxOf(part: Locator) {
  return part.boundingBox();
}

/** Returns the sum of all layout shifts since the page was opened, except those caused by user input. */
function shiftOf(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) sum += value;
    }).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
  })`);
}
