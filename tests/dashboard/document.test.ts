import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { createCleanup } from "../kit/cleanup.js";
import { openPage } from "../kit/open-page.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

const chromium = findChromium();

const pages = fileURLToPath(new URL("../../apps/dashboard/out", import.meta.url));

const plan = [
  "# Plan",
  "",
  "Move token issuing out.",
  "",
  "## Decisions",
  "",
  "- Keep v1 tokens",
  "- Old clients break",
  "",
  "## Notes",
  "",
  ...Array.from({ length: 60 }, (_, line) => `Note ${line} about what was found on the way.\n`),
  "## Conclusion",
  "",
  "Written when the session is concluded.",
  "",
].join("\n");

describe("the document in a browser", { tags: "chromium" }, () => {
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

  it("[DASH-110] it shows the newest version laid out, whose it is, and leads to its headings", async () => {
    const session = await startWith(plan);
    const { page, problems, findBarriers } = await openDocument(session);
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    await page.getByText("v1 · Atlas").waitFor();
    expect(await findBarriers()).toEqual([]);

    const outline = page.getByRole("navigation", { name: "Outline" });
    expect(await outline.getByRole("button").allInnerTexts()).toEqual([
      "Plan",
      "Decisions",
      "Notes",
      "Conclusion",
    ]);
    await outline.getByRole("button", { name: "Conclusion" }).click();
    await expect.poll(() => isInView(page, "Written when the session is concluded.")).toBe(true);
    expect(problems).toEqual([]);
  });

  it("[DASH-111] a new version moves nothing that is read, says who changed what, and shows it when asked", async () => {
    const session = await startWith(plan);
    const { page } = await openDocument(session);
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    await page.getByText("Note 40 ").scrollIntoViewIfNeeded();
    const before = await topOf(page, "Note 40 ");

    const birch = await session.join("Birch");
    await rest.call("edit_session_doc", {
      session_id: session.sessionId,
      team_id: birch.credential,
      old_text: "- Old clients break",
      new_text: "- Old clients go on\n- For 30 days\n- Then they get 410",
    });
    const note = page.getByRole("status").filter({ hasText: "Birch changed Decisions" });
    await note.waitFor();
    expect(await page.getByText("Then they get 410").count()).toBe(1);
    expect(Math.abs((await topOf(page, "Note 40 ")) - before)).toBeLessThan(1);

    await page.getByRole("button", { name: "Show", exact: true }).click();
    await expect.poll(() => isInView(page, "Then they get 410")).toBe(true);
    await expect.poll(() => note.count()).toBe(0);
  });

  it("[DASH-112] an older version says that it is one, and leads to the newest", async () => {
    const session = await startWith("first text");
    await write(session, "second text", 1);
    const { page } = await openDocument(session, { query: "?v=1" });
    await page.getByText("first text").waitFor();
    await page.getByText("Version 1, written").waitFor();
    await page.getByRole("button", { name: "Show changes since" }).click();
    await page.getByRole("region", { name: "Changes from version 1 to 2" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Newest version" }).click();
    await page.getByText("second text").waitFor();
    expect(new URL(page.url()).search).toBe("");
  });

  it("[DASH-113] a document of 500 kB is shown as plain text, says so, and can be edited", {
    tags: "long",
  }, async () => {
    const session = await startWith("# Long\n\n".padEnd(500 * 1024, "All work and no play.\n"));
    const { page, problems } = await openDocument(session);
    await page.getByRole("note").getByText("This document is 500 kB").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Document, based on version 1" }).press("Control+Home");
    await page.keyboard.type("First: ");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("v2 · Ana").waitFor();
    expect((await read(session)).slice(0, 13)).toBe("First: # Long");
    expect(problems).toEqual([]);
  });

  it("[DASH-115] what is not saved survives a reload, and Tab indents until Escape", async () => {
    const session = await startWith("one\n");
    const { page, findBarriers } = await openDocument(session);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const field = page.getByRole("textbox", { name: "Document, based on version 1" });
    await field.press("Control+End");
    await field.press("Tab");
    await page.keyboard.type("two");
    await expect.poll(() => field.inputValue()).toBe("one\n  two");
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("one\n  two");
    expect(await findBarriers()).toEqual([]);

    await field.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.getByRole("button", { name: "Save" }).evaluate((save) => save.matches(":focus"))).toBe(
      true,
    );
    await page.keyboard.press("Enter");
    await page.getByText("v2 · Ana").waitFor();
    expect(await read(session)).toBe("one\n  two");
    await page.reload();
    await page.getByText("v2 · Ana").waitFor();
    expect(await page.getByRole("button", { name: "Keep editing" }).count()).toBe(0);
  });

  it("[DASH-116] of two people who edit at once neither loses a word", async () => {
    const session = await startWith("# Plan\n\n- one\n- two\n- three\n\nEnd.\n");
    const ana = await openDocument(session, { query: "?edit=1", as: "Ana" });
    const bo = await openDocument(session, { query: "?edit=1", as: "Bo" });
    const fieldOf = (page: Page) => page.getByRole("textbox", { name: "Document, based on version 1" });
    await fieldOf(ana.page).fill("# Plan\n\n- one\n- two, says Ana\n- three\n\nEnd.\n");
    await fieldOf(bo.page).fill("# The plan\n\n- one\n- two, says Bo\n- three\n\nEnd.\n");
    await ana.page.getByRole("button", { name: "Save" }).click();
    await ana.page.getByText("v2 · Ana").waitFor();

    await bo.page.getByText("Ana saved v2. You’re editing v1.").waitFor();
    await bo.page.getByRole("button", { name: "Save" }).click();
    const conflict = bo.page.getByRole("region", { name: "Resolve conflict" });
    await conflict.getByRole("heading", { name: "Ana saved v2 while you were editing" }).waitFor();
    expect(await bo.findBarriers()).toEqual([]);
    await expect.poll(() => conflict.getByRole("button", { name: "Save result" }).isDisabled()).toBe(true);
    const place = conflict.getByRole("group", { name: "Conflict 1" });
    await place.getByRole("radio", { name: "Both, theirs first" }).check();
    await conflict.getByRole("button", { name: "Edit result" }).click();
    const result = bo.page.getByRole("textbox", { name: "Document, based on version 2" });
    expect(await result.inputValue()).toBe(
      "# The plan\n\n- one\n- two, says Ana\n- two, says Bo\n- three\n\nEnd.\n",
    );
    await bo.page.getByRole("button", { name: "Save" }).click();
    await bo.page.getByText("v3 · Bo").waitFor();
    expect(await read(session)).toBe(
      "# The plan\n\n- one\n- two, says Ana\n- two, says Bo\n- three\n\nEnd.\n",
    );
  });

  it("[DASH-118] a section is edited in place while others write elsewhere, and a note is added at the end", async () => {
    const session = await startWith("# A\n\nalpha\n\n# B\n\nbeta\n");
    const { page, problems } = await openDocument(session);
    await page.getByRole("button", { name: "Edit section A" }).click();
    await page.getByRole("textbox", { name: "Section A" }).fill("# A\n\nalpha, better");
    await write(session, "# A\n\nalpha\n\n# B\n\nbeta, too\n", 1);
    await page.getByText("beta, too").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("v3 · Ana").waitFor();
    expect(await read(session)).toBe("# A\n\nalpha, better\n\n# B\n\nbeta, too\n");

    await page.getByRole("button", { name: "Note", exact: true }).click();
    await page.getByRole("textbox", { name: "Note" }).fill("And one more thing.");
    await page.getByRole("button", { name: "Add at the end" }).click();
    await page.getByText("v4 · Ana").waitFor();
    await expect.poll(() => page.getByText("And one more thing.").count()).toBe(1);
    expect((await read(session)).endsWith("beta, too\n\nAnd one more thing.\n")).toBe(true);
    expect(problems).toEqual([]);
  });

  it("[DASH-120] the history says what each version changed; any two are compared, and one is restored", async () => {
    const session = await startWith(plan);
    await write(session, plan.replace("- Old clients break", "- Old clients go on\n- For 30 days"), 1);
    await write(session, `${plan}\nAt the end.\n`, 2);
    const { page, problems, findBarriers } = await openDocument(session);
    await page.getByRole("button", { name: "History" }).click();
    const rows = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/v2[\s\S]*Atlas[\s\S]*\+2 −1/);
    expect(await findBarriers()).toEqual([]);

    await page.getByRole("checkbox", { name: "Compare version 3" }).check();
    await page.getByRole("checkbox", { name: "Compare version 1" }).check();
    await page.getByRole("button", { name: "Compare v1 and v3" }).click();
    const changes = page.getByRole("region", { name: "Changes from version 1 to 3" });
    await changes.getByText("At the end.").waitFor();
    expect(new URL(page.url()).searchParams.get("compare")).toBe("1..3");
    await page.goto(`${broker.url}/sessions/${session.slug}/doc?compare=1..2`);
    const second = page.getByRole("region", { name: "Changes from version 1 to 2" });
    await second.getByRole("button", { name: "split" }).click();
    await expect
      .poll(() => second.getByRole("row").filter({ hasText: "Old clients" }).first().textContent())
      .toMatch(/break[\s\S]*go on/);
    expect(await findBarriers()).toEqual([]);

    await second.getByRole("button", { name: "Restore…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("v4 · Ana").waitFor();
    expect(await read(session)).toBe(plan);
    expect(problems).toEqual([]);
  });

  it("[DASH-122] a very large diff says so, and opens part by part", { tags: "long" }, async () => {
    const lines = (word: string) => Array.from({ length: 900 }, (_, i) => `${word} ${i}\n`).join("");
    const session = await startWith(`# A\n${lines("old")}\n# B\n${lines("old")}`);
    await write(session, `# A\n${lines("new")}\n# B\n${lines("new")}`, 1);
    const { page } = await openDocument(session, { query: "?compare=1..2" });
    await page.getByText(/Large change: \d+ lines/).waitFor();
    expect(await page.getByRole("row").count()).toBe(0);
    await page.getByRole("article", { name: "A", exact: true }).getByRole("button").click();
    await page.getByRole("row").first().waitFor();
    await page.getByRole("button", { name: /more lines/ }).waitFor();
  });

  it("[DASH-123] in dark colours and on a phone it can be read, edited and compared without barriers", async () => {
    const session = await startWith(plan);
    await write(session, plan.replace("Keep v1", "Keep all v1"), 1);
    const phone = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;
    const { page, findBarriers } = await openDocument(session, { ...phone, query: "?compare=1..2" });
    await page
      .getByRole("region", { name: "Changes from version 1 to 2" })
      .getByRole("row")
      .first()
      .waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Close comparison" }).click();
    await page.getByRole("heading", { name: "Plan" }).waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
    expect(await findBarriers()).toEqual([]);
  });

  async function startWith(content: string): Promise<TestSession> {
    const session = await createTestSession(rest);
    await write(session, content, 0);
    return session;
  }

  async function write(session: TestSession, content: string, expected_version: number): Promise<void> {
    const { sessionId: session_id, convener: team_id } = session;
    await rest.call("update_session_doc", { session_id, team_id, content, expected_version });
  }

  async function read(session: TestSession): Promise<string> {
    const { content = "" } = await rest.call("read_session_doc", { session_id: session.sessionId });
    return content;
  }

  interface DocumentOptions extends ProfileOptions {
    readonly query?: string;
    readonly as?: string;
  }

  /** Opens the document's page as a person with this name. */
  async function openDocument(
    session: TestSession,
    { query = "", as = "Ana", ...options }: DocumentOptions = {},
  ) {
    const storageState = await storageOf(as);
    return openPage(browser, `${broker.url}/sessions/${session.slug}/doc${query}`, {
      ...options,
      storageState,
    });
  }

  /** Returns a person's browser storage. The same name always gives the same person. */
  async function storageOf(name: string) {
    const made = await rest.call("create_person", { name, idempotency_key: `the person called ${name}` });
    const person = { id: made.person_id.split(".")[0], name: made.name, credential: made.person_id };
    const localStorage = [{ name: "merkle.person", value: JSON.stringify(person) }];
    return { cookies: [], origins: [{ origin: broker.url, localStorage }] };
  }
});

function topOf(page: Page, text: string): Promise<number> {
  return page.getByText(text).evaluate((element) => element.getBoundingClientRect().top);
}

async function isInView(page: Page, text: string): Promise<boolean> {
  const box = await page.getByText(text).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
