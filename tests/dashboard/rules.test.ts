import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession, listTexts, type TestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();
const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

describe("what a session's page does", { tags: "chromium" }, () => {
  it("[DASH-62] [DASH-95] what I say leads to the end, from wherever I was reading", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    await sayNumbered(session, 60);
    const page = await openAs("Ana", session, "?m=5");
    await article(page, 5).waitFor();
    await page.getByText("Jump to latest").waitFor();
    await write(page, "Here I am");
    const mine = page.getByRole("article").filter({ hasText: "Here I am" });
    await expect.poll(() => mine.isVisible()).toBe(true);
    await expect.poll(() => isOnScreen(page, "Here I am")).toBe(true);
    expect(await page.getByText("Jump to latest").count()).toBe(0);
  });

  it("[DASH-98] who is disconnected is named before one sends to them, and reads it on return", async () => {
    const session = await createTestSession(dashboard.rest);
    const cedar = await session.join("Cedar");
    const sql = connectTestDatabase(dashboard.broker.databaseUrl);
    await sql`UPDATE peers SET joined_at = joined_at - interval '11 min' WHERE session_id = ${session.sessionId}`;
    const page = await openAs("Ana", session);
    const composer = page.getByRole("form", { name: "Write a message" });
    await page.getByRole("textbox", { name: "Message" }).fill("@ced");
    await page.getByRole("option", { name: "Cedar disconnected" }).waitFor();
    await page.keyboard.press("Tab");
    await composer.getByText("Cedar is disconnected. The message is delivered when they return.").waitFor();
    await page.getByRole("textbox", { name: "Message" }).pressSequentially("use the vault");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    const { messages } = await dashboard.rest.call("wait_for_messages", {
      session_id: session.sessionId,
      team_id: cedar.credential,
      timeout: 0,
    });
    expect(listTexts(messages)).toContain("@Cedar use the vault");
  });

  it("[DASH-88] [DASH-89] who is a person speaks while the session is held; how much of a budget is spent is told on a phone, too", async () => {
    const session = await createTestSession(dashboard.rest);
    const ana = await dashboard.newPerson();
    const at = { session_id: session.sessionId, team_id: ana };
    await dashboard.rest.call("resume_session", { ...at, message_budget: 5 });
    await session.post(session.convener, "one of five");
    const { page } = await dashboard.open(`/sessions/${session.slug}`, { ...phone, as: ana });
    await page.getByText("budget 1 / 5").waitFor();
    expect(await isOnScreen(page, "budget 1 / 5")).toBe(true);
    await dashboard.rest.call("hold_session", { ...at, reason: "wait" });
    await page.getByText("HELD", { exact: true }).waitFor();
    await write(page, "Wait for me");
    await page.getByText("budget 0 / 5").waitFor();
  });

  it("[DASH-89] a quiet session says so, and everybody in it is nudged at once", async () => {
    const session = await createTestSession(dashboard.rest);
    await session.join("Birch");
    await session.post(session.convener, "anybody?");
    const sql = connectTestDatabase(dashboard.broker.databaseUrl);
    const { sessionId } = session;
    await sql`UPDATE sessions SET created_at = created_at - interval '11 min' WHERE session_id = ${sessionId}`;
    await sql`UPDATE feeds SET last_posted_at = last_posted_at - interval '11 min' WHERE session_id = ${sessionId}`;
    const page = await openAs("Ana", session);
    await page.getByText("QUIET", { exact: true }).waitFor();
    const banner = page.getByRole("region", { name: "Session status" });
    await banner.getByText(/Quiet: no one has posted or checked for messages since/).waitFor();
    await banner.getByRole("button", { name: "Nudge all" }).click();
    await banner.getByText(/Birch is offline and reads when it returns/).waitFor();
    // The result of the nudge stays visible after a new message, until the user closes it.
    await session.post(session.convener, "here I am");
    await banner.getByText("The session is no longer quiet.").waitFor();
    await banner.getByRole("button", { name: "Close" }).click();
    await banner.waitFor({ state: "detached" });
  });

  it("[DASH-70] [BRIEF-6] catching up lists what changed since one last read by kinds, and leads to each", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest);
    const ana = await dashboard.newPerson();
    const at = { session_id: session.sessionId, team_id: session.convener };
    await session.post(session.convener, "old news");
    await dashboard.rest.call("mark_read", { session_id: session.sessionId, team_id: ana });
    await session.post(session.convener, "mere talk");
    const ask = await dashboard.rest.call("post_message", {
      ...at,
      content: { text: "Which key?", kind: "ask" },
    });
    const decision = await dashboard.rest.call("post_message", {
      ...at,
      content: { text: "The vault's", kind: "decision" },
    });
    await writeDocument(session, "# First", 0);
    await writeDocument(session, "# Second", 1);
    await dashboard.rest.call("create_task", { ...at, title: "Rotate the tokens" });
    await dashboard.rest.call("set_state", { ...at, key: "deploy", value: "frozen" });
    await session.join("Birch");
    await dashboard.rest.call("conclude_session", { ...at, summary_section: "Done." });

    const { page, findBarriers } = await dashboard.open(`/sessions/${session.slug}`, { as: ana });
    await page.getByRole("button", { name: "Catch up" }).click();
    const panel = page.getByRole("region", { name: "Since your last visit" });
    for (const [group, words] of [
      ["Asked", "Which key?"],
      ["Decided", "The vault's"],
      ["Changed", "first written"],
      ["Changed", "Rotate the tokens"],
      ["Changed", "deploy"],
      ["Activity", "Birch"],
      ["Decided", "concluded"],
      ["Activity", "messages"],
    ] as const) {
      const part = panel.getByRole("region", { name: group });
      await part.getByRole("listitem").filter({ hasText: words }).first().waitFor();
    }
    expect(await panel.getByText("mere talk").count()).toBe(0);
    expect(await panel.getByRole("listitem").count()).toBe(
      await panel
        .getByRole("listitem")
        .filter({ has: page.locator("a") })
        .count(),
    );
    expect(await findBarriers()).toEqual([]);
    for (const { cursor } of [ask, decision]) {
      await panel
        .getByRole("link", { name: `#${cursor}` })
        .first()
        .click();
      await expect.poll(() => article(page, cursor).getAttribute("aria-current")).toBe("true");
    }
    await panel.getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("b");
    await panel.getByRole("link", { name: /^v3\b/ }).press("Enter");
    await expect.poll(() => new URL(page.url()).searchParams.get("v")).toBe("3");
    await panel
      .getByRole("link", { name: /^task 1\b/ })
      .first()
      .press("Enter");
    await page.getByRole("region", { name: "Tasks" }).getByText("Rotate the tokens").first().waitFor();
  });

  it("[DASH-68] a message is copied as Markdown, as JSON and as a link, and added to the decisions with a link back", async () => {
    const session = await createTestSession(dashboard.rest);
    await writeDocument(session, "# Plan\n\n## Decisions\n\n- One\n\n## Notes\n", 0);
    const { cursor, at } = await session.post(session.convener, "Keep **v1** tokens");
    const page = await openAs("Ana", session, "", clipboard);
    const address = `${dashboard.broker.url}/sessions/${session.slug}?m=${cursor}`;
    const menu = page.getByRole("dialog", { name: `Message ${cursor}` });
    await page.getByRole("button", { name: `More about message ${cursor}` }).click();

    await menu.getByRole("button", { name: "Copy as Markdown" }).click();
    await expect
      .poll(() => readClipboard(page))
      .toBe(`**Atlas → everyone**, ${at}, [#${cursor}](${address})\n\nKeep **v1** tokens`);
    await menu.getByRole("button", { name: "Copy as JSON" }).click();
    await expect.poll(() => readClipboard(page)).toMatch(/^\{/);
    expect(JSON.parse(await readClipboard(page))).toMatchObject({
      sequence: cursor,
      content: { text: "Keep **v1** tokens" },
    });
    await menu.getByRole("button", { name: "Copy link" }).click();
    await expect.poll(() => readClipboard(page)).toBe(address);

    await menu.getByRole("button", { name: "Add to Decisions" }).click();
    await menu.getByText("Added to the document (v2)").waitFor();
    const { content } = await dashboard.rest.call("read_session_doc", { session_id: session.sessionId });
    expect(content).toContain(`- One\n- Keep **v1** tokens ([#${cursor}](${address}))\n\n## Notes`);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: `#${cursor}`, exact: true }).waitFor();
  });

  it("[DASH-222] every row is copied, an event as what it says; `y` copies its link and `m` shows it raw", async () => {
    const session = await createTestSession(dashboard.rest);
    await dashboard.rest.call("update_session_metadata", {
      session_id: session.sessionId,
      team_id: session.convener,
      title: "Another title",
      reason: "scope grew",
    });
    const page = await openAs("Ana", session, "", clipboard);
    await page.getByRole("button", { name: "More about message 1" }).click();
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await expect
      .poll(() => readClipboard(page))
      .toMatch(
        /^\*\*Merkle → everyone\*\*, .*\n\nAtlas changed the title from .* to “Another title”\n\nReason: scope grew$/s,
      );
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Message 1" }).waitFor({ state: "detached" });
    await page.getByRole("feed").focus();
    await page.keyboard.press("PageDown");
    await expect
      .poll(() => article(page, 1).evaluate((row) => row === row.ownerDocument.activeElement))
      .toBe(true);
    await expect
      .poll(async () => {
        await page.keyboard.press("y");
        return readClipboard(page);
      })
      .toBe(`${dashboard.broker.url}/sessions/${session.slug}?m=1`);
    await page.keyboard.press("m");
    await article(page, 1).getByText('"session_metadata_updated"').waitFor();
  });

  it("[DASH-223] a text of more than 24 lines shows its beginning, says how long it is, and opens", async () => {
    const session = await createTestSession(dashboard.rest);
    const lines = (count: number) =>
      Array.from({ length: count }, (_, line) => `line ${line + 1}`).join("\n");
    await session.post(session.convener, lines(24));
    await session.post(session.convener, lines(300));
    const page = await openAs("Ana", session);
    const long = article(page, 2);
    await long.getByText("line 24", { exact: false }).waitFor();
    expect(await long.getByText("line 25").count()).toBe(0);
    expect(await article(page, 1).getByRole("button", { name: /^Show/ }).count()).toBe(0);
    await long.getByRole("button", { name: "Show all 300 lines" }).click();
    await long.getByText("line 300").waitFor();
    await long.getByRole("button", { name: "Show less" }).click();
    await expect.poll(() => long.getByText("line 300").count()).toBe(0);
  });

  it("[DASH-68] under my own ask stands the number of its answer, which leads there", async () => {
    const session = await createTestSession(dashboard.rest);
    const ana = await dashboard.newPerson();
    const at = { session_id: session.sessionId };
    const ask = await dashboard.rest.call("post_message", {
      ...at,
      team_id: ana,
      content: { text: "Which key?", kind: "ask" },
    });
    const { page } = await dashboard.open(`/sessions/${session.slug}`, { as: ana });
    const mine = article(page, ask.cursor);
    await mine.getByText(/delivered 0\/1/).waitFor();
    const answer = await dashboard.rest.call("post_message", {
      ...at,
      team_id: session.convener,
      reply_to: ask.cursor,
      content: { text: "the vault's", answer: "the vault's" },
    });
    await mine
      .getByText("· answered")
      .getByRole("link", { name: `#${answer.cursor}` })
      .click();
    await expect.poll(() => article(page, answer.cursor).getAttribute("aria-current")).toBe("true");
  });

  it("[DASH-83] a changed title fades over into the new one and is highlighted once; with reduced motion nothing moves", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "Q3 pricing");
    const [moving, still] = await Promise.all(
      (["no-preference", "reduce"] as const).map(async (reducedMotion) => {
        const { page } = await dashboard.open(`/sessions/${session.slug}`, { reducedMotion });
        await page.getByRole("heading", { name: "Q3 pricing" }).waitFor();
        // Records animations as they start, because they may have ended when the test checks.
        await page.evaluate(`{
          window.began = [];
          document.addEventListener("animationstart", ({ animationName, target }) =>
            target.closest("h1") && window.began.push(animationName + ": " + target.textContent), true);
        }`);
        return page;
      }),
    );
    await dashboard.rest.call("update_session_metadata", {
      session_id: session.sessionId,
      team_id: session.convener,
      title: "Q3 pricing, EU",
      reason: "US split off",
    });
    for (const page of [moving, still]) {
      await page?.getByText(/changed by Atlas .*: US split off/).waitFor();
    }
    await expect
      .poll(async () => (await moving?.evaluate<string[]>("window.began"))?.toSorted())
      .toEqual([
        "title-fade-in: Q3 pricing, EU",
        "title-fade-out: Q3 pricing",
        "title-sweep: Q3 pricing, EU",
      ]);
    await moving
      ?.getByText("Q3 pricing", { exact: true })
      .locator("xpath=ancestor::h1")
      .waitFor({ state: "detached" });
    expect(await still?.evaluate("window.began")).toEqual([]);
  });

  it("[DASH-132] the right end of the timeline means now, also where something has just happened", async () => {
    const session = await createTestSession(dashboard.rest);
    await writeDocument(session, "first text", 0);
    await dashboard.rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "It is settled.", kind: "decision" },
    });
    const page = await openAs("Ana", session);
    const moment = page.getByRole("slider", { name: "Moment" });
    await moment.press("ArrowLeft");
    await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(true);
    const box = await moment.boundingBox();
    if (!box) throw new Error("The slider is not shown.");
    await page.mouse.click(box.x + box.width - 3, box.y + 20);
    await expect.poll(() => moment.getAttribute("aria-valuetext")).toBe("now");
    expect(new URL(page.url()).searchParams.has("at")).toBe(false);
  });

  it("[DASH-224] the first use of the browser's own search tells how all messages are searched, and no further one", async () => {
    const session = await createTestSession(dashboard.rest);
    await session.post(session.convener, "needle");
    const page = await openAs("Ana", session);
    await article(page, 1).waitFor();
    const hint = page.getByRole("status").filter({ hasText: "Press / to search all messages." });
    await expect
      .poll(async () => {
        await page.keyboard.press("Control+f");
        return hint.isVisible();
      })
      .toBe(true);
    await page.keyboard.press("/");
    await expect
      .poll(() => page.getByRole("textbox", { name: "Find in feed" }).evaluate(isFocused))
      .toBe(true);
    await hint.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await article(page, 1).waitFor();
    await page.keyboard.press("Control+f");
    expect(await hint.count()).toBe(0);
  });

  it("[DASH-35] what one person puts away still waits for another", { tags: "long" }, async () => {
    const session = await createTestSession(dashboard.rest, "Personal matters");
    await dashboard.rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "Which key?", kind: "ask" },
    });
    const [ana, ben] = await Promise.all(
      ["Ana", "Ben"].map(async (name) =>
        dashboard.open("/needs-you", { as: await dashboard.newPerson(name) }).then(({ page }) => page),
      ),
    );
    const item = (page: Page | undefined) =>
      page
        ?.getByRole("list", { name: "Needs you" })
        .getByRole("listitem")
        .filter({ hasText: "Personal matters" });
    await item(ben)?.waitFor();
    await item(ana)?.getByRole("button", { name: /^Done/ }).click();
    await item(ana)?.waitFor({ state: "detached" });
    await ben?.reload();
    await item(ben)?.waitFor();
  });

  /** Opens a session's page as a new person with this name. */
  async function openAs(name: string, { slug }: TestSession, query = "", options = {}): Promise<Page> {
    const as = await dashboard.newPerson(name);
    const { page } = await dashboard.open(`/sessions/${slug}${query}`, { ...options, as });
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  }

  async function sayNumbered(session: TestSession, count: number): Promise<void> {
    for (let said = 0; said < count; said += 50) {
      const texts = Array.from({ length: Math.min(50, count - said) }, (_, index) => `word ${said + index}`);
      await Promise.all(texts.map((text) => session.post(session.convener, text)));
    }
  }

  async function writeDocument(session: TestSession, content: string, expected_version: number) {
    const { sessionId: session_id, convener: team_id } = session;
    await dashboard.rest.call("update_session_doc", { session_id, team_id, content, expected_version });
  }
});

function article(page: Page, sequence: number) {
  return page.locator(`article[data-sequence="${sequence}"]`);
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function isOnScreen(page: Page, text: string): Promise<boolean> {
  const box = await page.getByText(text, { exact: true }).boundingBox();
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  return box !== null && box.y >= 0 && box.y + box.height <= height && box.x + box.width <= width;
}

function readClipboard(page: Page): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}

function isFocused(element: Element): boolean {
  return element === element.ownerDocument.activeElement;
}
