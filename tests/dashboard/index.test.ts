import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage } from "../kit/open-page.js";
import { makePerson } from "../kit/persons.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import { startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { findDashboardPages } from "./pages.js";

const chromium = findChromium();

describe("the sessions and what needs you", { tags: "chromium" }, () => {
  let browser: Browser;
  let url: string;
  let rest: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => unknown)[] = [];
    browser = await sharedChromium(chromium ?? "");
    cleanups.push(() => closeProfiles(browser));
    ({ url } = await startTestBroker({ dashboard: findDashboardPages(), demoPace: 0 }, (cleanup) =>
      cleanups.push(cleanup),
    ));
    rest = await transports.rest(url);
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  it("[DASH-300] without sessions the demo room is offered: its agents ask whoever comes, go on by the answer, and nothing of it is in one's own mesh", async () => {
    const { page, problems, findBarriers } = await openPage(browser, url);
    await page.getByText("merkle launch --new").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Open demo room" }).click();
    const answer = page
      .getByRole("region", { name: "Feed" })
      .getByRole("button", { name: /^Ask them to update/ });
    await answer.waitFor();
    const strip = page.getByRole("region", { name: "Participants" });
    await strip.getByText("needs a decision on apps before 4.2").waitFor();
    await strip.getByText("Making sure that this logs no one out").waitFor();
    expect(await findBarriers()).toEqual([]);
    await answer.click();
    await page.getByText("CLOSED", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Conclusion" }).getByText("Users of apps before 4.2").waitFor();
    await page.getByRole("button", { name: "Exit demo" }).click();
    await page.getByText("Start your own session").waitFor();
    expect(await rest.call("list_sessions", { status: "all" })).toMatchObject({ sessions: [] });
    expect(problems).toEqual([]);
  });

  it("[DASH-390] [DEMO-8] at the demo's end a card names one command and the summary, whose link opens in another browser, and leaves the text in view", async () => {
    const { page, problems, findBarriers } = await openPage(browser, url);
    await page.getByRole("button", { name: "Open demo room" }).click();
    const feed = page.getByRole("region", { name: "Feed" });
    await feed.getByRole("button", { name: /^Switch everyone now/ }).click();
    const card = page.getByRole("region", { name: "You decided. Now bring your own agents" });
    await card.getByText("merkle launch --new 'Our first session'", { exact: true }).waitFor();
    expect(await findBarriers()).toEqual([]);
    const [feedBox, cardBox] = [await feed.boundingBox(), await card.boundingBox()];
    expect((feedBox?.y ?? 0) + (feedBox?.height ?? 0)).toBeLessThanOrEqual(cardBox?.y ?? 0);

    await card.getByRole("link", { name: "Share the summary" }).click();
    await page.evaluate("navigator.clipboard.writeText = async (text) => void (window.copied = text)");
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").waitFor();
    const link = await page.evaluate<string>("window.copied");
    const other = await openPage(browser, link);
    await other.page.getByText("Everyone switches at the same time", { exact: false }).first().waitFor();

    await card.getByRole("button", { name: "Hide" }).click();
    await card.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Next step" }).click();
    await card.waitFor();
    expect([...problems, ...other.problems]).toEqual([]);
  });

  it("[DASH-30] [DASH-31] an empty mesh says what to do next, and whoever starts a session is asked for a name once", async () => {
    const { page, problems } = await openPage(browser, url);
    await page.getByText("Start your own session").waitFor();
    await page.getByRole("button", { name: "Start a session" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Q3 pricing");
    await page.getByRole("button", { name: "Start session" }).click();
    await page.getByRole("textbox", { name: "Your name" }).fill("Ana");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/sessions/q3-pricing");
    const { participants } = await rest.call("list_participants", { session_id: "q3-pricing" });
    expect(participants).toMatchObject([{ team_name: "Ana", kind: "guest", convener: true }]);
    expect(problems).toEqual([]);
  });

  it("[DASH-301] who needs you stands first among the agents of all sessions, on the map and on the wall, still where no motion is wanted", async () => {
    const session = await startSession();
    const { session_id, team_id } = session;
    await rest.call("set_summary", { session_id, team_id, summary: "Rotates the keys" });
    const birch = await rest.call("join_session", { session_id, team_name: "Birch" });
    const asking = { session_id, team_id: birch.team_id, to: "@humans" };
    await rest.call("post_message", { ...asking, content: { text: "Which staging key?", kind: "ask" } });
    const { page, problems, findBarriers } = await openPage(browser, `${url}/sessions/${session_id}`);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("dialog").getByText("Link for people").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByText("1 needs you").waitFor();
    const rows = page.getByRole("table", { name: "Agents" }).getByRole("row");
    await rows.nth(1).filter({ hasText: "Birch" }).filter({ hasText: "Which staging key?" }).waitFor();
    await rows.filter({ hasText: "Rotates the keys" }).waitFor();
    await page
      .getByRole("group", { name: "Map of the agents" })
      .getByText("Birch", { exact: true })
      .waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Wall" }).click();
    await page.getByRole("heading", { name: /^1 needs you/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("wall")).toBe("1");
    expect(await findBarriers()).toEqual([]);
    const letters = page
      .getByRole("list", { name: "Agents that have asked you" })
      .getByText("Which staging key?");
    const size = await letters.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    expect(size / 1280, "readable from five metres").toBeGreaterThan(0.03);
    const moving = () => document.getAnimations().filter(({ playState }) => playState === "running").length;
    expect(await page.evaluate(moving)).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByText("1 needs you").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-373] the table of agents is sorted and filtered by its address", async () => {
    const session = await startSession();
    for (const team_name of ["Zelkova", "Acer"])
      await rest.call("join_session", { session_id: session.session_id, team_name });
    const { page, problems } = await openPage(browser, `${url}/agents?q=${session.title.slice(-12)}`);
    const names = () => page.getByRole("table", { name: "Agents" }).locator("tbody a").allTextContents();
    await expect.poll(async () => (await names()).length).toBe(3);
    await page.getByRole("button", { name: "Agent" }).click();
    await expect.poll(names).toEqual(["Acer", "Atlas", "Zelkova"]);
    await page.getByRole("button", { name: "Agent" }).click();
    await expect.poll(names).toEqual(["Zelkova", "Atlas", "Acer"]);
    expect(new URL(page.url()).searchParams.get("sort")).toBe("-name");
    await page
      .getByRole("columnheader", { name: "Agent" })
      .and(page.locator("[aria-sort=descending]"))
      .waitFor();
    await page.getByRole("searchbox").fill(`${session.title.slice(-12)} acer`);
    await expect.poll(names).toEqual(["Acer"]);
    await page.reload();
    await expect.poll(names).toEqual(["Acer"]);
    await page.getByRole("radio", { name: /^Offline/ }).check();
    await page.getByText("No agents match this filter.").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-361] of more than twelve agents, each session has a card of dots instead of a map, on the page and on the wall", async () => {
    const { url } = await startTestBroker({ dashboard: findDashboardPages() });
    const rest = await transports.rest(url);
    const title = "Q3 pricing";
    const { session_id } = await rest.call("create_session", {
      title,
      description: "",
      creator_team_name: "Team 1",
    });
    for (let n = 2; n <= 13; n += 1) await rest.call("join_session", { session_id, team_name: `Team ${n}` });
    const { page, problems, findBarriers } = await openPage(browser, `${url}/agents`);
    for (const wall of ["", "?wall=1"]) {
      await page.goto(`${url}/agents${wall}`);
      const card = page
        .getByRole("list", { name: "Agents by session" })
        .getByRole("listitem")
        .filter({
          has: page.getByRole("link", { name: title }),
        });
      await card.getByText("Team 13: active").or(card.getByText("Team 13: idle")).first().waitFor();
      expect(await page.getByRole("group", { name: "Map of the agents" }).count()).toBe(0);
      expect(await findBarriers()).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  it("[DASH-32] [DASH-34] an ask to humans shows on top as it is posted, is answered there, and leaves once answered", async () => {
    const session = await startSession();
    const { page, problems } = await openPage(browser, url, asPerson(await newPerson()));
    await rowOf(page, session.title).waitFor();
    await rest.call("post_message", {
      session_id: session.session_id,
      team_id: session.team_id,
      to: "@humans",
      content: { text: "Which staging key?", kind: "ask", options: ["vault", "a new one"] },
    });
    const item = itemOf(page, session.title);
    await item.getByText("Which staging key?").waitFor();
    await rowOf(page, session.title).getByText("Needs you").waitFor();

    await item.getByRole("button", { name: "vault" }).click();
    await item.waitFor({ state: "detached" });
    const { messages } = await rest.call("get_history", { session_id: session.session_id });
    expect(messages.at(-1)).toMatchObject({ from: { human: true }, content: { answer: "vault" } });
    expect(problems).toEqual([]);
  });

  it("[DASH-32] a blocked peer and a hold stay until they are over; a hold is ended from the list", async () => {
    const session = await startSession();
    const { page } = await openPage(browser, `${url}/needs-you`, asPerson(await newPerson()));
    const { session_id, team_id } = session;
    await rest.call("set_status", { session_id, team_id, status: "blocked", reason: "needs the key" });
    const blocked = itemOf(page, session.title).filter({ hasText: "needs the key" });
    await blocked.waitFor();
    await rest.call("set_status", { session_id, team_id, status: "idle" });
    await blocked.waitFor({ state: "detached" });

    await rest.call("hold_session", { session_id, team_id: await newPerson(), reason: "wait for legal" });
    const held = itemOf(page, session.title).filter({ hasText: "wait for legal" });
    await held.getByRole("button", { name: "Resume" }).click();
    await held.waitFor({ state: "detached" });
    expect((await rest.call("get_session", { session_id })).held).toBeNull();
  });

  it("[DASH-35] what one browser of a person snoozes or dismisses is away in the other, and comes back where it is brought back", async () => {
    const session = await startSession();
    await ask(session);
    const person = asPerson(await newPerson());
    const [{ page: one }, { page: two }] = await Promise.all([
      openPage(browser, `${url}/needs-you`, person),
      openPage(browser, `${url}/needs-you`, person),
    ]);
    await itemOf(two, session.title).waitFor();
    const item = itemOf(one, session.title);
    await item.hover();
    await item.getByLabel(/^Snooze/).click();
    await itemOf(one, session.title).getByRole("button", { name: "1 hour" }).click();
    await itemOf(two, session.title).waitFor({ state: "detached" });

    await two.getByRole("radio", { name: /^Snoozed & done 1$/ }).check();
    await itemOf(two, session.title).getByRole("button", { name: "Restore" }).click();
    await itemOf(one, session.title).waitFor();
  });

  it("[DASH-346] [DASH-347] what needs me is a page: a line each and one of them whole, gone along, answered, opened and done with by keys", {
    tags: "long",
  }, async () => {
    const session = await startSession();
    for (const text of ["Which **key**?", "Which region?", "Which week?"]) {
      await rest.call("post_message", { ...credentialsOf(session), content: { text, kind: "ask" } });
    }
    const { page, problems, findBarriers } = await openPage(
      browser,
      `${url}/needs-you`,
      asPerson(await newPerson()),
    );
    const { keyboard } = page;
    const items = itemOf(page, session.title);
    await items.nth(2).waitFor();
    const detail = page.getByRole("region", { name: "Detail" });
    await items
      .first()
      .getByRole("button", { name: /^Ask: Atlas asks/ })
      .click();
    await detail.locator("strong", { hasText: "key" }).waitFor();
    await keyboard.press("j");
    await detail.getByText("Which region?").waitFor();
    expect(new URL(page.url()).searchParams.get("item")).toMatch(/^ask:/);
    expect(await findBarriers()).toEqual([]);

    await keyboard.press("a");
    await expect.poll(() => page.evaluate("document.activeElement.placeholder")).toBe("Your answer…");
    await keyboard.type("eu-west-1");
    await keyboard.press("Enter");
    await expect.poll(() => items.count()).toBe(2);
    const { messages } = await rest.call("get_history", { session_id: session.session_id });
    expect(messages.at(-1)).toMatchObject({ from: { human: true }, content: { answer: "eu-west-1" } });

    await items
      .filter({ hasText: "Which week?" })
      .getByRole("button", { name: /^Ask: / })
      .click();
    await keyboard.press("e");
    await page.getByText("Done: Atlas asks: “Which week?”").waitFor();
    await expect.poll(() => items.count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => items.count()).toBe(2);
    await items
      .first()
      .getByRole("button", { name: /^Ask: / })
      .focus();
    await keyboard.press("Enter");
    await page.waitForURL(`**/sessions/*?m=*`);
    expect(problems).toEqual([]);
  });

  it("[DASH-348] above the sessions are three of them at most, and the way to all", async () => {
    const session = await startSession();
    for (const text of ["Which cloud?", "Which plan?", "Which day?", "Who pays?"]) {
      await rest.call("post_message", { ...credentialsOf(session), content: { text, kind: "ask" } });
    }
    const { page } = await openPage(browser, url, asPerson(await newPerson()));
    const rows = page.getByRole("list", { name: "Needs you" }).getByRole("listitem");
    await rows.nth(2).waitFor();
    expect(await rows.count()).toBe(3);
    const { needs_person } = await rest.call("list_attention", {});
    await page.getByRole("link", { name: `All ${needs_person}` }).click();
    await page.waitForURL("**/needs-you");
    await rows
      .filter({ hasText: "Who pays?" })
      .or(rows.getByText("questions have no answer"))
      .first()
      .waitFor();
  });

  it("[DASH-36] new messages are counted, and both browsers of a person agree on what is read", {
    tags: "long",
  }, async () => {
    const session = await startSession();
    const credential = await newPerson();
    const [{ page: one }, { page: two }] = await Promise.all([
      openPage(browser, url, asPerson(credential)),
      openPage(browser, url, asPerson(credential)),
    ]);
    await rowOf(one, session.title).waitFor();
    for (const text of ["One", "Two"]) {
      await rest.call("post_message", { ...credentialsOf(session), content: { text } });
    }
    await Promise.all(
      [one, two].map((page) => rowOf(page, session.title).getByRole("cell", { name: "2 new" }).waitFor()),
    );

    await rowOf(one, session.title).getByRole("link").focus();
    await one.keyboard.press("x");
    await one.getByRole("toolbar").getByRole("button", { name: "Mark read" }).click();
    await Promise.all(
      [one, two].map((page) => rowOf(page, session.title).getByRole("cell", { name: "none new" }).waitFor()),
    );
  });

  it("[DASH-33] [DASH-37] the address says what is listed, and a closed session says what came of it", async () => {
    const team = `Team ${randomUUID().slice(0, 8)}`;
    const open = await startSession(team);
    const closed = await startSession(team);
    await rest.call("conclude_session", {
      ...credentialsOf(closed),
      summary_section: "**Tokens** move to the issuer.\n\nMore below.",
    });
    const { page, findBarriers } = await openPage(
      browser,
      `${url}/?state=closed&team=${encodeURIComponent(team)}`,
    );
    await rowOf(page, closed.title)
      .getByText("Tokens move to the issuer.")
      .filter({ visible: true })
      .waitFor();
    expect(await rowOf(page, open.title).count()).toBe(0);

    await page.getByRole("radio", { name: /^all/i }).click();
    await rowOf(page, open.title).waitFor();
    await page.getByRole("searchbox").fill(open.title);
    await rowOf(page, closed.title).waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("q")).toBe(open.title);
    await page.reload();
    await rowOf(page, open.title).waitFor();
    expect(await rowOf(page, closed.title).count()).toBe(0);
    await page.getByRole("searchbox").fill("nothing is called so");
    await page.getByText("No sessions match these filters").waitFor();
    expect(await findBarriers()).toEqual([]);
  });

  it.each([
    ["at a desk", { viewport: { width: 1280, height: 800 } }, 40],
    ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, 44],
  ])(
    "[DASH-376] a row says who last wrote what, how much is new and who is at work, %s",
    async (_, size, max) => {
      const team = `Team ${randomUUID().slice(0, 8)}`;
      const session = await startSession(team, "W".repeat(100));
      const { session_id } = session;
      const person = asPerson(await newPerson());
      const { team_id } = await rest.call("join_session", {
        session_id,
        team_name: "Birch",
        peer_name: "oak",
      });
      await rest.call("post_message", {
        session_id,
        team_id,
        content: { text: "## Keys\n\nUse the **vault**." },
      });
      const { page, problems, findBarriers } = await openPage(
        browser,
        `${url}/?team=${encodeURIComponent(team)}`,
        { ...size, ...person },
      );
      const row = rowOf(page, session.title);
      const shown = (text: string | RegExp) => row.getByText(text).filter({ visible: true });
      await row.getByText("Birch: Use the vault.").filter({ visible: true }).waitFor();
      await shown(/^\d+ new$/).waitFor();
      await row.getByRole("list", { name: "Teams" }).filter({ visible: true }).getByText("Birch").waitFor();
      // The border between two rows is not part of the row's target.
      expect((await row.boundingBox())?.height).toBeLessThanOrEqual(max + 1);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.viewport.width);
      expect(await findBarriers()).toEqual([]);

      // A private message has an author and a time, but no text.
      const message = `mks1.${"a".repeat(200)}.${"b".repeat(32)}.${"c".repeat(44)}`;
      await rest.call("send_message", {
        session_id,
        team_id: session.team_id,
        to: "oak",
        message,
        private: true,
      });
      await row.getByText(`${team}: private or removed message`).filter({ visible: true }).waitFor();
      expect(await page.content()).not.toContain("mks1.");
      expect(problems).toEqual([]);
    },
  );

  it("[DASH-38] [DASH-39] [DASH-210] j, k and x work along the rows, and on a phone nothing is wider than the page", async () => {
    const team = `Team ${randomUUID().slice(0, 8)}`;
    for (let number = 0; number < 3; number++) await startSession(team, "W".repeat(60));
    const phone = { viewport: { width: 320, height: 700 }, ...asPerson(await newPerson()) };
    const { page } = await openPage(browser, `${url}/?sort=title&team=${encodeURIComponent(team)}`, phone);
    const links = page.locator("[data-session-link]");
    await links.nth(2).waitFor();
    await links.first().focus();
    for (const key of ["j", "j", "k", "x"]) await page.keyboard.press(key);
    expect(await page.evaluate("document.activeElement.textContent")).toBe(await links.nth(1).textContent());
    await page.getByText("1 selected").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });

  it("[DASH-40] sessions beyond a page come when they are asked for, each once", async () => {
    const team = `Team ${randomUUID().slice(0, 8)}`;
    await Promise.all(Array.from({ length: 53 }, () => startSession(team)));
    const { page } = await openPage(browser, `${url}/?sort=created&team=${encodeURIComponent(team)}`);
    const links = page.locator("[data-session-link]");
    await links.nth(49).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await links.nth(52).waitFor();
    expect(new Set(await links.allTextContents()).size).toBe(53);
    expect(await links.count()).toBe(53);
  });

  it("[DASH-45] [DASH-46] a chosen reason notifies with session and reason, and is withdrawn when it is resolved", {
    tags: "long",
  }, async () => {
    const session = await startSession();
    const person = asPerson(await newPerson(), {
      "merkle.preferences": JSON.stringify({ notifications: ["ask"] }),
    });
    const { page } = await openPage(browser, url, { ...person, permissions: ["notifications"] });
    // Records the notifications, because a headless browser shows none.
    await page.evaluate(`{
      const Original = Notification;
      window.told = [];
      window.Notification = class extends Original {
        constructor(title, options) { super(title, options); window.told.push(title + ": " + options.body); }
        close() { window.told.push("closed"); super.close(); }
      };
    }`);
    await rowOf(page, session.title).waitFor();
    const other = await startSession();
    // Only items that arrive after the reporter has started cause a notification, so the test keeps asking until one is
    // shown.
    await expect
      .poll(async () => {
        await ask(other);
        return page.evaluate("window.told");
      })
      .toContain(`${other.title}: Atlas asks: “Which key?”`);
    const { sequence } = await ask(session);
    await expect
      .poll(() => page.evaluate("window.told"))
      .toContain(`${session.title}: Atlas asks: “Which key?”`);
    await rest.call("post_message", {
      session_id: session.session_id,
      team_id: await newPerson(),
      content: { text: "The vault's", answer: "The vault's" },
      reply_to: sequence,
    });
    await expect.poll(() => page.evaluate("window.told")).toContain("closed");
  });

  async function startSession(team = "Atlas", words = "Session") {
    const title = `${words} ${randomUUID()}`;
    return { ...(await rest.call("create_session", { title, creator_team_name: team })), title };
  }

  async function ask(session: { session_id: string; team_id: string }) {
    const { cursor } = await rest.call("post_message", {
      ...credentialsOf(session),
      content: { text: "Which key?", kind: "ask" },
    });
    return { sequence: cursor };
  }

  async function newPerson(): Promise<string> {
    return (await makePerson(rest, "Ana")).person_id;
  }

  /** Returns a browser profile for this person. */
  function asPerson(credential: string, more: Record<string, string> = {}): ProfileOptions {
    const [id] = credential.split(".");
    const kept = {
      "merkle.person": JSON.stringify({ id, name: "Ana", credential, verified: true }),
      ...more,
    };
    const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value }));
    return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
  }
});

function credentialsOf({ session_id, team_id }: { session_id: string; team_id: string }) {
  return { session_id, team_id };
}

function rowOf(page: Page, title: string) {
  return page.getByRole("row").filter({ hasText: title });
}

function itemOf(page: Page, title: string) {
  return page.getByRole("list", { name: "Needs you" }).getByRole("listitem").filter({ hasText: title });
}
