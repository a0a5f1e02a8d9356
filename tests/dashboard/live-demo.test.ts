import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { closeProfiles } from "../kit/profiles.js";
import { startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { findDashboardPages } from "./pages.js";
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

  /**
   * Opens the list of sessions and records everything that the list ever shows, starting before the page's first
   * script.
   */
  async function openWatching(url: string): Promise<WatchedPage> {
    const opened = await openPage(browser, url, { reducedMotion: "no-preference" }, (page) =>
      page.addInitScript(watchPage),
    );
    await opened.page.getByText("Start your own session").waitFor();
    return opened;
  }

  it("[DASH-185] a session of two teams and a human is seen live in all it does, without a reload", async () => {
    const { url } = await startTestBroker({ dashboard: findDashboardPages() });
    const [list, live] = await Promise.all([openWatching(url), openWatching(url)]);
    const rest = await transports.rest(url);
    const { session_id, team_id: atlas } = await rest.call("create_session", {
      title,
      description: "Access tokens of 15 minutes",
      creator_team_name: "Atlas",
    });

    await Promise.all([
      live.page.getByRole("link", { name: title }).first().click(),
      list.page.getByRole("row").filter({ hasText: title }).waitFor(),
    ]);
    await live.page.getByRole("heading", { level: 1, name: title }).waitFor();
    const messages = await workTogether(rest, { session_id, atlas }, () =>
      live.page.getByText("A token lives for 15 minutes").waitFor(),
    );

    // The other page still shows the list. The list showed the new title and then the closed session, because closed
    // sessions are listed if no session is open.
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
    await document.getByRole("heading", { level: 2, name: /Document.*v4/ }).waitFor();
    for (const name of ["Server", "Clients", "Rollout", "Conclusion"]) {
      await document.getByRole("heading", { name, exact: true }).waitFor();
    }

    const sequences = (await readShownFeed(page)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: messages }, (_, index) => index + 1));
    expect(await seenBy(page, "messages")).toEqual(sequences.map(String));
    expect(await seenBy(page, "versions")).toEqual(expect.arrayContaining(["v1", "v4"]));
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

/**
 * Makes two teams and a human post messages, edit the document, rename the session and conclude it. Returns the number
 * of messages.
 */
async function workTogether(
  rest: TransportClient,
  { session_id, atlas }: { readonly session_id: string; readonly atlas: string },
  firstVersionSeen: () => Promise<void>,
): Promise<number> {
  const { team_id: birch } = await rest.call("join_session", { session_id, team_name: "Birch" });
  const post = (team_id: string, text: string) =>
    rest.call("post_message", { session_id, team_id, content: { text } });
  const append = (team_id: string, text: string) =>
    rest.call("append_to_session_doc", { session_id, team_id, text });
  await post(atlas, "I have the server, you have the clients.");
  await append(atlas, "## Server\n\n- A token lives for 15 minutes\n");
  await firstVersionSeen();
  await post(birch, "The clients renew on a 401.");
  await append(birch, "## Clients\n\n- One renewal at a time\n");
  const { person_id: ana } = await rest.call("create_person", { name: "Ana" });
  await post(ana, "3 % of the users have old apps.");
  await append(atlas, "## Rollout\n\n- Old apps in March\n");
  await rest.call("update_session_metadata", {
    session_id,
    team_id: atlas,
    title: newTitle,
    reason: "3 % of the users have old apps",
  });
  await rest.call("conclude_session", { session_id, team_id: atlas, summary_section: "Resume here: March." });
  const { messages } = await rest.call("get_history", { session_id });
  return messages.at(-1)?.sequence ?? 0;
}

/** Returns everything of one kind that a page has shown, in order and without duplicates. */
function seenBy(page: Page, kind: string): Promise<string[]> {
  return page.evaluate((name) => Object(window).seen[name], kind);
}

/** Runs in the page. Observes every change, so that text shown only briefly is recorded too. */
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
