import { randomUUID } from "node:crypto";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the search", { tags: "chromium" }, () => {
  /** Creates a session in which every kind of searchable item contains a word. */
  async function sayEverywhere(word: string) {
    const { rest } = dashboard;
    const session = await createTestSession(rest, `About the ${word}`);
    const at = { session_id: session.sessionId, team_id: session.convener };
    await session.post(session.convener, `Where is the ${word} kept?`);
    await rest.call("post_message", { ...at, content: { text: `The ${word} goes.`, kind: "decision" } });
    await rest.call("append_to_session_doc", { ...at, text: `# Notes\n\nOf the ${word}.` });
    await rest.call("set_state", { ...at, key: "owner", value: `the ${word}` });
    await rest.call("remember", { team_id: session.convener, content: `A ${word} is a key.` });
    const entry = { projectId: "auth", title: "Moved it", content: `The ${word} is in the vault.` };
    await rest.call("log_progress", { ...entry, team_id: session.convener });
    return session;
  }

  it("[DASH-149] what is typed is found in everything, marked, and each hit opens at its place", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const session = await sayEverywhere(word);
    const { page, problems, findBarriers } = await dashboard.open("/search");
    await page.getByText("Search all sessions").waitFor();
    // The search field has the focus when the page opens.
    await page.keyboard.type(word);
    const hits = page.getByRole("list", { name: /^Results/ });
    await expect
      .poll(async () => (await kindsIn(hits)).sort())
      .toEqual(["Decision", "Document", "Memory", "Message", "Progress", "Session", "State"]);
    expect(await hits.locator("mark").first().textContent()).toBe(word);
    expect(await findBarriers()).toEqual([]);

    await page.getByRole("button", { name: "Messages" }).click();
    await page.waitForURL(`**/search?q=${word}&kinds=message`);
    await expect.poll(() => kindsIn(hits)).toEqual(["Message"]);
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}?m=1`);
    await page.goBack();
    await page.getByRole("button", { name: "Messages" }).click();
    await hits.getByRole("listitem").filter({ hasText: "State" }).getByRole("link").click();
    await page.waitForURL(`**/sessions/${session.slug}/state?key=owner`);
    await page.getByRole("region", { name: "History of owner" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-151] nothing found says what to do, and a phone shows it all", async () => {
    const { page, problems } = await dashboard.open(`/search?q=${randomUUID()}&kinds=state`, phone);
    await page.getByText("No results.").waitFor();
    await page.getByRole("button", { name: "Search everything" }).click();
    await page.getByText("Try fewer or different words").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(problems).toEqual([]);
  });
});

/** Returns the kind of each hit, in order. */
function kindsIn(hits: Locator): Promise<string[]> {
  // Reads all rows in one call. A locator for a single row would wait if the row was removed in between.
  return hits
    .getByRole("listitem")
    .evaluateAll((rows) => rows.map((row) => row.querySelector("p > span")?.textContent ?? ""));
}
