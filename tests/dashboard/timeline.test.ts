import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { createCleanup } from "../kit/cleanup.js";
import { openPage } from "../kit/open-page.js";
import { closeProfiles } from "../kit/profiles.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

const chromium = findChromium();

const pages = fileURLToPath(new URL("../../apps/dashboard/out", import.meta.url));

describe("the timeline in a browser", { tags: "chromium" }, () => {
  const cleanup = createCleanup();
  let browser: Browser;
  let broker: TestBroker;
  let rest: TransportClient;

  beforeAll(async () => {
    if (!existsSync(pages)) {
      throw new Error("The dashboard has not been built. Run: npm run build -w @merkle/dashboard");
    }
    browser = await sharedChromium(chromium ?? "");
    broker = await startTestBroker({ dashboard: pages }, cleanup);
    rest = await transports.rest(broker.url);
    return () => closeProfiles(browser);
  });

  it("[DASH-131] keys step through the moments, and feed and document are as they were then", async () => {
    const session = await startStory();
    const { page, problems, findBarriers } = await openPage(browser, addressOf(session));
    const moment = page.getByRole("slider", { name: "Moment" });
    await moment.waitFor();
    await expect.poll(() => moment.getAttribute("aria-valuetext")).toBe("now");
    await page.getByText("second text").waitFor();

    await stepBackTo(page, /wrote document v1/);
    await page.getByText("first text").waitFor();
    expect(await page.getByText("second text").count()).toBe(0);
    await expect.poll(() => page.getByText("It is settled.").count()).toBe(0);
    expect(new URL(page.url()).searchParams.get("at")).toMatch(/^\d{4}-.*Z$/);
    expect(await findBarriers()).toEqual([]);

    const past = page.url();
    await page
      .getByRole("region", { name: "Timeline" })
      .getByRole("button", { name: "Back to live" })
      .click();
    await page.getByText("second text").waitFor();
    await page.goto(past);
    await page.getByText("first text").waitFor();
    await moment.press("End");
    await page.getByText("second text").waitFor();
    expect(new URL(page.url()).searchParams.has("at")).toBe(false);
    expect(problems).toEqual([]);
  });

  it.each([
    ["a desktop", { width: 1280, height: 720 }],
    ["a phone", { width: 360, height: 740 }],
  ])("[DASH-132] a moment is picked with the pointer, on %s", async (_, viewport) => {
    const session = await startStory();
    const { page } = await openPage(browser, addressOf(session), { viewport });
    const moment = page.getByRole("slider", { name: "Moment" });
    if (viewport.width < 768) await page.getByRole("button", { name: "Time", exact: true }).click();
    await moment.waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(viewport.width);
    const box = await moment.boundingBox();
    if (!box) throw new Error("The slider is not shown.");
    await page.mouse.click(box.x + 1, box.y + 30);
    await expect.poll(() => moment.getAttribute("aria-valuenow")).toMatch(/^\d$/);
    await page.getByRole("button", { name: "Back to live" }).waitFor();
    if (viewport.width >= 768) await page.getByText("No document yet", { exact: true }).waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(viewport.width);
  });

  it("[DASH-333] a session plays from its beginning by keys, document and roster with it, and what was paused has a link", async () => {
    const session = await startStory();
    const birch = await session.join("Birch");
    await session.post(birch.credential, "I take the tests.");
    const { page, problems, findBarriers } = await openPage(browser, addressOf(session));
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("button", { name: "Play from here" }).waitFor();
    await page.getByText("I take the tests.").waitFor();
    await page.keyboard.press("p");
    const then = page.getByRole("region", { name: "Participants at this time" });
    // The replay takes a moment and stops at the end of the session. From there, stepping back works.
    await then.getByText("Birch").waitFor();
    await page.getByText("I take the tests.").waitFor();
    await page.getByText("second text").waitFor();
    expect(new URL(page.url()).searchParams.get("at")).toMatch(/Z$/);
    expect(await findBarriers()).toEqual([]);
    await timeline.getByRole("button", { name: "Play from here" }).waitFor();

    const end = page.url();
    await page.goto(end);
    await page.getByText("I take the tests.").waitFor();
    await then.getByText("Birch").waitFor();
    expect(problems).toEqual([]);
  });

  /** Writes a first document version, a message, a second version and a decision, each at a different time. */
  async function startStory(): Promise<TestSession> {
    const session = await createTestSession(rest);
    const { sessionId: session_id, convener: team_id } = session;
    await rest.call("update_session_doc", {
      session_id,
      team_id,
      content: "first text",
      expected_version: 0,
    });
    await session.post(team_id, "Who takes the tests?");
    await rest.call("update_session_doc", {
      session_id,
      team_id,
      content: "second text",
      expected_version: 1,
    });
    await rest.call("post_message", {
      session_id,
      team_id,
      content: { text: "It is settled.", kind: "decision" },
    });
    return session;
  }

  function addressOf({ slug }: TestSession): string {
    return `${broker.url}/sessions/${slug}`;
  }
});

/** Presses the key for the previous event until the slider shows these words. */
async function stepBackTo(page: Page, words: RegExp): Promise<void> {
  const moment = page.getByRole("slider", { name: "Moment" });
  for (let presses = 0; presses < 12; presses++) {
    const before = (await moment.getAttribute("aria-valuetext")) ?? "";
    if (words.test(before)) return;
    await page.keyboard.press(",");
    await expect.poll(() => moment.getAttribute("aria-valuetext")).not.toBe(before);
  }
  throw new Error(`No moment is told as ${words}.`);
}
