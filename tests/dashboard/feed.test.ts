import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { dateBack } from "../kit/message-age.js";
import { openPage } from "../kit/open-page.js";
import { makePerson } from "../kit/persons.js";
import { closeProfiles } from "../kit/profiles.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { findDashboardPages } from "./pages.js";

const chromium = findChromium();

describe("the feed of a session", { tags: "chromium" }, () => {
  let browser: Browser;
  let broker: TestBroker;
  let url: string;
  let socket: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => unknown)[] = [];
    browser = await sharedChromium(chromium ?? "");
    cleanups.push(() => closeProfiles(browser));
    broker = await startTestBroker({ dashboard: findDashboardPages() }, (cleanup) => cleanups.push(cleanup));
    url = broker.url;
    socket = await transports.websocket(url);
    cleanups.push(() => socket.close());
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  it("[DASH-60] [DASH-62] it follows at the end; scrolled up nothing moves, and a pill counts what is new", async () => {
    const session = await startSession();
    await session.post(...numbered(1, 60));
    const { page, problems, findBarriers } = await openFeed(session.slug);
    await article(page, 60).waitFor();

    await session.post("the newest word");
    await page.getByText("the newest word").waitFor();

    await feedOf(page).hover();
    await page.mouse.wheel(0, -900);
    await page.getByText("Jump to latest").waitFor();
    const before = await placeOf(page);
    await session.post(...numbered(70, 75));
    await page.getByRole("button", { name: "6 new · Jump to latest" }).waitFor();
    expect(await placeOf(page, before.sequence)).toEqual(before);

    await page.keyboard.press("e");
    await page.getByText("message 75", { exact: true }).waitFor();
    expect(await page.getByText("Jump to latest").count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-60] [DASH-62] a long feed is read back to its first message with few rows in the page, and a link opens anywhere", {
    tags: "long",
  }, async () => {
    const session = await startSession();
    await session.post(...numbered(1, 700));
    const { page } = await openFeed(session.slug, "?m=230");
    const asked = article(page, 230);
    await asked.waitFor();
    await expect.poll(() => asked.getAttribute("aria-current")).toBe("true");
    await expect.poll(() => asked.getAttribute("aria-setsize")).toBe("700");
    expect(await page.getByRole("article").count()).toBeLessThanOrEqual(60);

    const seen = new Set<number>();
    await feedOf(page).hover();
    await expect
      .poll(
        async () => {
          for (const sequence of await shownSequences(page)) seen.add(sequence);
          // A busy machine may handle several wheel events at once, so the steps are small enough to show every row.
          await page.mouse.wheel(0, -400);
          return seen.has(1);
        },
        { interval: 30 },
      )
      .toBe(true);
    expect([...seen].filter((sequence) => sequence < 230).length).toBe(229);
    expect(await page.getByRole("article").count()).toBeLessThanOrEqual(60);
  });

  it("[DASH-65] it opens at the first unread message, and what was on the screen is read, in another browser too", async () => {
    const session = await startSession();
    await session.post("old news");
    const person = await newPerson();
    await socket.call("mark_read", { session_id: session.id, team_id: person.credential });
    await session.post(...numbered(1, 40));
    const { page } = await openFeed(session.slug, "", person);
    await page.getByRole("separator", { name: "New messages" }).waitFor();
    await page.getByText("message 1", { exact: true }).waitFor();
    expect(await page.getByText("message 40", { exact: true }).count()).toBe(0);

    await page.bringToFront();
    await page.keyboard.press("e");
    await page.getByText("message 40", { exact: true }).waitFor();
    await expect.poll(async () => (await readBy(session.id, person)).last_read).toBe(41);
    expect((await readBy(session.id, person)).unread).toBe(0);
  });

  it("[DASH-65] with more unread than one reads on from it opens at the end, counts, and leads to the first or marks all read", {
    tags: "long",
  }, async () => {
    const session = await startSession();
    const person = await newPerson();
    const other = await newPerson();
    for (const { credential } of [person, other]) {
      await socket.call("mark_read", { session_id: session.id, team_id: credential });
    }
    await session.post(...numbered(1, 510));
    await session.say({ text: "Ship on Friday", kind: "decision" });
    const { page } = await openFeed(session.slug, "", person);
    const bar = page.getByRole("region", { name: "Unread" });
    await bar.getByText("511 new since").waitFor();
    await bar.getByRole("button", { name: "Catch up" }).click();
    const panel = page.getByRole("region", { name: "Since your last visit" });
    await panel.getByText("Ship on Friday").waitFor();
    await panel.getByRole("button", { name: "Close" }).click();
    await bar.getByRole("button", { name: "First unread" }).click();
    await page.getByText("message 1", { exact: true }).waitFor();
    expect(await bar.count()).toBe(0);

    const { page: others } = await openFeed(session.slug, "", other);
    await others.getByRole("button", { name: "Mark read" }).click();
    await expect.poll(async () => (await readBy(session.id, other)).unread).toBe(0);
    await expect.poll(() => others.getByRole("region", { name: "Unread" }).count()).toBe(0);
  });

  it("[DASH-67] the chips filter at the broker, live rows too; what is hidden is counted and one press away", async () => {
    const session = await startSession();
    await session.post(...numbered(1, 5));
    await session.say({ text: "Which key?", kind: "ask" });
    const { page } = await openFeed(session.slug);
    await page.getByRole("article").getByText("Which key?").waitFor();
    await page.getByRole("button", { name: "Asks" }).click();
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?types=ask");

    await session.post("talk");
    await session.say({ text: "And which host?", kind: "ask" });
    await page.getByText("And which host?").waitFor();
    expect(await page.getByRole("article").count()).toBe(2);
    await page.getByRole("button", { name: "6 hidden · show all" }).click();
    await page.getByText("talk", { exact: true }).waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("host");
    await expect.poll(() => page.getByRole("article").count()).toBe(1);
    await page.keyboard.press("Escape");
  });

  it("[DASH-66] an ask is answered in place, and then says who answered", async () => {
    const session = await startSession();
    const asked = await session.say({ text: "Which staging key?", kind: "ask", options: ["vault", "new"] });
    const { page } = await openFeed(session.slug, "", await newPerson());
    const row = article(page, asked);
    await row.getByRole("button", { name: "vault" }).click();
    await row.getByText("answered", { exact: false }).waitFor();
    expect(await row.getByRole("button", { name: "vault" }).count()).toBe(0);
    const { answered } = await socket.call("message_status", { session_id: session.id, message: asked });
    expect(answered).toMatchObject({ answer: "vault" });
  });

  it("[DASH-365] an ask without a reply says since when it is unanswered, until someone answers", async () => {
    const session = await startSession();
    const asked = await session.say({ text: "Which staging key?", kind: "ask", options: ["vault", "new"] });
    await dateBack(connectTestDatabase(broker.databaseUrl), { sessionId: session.id, sequence: asked }, 11);
    const { page } = await openFeed(session.slug, "", await newPerson());
    const row = article(page, asked);
    await row.getByText("Unanswered since").waitFor();
    await row.getByRole("button", { name: "vault" }).click();
    await row.getByText("Unanswered since").waitFor({ state: "detached" });
  });

  it("[DASH-342] an ask with what was said to it stands in one place, which opens, also by a link to a reply", async () => {
    const session = await startSession();
    const asked = await session.say({ text: "Which staging key?", kind: "ask" });
    await session.post("Talk of something else");
    const reply = (text: string, answer?: string) =>
      socket.call("post_message", {
        session_id: session.id,
        team_id: session.credential,
        content: { text, ...(answer === undefined ? {} : { answer }) },
        reply_to: asked,
      });
    const { cursor: linked } = await reply("The vault has one");
    await reply("The vault's", "vault");
    const { page, problems, findBarriers } = await openFeed(session.slug);
    expect(await shownSequences(page)).toEqual([asked, asked + 1]);
    const toggle = page.getByRole("button", { name: `2 replies to message ${asked}` });
    expect(await page.getByText("The vault has one").count()).toBe(0);
    await feedOf(page).focus();
    await page.keyboard.press("PageDown");
    await page.keyboard.press("o");
    await page.getByText("The vault has one").waitFor();
    expect(await toggle.getAttribute("aria-expanded")).toBe("true");
    expect(await findBarriers()).toEqual([]);
    await toggle.click();
    await page.getByText("The vault has one").waitFor({ state: "detached" });

    // Replies that arrive while the page is open have their own rows.
    await reply("Rotated since");
    await article(page, linked + 2).waitFor();

    const { page: other } = await openFeed(session.slug, `?m=${linked}`);
    await other.locator(`[data-reply="${linked}"][aria-current=true]`).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-343] talks beside each other are read one at a time, by the line that each began with, at an address", async () => {
    const session = await startSession();
    const reply = async (text: string, reply_to: number) => {
      const content = { text };
      const posted = { session_id: session.id, team_id: session.credential, content, reply_to };
      return (await socket.call("post_message", posted)).cursor;
    };
    const keys = await session.say({ text: "Keys: who rotates?" });
    const routes = await session.say({ text: "Routes: five percent?" });
    const last = await reply("At two", await reply("The vault", keys));
    await reply("Since ten minutes", await reply("Yes", routes));
    const { page, problems, findBarriers } = await openFeed(session.slug);
    await page.getByRole("combobox", { name: "Thread" }).selectOption({ label: "Keys: who rotates? (2)" });
    await page.getByRole("heading", { name: "Keys: who rotates?" }).waitFor();
    await expect.poll(() => shownSequences(page)).toEqual([keys, last - 1, last]);
    expect(new URL(page.url()).search).toBe(`?thread=${keys}`);
    const further = await reply("Nobody is signed out", last);
    await article(page, further).waitFor();
    await session.post("of nothing");
    await page.getByRole("button", { name: "4 hidden · show all" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByText("of nothing", { exact: true }).waitFor();
    await article(page, routes).getByRole("button", { name: "2 replies · view thread" }).click();
    await page.getByRole("heading", { name: "Routes: five percent?" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-68] what became of my own message is told, and grows as it is read", async () => {
    const session = await startSession();
    const person = await newPerson();
    await socket.call("post_message", {
      session_id: session.id,
      team_id: person.credential,
      content: { text: "Use the vault" },
    });
    const { page } = await openFeed(session.slug, "", person);
    const row = page.getByRole("article").filter({ hasText: "Use the vault" });
    await row.getByText("delivered 0/1").waitFor();
    const { next_cursor } = await socket.call("wait_for_messages", {
      session_id: session.id,
      team_id: session.credential,
      timeout: 0,
    });
    await socket.call("ack", { session_id: session.id, team_id: session.credential, cursor: next_cursor });
    await row.getByText("delivered 1/1").waitFor();
  });

  it("[SEALED-3] a private message shows who wrote to whom and how long, and no page gets what it says", async () => {
    const session = await startSession();
    const { session_id } = await socket.call("get_session", { session_id: session.slug });
    await socket.call("join_session", { session_id, team_name: "Birch", peer_name: "oak" });
    const sealed = `mks1.${"c".repeat(300)}.${"n".repeat(32)}.${"b".repeat(1_200)}`;
    const { cursor } = await socket.call("send_message", {
      session_id,
      team_id: session.credential,
      to: "oak",
      message: sealed,
      private: true,
    });
    const { page, problems, findBarriers } = await openFeed(session.slug);
    const row = article(page, cursor);
    await row.getByText("900 bytes, encrypted for Birch/oak").waitFor();
    await row.getByText("PRIVATE", { exact: true }).waitFor();
    await row.hover();
    await row.getByRole("button", { name: `More about message ${cursor}` }).click();
    await page.getByRole("button", { name: "Show raw" }).click();
    await row.getByText('"bytes": 900').waitFor();
    expect(await page.content()).not.toContain("bbbbbbbb");
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-63] comings and goings fold into one row and open; a changed title stands with its reason", async () => {
    const session = await startSession();
    for (const team_name of ["Cedar", "Dune", "Elm"]) {
      await socket.call("join_session", { session_id: session.id, team_name });
    }
    await socket.call("update_session_metadata", {
      session_id: session.id,
      team_id: session.credential,
      description: "Another one",
      reason: "the first was wrong",
    });
    const { page } = await openFeed(session.slug);
    await page.getByText("Reason: the first was wrong").waitFor();
    await page.getByRole("button", { name: /3 system events/ }).click();
    await expect.poll(() => page.getByRole("article").count()).toBe(4);
  });

  it("[DASH-69] keys step through the messages and act on the one they stand on", async () => {
    const session = await startSession();
    await session.post(...numbered(1, 30));
    const { page } = await openFeed(session.slug, "?m=10");
    await article(page, 10).waitFor();
    await feedOf(page).focus();
    await page.keyboard.press("PageDown");
    const first = await focusedSequence(page);
    await page.keyboard.press("j");
    await expect.poll(() => focusedSequence(page)).toBe(first + 1);
    await page.keyboard.press("k");
    await expect.poll(() => focusedSequence(page)).toBe(first);
    await page.keyboard.press("m");
    await article(page, first).getByText('"sequence"').waitFor();
  });

  it("[DASH-61] messages that come while the broker restarts are filled in, each once", async () => {
    const session = await startSession();
    await session.post("before");
    const { page } = await openFeed(session.slug);
    await page.getByText("before", { exact: true }).waitFor();
    await broker.restart();
    socket = await transports.websocket(url);
    for (const text of ["after one", "after two"]) {
      await socket.call("post_message", {
        session_id: session.id,
        team_id: session.credential,
        content: { text },
      });
    }
    await page.getByText("after two", { exact: true }).waitFor();
    expect(await page.getByText("after one", { exact: true }).count()).toBe(1);
    expect(await shownSequences(page)).toEqual([1, 2, 3]);
  });

  interface FeedSession {
    readonly id: string;
    readonly slug: string;
    readonly credential: string;
    post(...texts: string[]): Promise<void>;
    say(content: { text: string; kind?: "ask" | "decision"; options?: string[] }): Promise<number>;
  }

  async function startSession(): Promise<FeedSession> {
    const { session_id, slug, team_id } = await socket.call("create_session", {
      title: `Feed ${randomUUID()}`,
      creator_team_name: "Atlas",
    });
    const say: FeedSession["say"] = async (content) => {
      const { cursor } = await socket.call("post_message", { session_id, team_id, content });
      return cursor;
    };
    return {
      id: session_id,
      slug,
      credential: team_id,
      say,
      async post(...texts) {
        for (let from = 0; from < texts.length; from += 50) {
          await Promise.all(texts.slice(from, from + 50).map((text) => say({ text })));
        }
      },
    };
  }

  async function newPerson() {
    const name = `Ana ${randomUUID().slice(0, 8)}`;
    const { person_id: credential } = await makePerson(socket, name);
    return { name, credential, id: credential.split(".")[0] ?? "" };
  }

  type TestPerson = Awaited<ReturnType<typeof newPerson>>;

  async function openFeed(slug: string, query = "", person?: TestPerson) {
    const localStorage = person ? [{ name: "merkle.person", value: JSON.stringify(person) }] : [];
    const opened = await openPage(browser, `${url}/sessions/${slug}${query}`, {
      storageState: { cookies: [], origins: [{ origin: url, localStorage }] },
    });
    await feedOf(opened.page).waitFor();
    return opened;
  }

  function readBy(session_id: string, { credential }: TestPerson) {
    return socket.call("get_session", { session_id, team_id: credential });
  }
});

function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `message ${from + index}`);
}

function feedOf(page: Page) {
  return page.getByRole("feed", { name: "Messages" });
}

function article(page: Page, sequence: number) {
  return page.locator(`article[data-sequence="${sequence}"]`);
}

function shownSequences(page: Page): Promise<number[]> {
  return page
    .getByRole("article")
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("data-sequence"))));
}

async function focusedSequence(page: Page): Promise<number> {
  return Number(await page.locator("article:focus").getAttribute("data-sequence"));
}

/** Returns a message's position on the screen. Default: a message in the middle of those shown. */
async function placeOf(
  page: Page,
  sequence?: number,
): Promise<{ sequence: number; top: number | undefined }> {
  const shown = await shownSequences(page);
  const which = sequence ?? shown[Math.floor(shown.length / 2)] ?? 0;
  const box = await article(page, which).boundingBox();
  return { sequence: which, top: box?.y };
}
