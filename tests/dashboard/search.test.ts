import { randomUUID } from "node:crypto";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
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
    await rest.call("create_task", { ...at, title: "Hide it", text: `Not the ${word}.` });
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
    const hits = page.getByRole("region", { name: /^Results/ });
    await expect
      .poll(async () => (await kindsIn(hits)).sort())
      .toEqual(["Decision", "Document", "Memory", "Message", "Progress", "Session", "State", "Task"]);
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
    await page.getByRole("button", { name: "Tasks" }).click();
    await expect.poll(() => kindsIn(hits)).toEqual(["Task"]);
    expect(await hits.getByRole("link").getAttribute("href")).toBe(`/sessions/${session.slug}/tasks?task=1`);
    await page.getByRole("button", { name: "Tasks" }).click();
    await hits.getByRole("listitem").filter({ hasText: "State" }).getByRole("link").click();
    await page.waitForURL(`**/sessions/${session.slug}/state?key=owner`);
    await page.getByRole("region", { name: "History of owner" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[SEARCH-15] without words a kind lists its newest across sessions, with titles and times", async () => {
    const sessions = [
      await createTestSession(dashboard.rest, "Decided early"),
      await createTestSession(dashboard.rest, "Decided late"),
    ];
    for (const { sessionId: session_id, convener: team_id, slug } of sessions)
      await dashboard.rest.call("post_message", {
        ...{ session_id, team_id },
        content: { text: `Keep ${slug}.`, kind: "decision" },
      });
    const { page, problems, findBarriers } = await dashboard.open("/search");
    await page.getByRole("button", { name: "Decisions" }).click();
    const rows = page.getByRole("region", { name: "Results, newest first" }).getByRole("listitem");
    await rows
      .first()
      .getByText(/^Decided late #\d+$/)
      .waitFor();
    await rows
      .nth(1)
      .getByText(/^Decided early #\d+$/)
      .waitFor();
    expect(await rows.first().locator("time").textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Decisions" }).click();
    await page.getByText("Search all sessions").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-386] hits are grouped by session, equal ones are one row, and the search narrows to a session", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const [one, other] = [
      await createTestSession(dashboard.rest, "First work"),
      await createTestSession(dashboard.rest, "Second work"),
    ];
    for (const _ of [1, 2, 3]) await one.post(one.convener, `Still waiting for ${word}`);
    await one.post(one.convener, `The ${word} came.`);
    await other.post(other.convener, `Where is ${word}?`);
    const { page, problems, findBarriers } = await dashboard.open(`/search?q=${word}`);
    await page.getByText("5 matches.").waitFor();
    const results = page.getByRole("region", { name: /^Results/ });
    const first = results.getByRole("region", { name: "First work" });
    await first.getByText("4 matches").waitFor();
    expect((await kindsIn(first)).filter((kind) => kind !== "")).toEqual(["Message", "Message"]);
    await first.getByText("2 more with the same text").click();
    const equal = first.getByRole("group").getByRole("link");
    expect((await equal.allTextContents()).sort()).toEqual(["#1", "#2"]);
    expect(await findBarriers()).toEqual([]);

    await first.getByRole("button", { name: "Only here in First work" }).click();
    await page.waitForURL(`**/search?q=${word}&session=${one.slug}`);
    await page.getByText("4 matches.").waitFor();
    expect(await results.getByRole("region").count()).toBe(1);
    await page.getByRole("button", { name: "Only in First work" }).click();
    await page.getByText("5 matches.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-387] pages, actions and sessions that the page knows appear before the broker replies", async () => {
    const name = `Vault ${randomUUID().slice(0, 8)}`;
    const { slug } = await createTestSession(dashboard.rest, name);
    const { page, problems } = await dashboard.open("/");
    await page.getByRole("link", { name }).first().waitFor();
    await page.goto(new URL("/search", page.url()).href);
    await page.getByText("Search all sessions").waitFor();
    const local = page.getByRole("region", { name: "Go to" });
    await page.getByRole("searchbox").fill("settings");
    await local.getByRole("link", { name: "Settings", exact: true }).waitFor();
    // The broker cannot search until this transaction ends.
    const sql = await connectTestDatabase(dashboard.broker.databaseUrl).reserve();
    await sql`BEGIN`;
    await sql`LOCK TABLE search_heads`;
    await page.getByRole("searchbox").fill(name);
    await local.getByRole("link", { name }).waitFor();
    await sql`ROLLBACK`;
    sql.release();
    await local.getByRole("link", { name }).click();
    await page.waitForURL(`**/sessions/${slug}`);
    expect(problems).toEqual([]);
  });

  it("[DASH-388] a hit shows its words before its kind and place, and the palette says how many there are", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const session = await createTestSession(dashboard.rest);
    for (const n of Array.from({ length: 12 }, (_, index) => index))
      await session.post(session.convener, `${word} ${n}`);
    const { page, problems } = await dashboard.open(`/search?q=${word}`);
    const row = page
      .getByRole("region", { name: /^Results/ })
      .getByRole("listitem")
      .first();
    expect(await row.textContent()).toMatch(new RegExp(`^${word} \\d+Message#`));
    await page.keyboard.press("Control+k");
    await page.keyboard.type(word);
    await page.getByRole("option", { name: `Search everything for “${word}” · 12 matches` }).waitFor();
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
    .evaluateAll((rows) => rows.map((row) => row.querySelector("[data-kind]")?.textContent ?? ""));
}
