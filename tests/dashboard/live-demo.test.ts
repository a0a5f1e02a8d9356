import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { closeProfiles } from "../kit/profiles.js";
import { startTestBroker } from "../kit/test-broker.js";
import { dashboardPages } from "./pages.js";
import { readShownFeed } from "./shown-feed.js";

const chromium = findChromium();

const title = "Short-lived login tokens";
const newTitle = `${title}, old apps in March`;

describe("the dashboard while others work", { tags: "chromium" }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await sharedChromium(chromium ?? "");
    return () => closeProfiles(browser);
  });

  /** A page at the sessions that takes note, from before the first of its scripts, of what it ever shows. */
  async function openWatching(url: string): Promise<WatchedPage> {
    const opened = await openPage(browser, url, { reducedMotion: "no-preference" }, (page) =>
      page.addInitScript(watchPage),
    );
    await opened.page.getByText("Start your own session").waitFor();
    return opened;
  }

  it("[DASH-185] a session of two teams and a human is seen live in all it does, without a reload", async () => {
    const { url } = await startTestBroker({ dashboard: dashboardPages() });
    const [list, live] = await Promise.all([openWatching(url), openWatching(url)]);
    const merkle = await testMerkle(onTestFinished);
    const demo = merkle.start(["demo", "--once", "--url", url, "--pace", "0.3", "--json"]);

    await Promise.all([
      live.page.getByRole("link", { name: title }).first().click(),
      list.page.getByRole("row").filter({ hasText: title }).waitFor(),
    ]);
    await live.page.getByRole("heading", { level: 1, name: title }).waitFor();
    expect(await demo.ended).toMatchObject({ code: 0 });

    // Whoever stayed at the list saw the new title, and the session closed: with none open, closed ones are shown.
    await list.page
      .getByRole("row")
      .filter({ hasText: newTitle })
      .getByText("closed", { exact: false })
      .waitFor();
    expect(await seenBy(list.page, "titles")).toEqual(expect.arrayContaining([title, newTitle]));

    const { page } = live;
    await page.getByRole("heading", { level: 1, name: newTitle }).waitFor();
    await page.getByText("CLOSED", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Conclusion" }).getByText("Resume here").waitFor();
    const document = page.getByRole("region", { name: "Document" });
    await document.getByRole("heading", { level: 2, name: /Document.*v6/ }).waitFor();
    for (const name of ["Decisions", "Server", "Clients", "Rollout", "Conclusion"]) {
      await document.getByRole("heading", { name, exact: true }).waitFor();
    }

    const sequences = (await readShownFeed(page)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(await seenBy(page, "messages")).toEqual(sequences.map(String));
    expect(await seenBy(page, "versions")).toEqual(expect.arrayContaining(["v1", "v6"]));
    const roster = await seenBy(page, "teams");
    for (const team of ["Atlas", "Birch", "Ana"]) expect(roster.join("\n")).toContain(team);
    expect(await seenBy(page, "animations")).toEqual(
      expect.arrayContaining([expect.stringMatching(/sweep/)]),
    );
    expect((await seenBy(page, "changes"))[0]).toMatch(/^changed by Atlas.*3 % of the users/);

    for (const { page, problems } of [list, live]) {
      expect(problems).toEqual([]);
      expect(await page.evaluate(() => performance.getEntriesByType("navigation").length)).toBe(1);
      expect(await seenBy(page, "loads")).toEqual(["1"]);
    }
  });
});

/** Everything that a page has shown so far of a kind, each once, in the order in which it came. */
function seenBy(page: Page, kind: string): Promise<string[]> {
  return page.evaluate((name) => Object(window).seen[name], kind);
}

/** Runs in the page. What is shown once and then no more must have been seen as well, so it watches every change. */
function watchPage(): void {
  const places: Record<string, string> = {
    titles: "[data-session-link], h1",
    messages: "article[data-sequence]",
    versions: "[aria-label=Document] header h2",
    teams: "[aria-label='Participants'] li",
    changes: "p",
  };
  const seen: Record<string, string[]> = { animations: [], loads: ["1"] };
  Object.assign(window, { seen });
  function note(kind: string, text: string): void {
    const texts = seen[kind] ?? [];
    if (!texts.includes(text)) seen[kind] = [...texts, text];
  }
  function look(): void {
    for (const [kind, place] of Object.entries(places)) {
      for (const element of document.querySelectorAll<HTMLElement>(place)) {
        const text = element.dataset["sequence"] ?? element.textContent ?? "";
        if (kind === "versions") note(kind, /v\d+/.exec(text)?.[0] ?? "none");
        else if (kind !== "changes" || text.startsWith("changed by")) note(kind, text);
      }
    }
  }
  document.addEventListener("animationstart", ({ animationName }) => note("animations", animationName));
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}
