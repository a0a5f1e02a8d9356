import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { findFirefox, firefoxKeys, startFirefox } from "../kit/firefox.js";
import { openPage } from "../kit/open-page.js";
import { makePerson } from "../kit/persons.js";
import { closeProfiles } from "../kit/profiles.js";
import { createTestSession, expectFailure, listTexts, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { createPersonProfile } from "./as-person.js";
import { findDashboardPages } from "./pages.js";

const firefox = findFirefox();
const chromium = findChromium();

describe("taking part in a session as a human", { tags: "chromium" }, () => {
  let browser: Browser;
  let broker: TestBroker;
  let rest: TransportClient;

  beforeAll(async () => {
    const cleanups: (() => Promise<void>)[] = [];
    browser = await sharedChromium(chromium ?? "");
    broker = await startTestBroker({ dashboard: findDashboardPages() }, (cleanup) =>
      cleanups.unshift(cleanup),
    );
    rest = await transports.rest(broker.url);
    return async () => {
      await closeProfiles(browser);
      for (const cleanup of cleanups) await cleanup();
    };
  });

  /** Opens a session's page in a separate profile. Without a name, the profile has no person yet. */
  async function openAs(name: string | null, session: TestSession) {
    const options = name === null ? {} : await createPersonProfile(rest, broker.url, name);
    const opened = await openPage(browser, `${broker.url}/sessions/${session.slug}`, options);
    await opened.page.getByRole("heading", { level: 1 }).waitFor();
    return opened;
  }

  async function readChatTexts(session: TestSession): Promise<unknown[]> {
    const { messages } = await rest.call("get_history", { session_id: session.sessionId, types: ["chat"] });
    return listTexts(messages);
  }

  it("[DASH-100] [DASH-95] the first word asks for a name, and Enter sends it", async () => {
    const session = await createTestSession(rest);
    const { page, problems } = await openAs(null, session);
    await page.keyboard.press("c");
    const field = page.getByRole("textbox", { name: "Message" });
    await field.pressSequentially("Good");
    await field.press("Shift+Enter");
    await field.pressSequentially("morning");
    await field.press("Enter");
    await page.getByRole("dialog").getByRole("textbox").fill("Ana");
    await page.getByRole("dialog").getByRole("textbox").press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    expect(await readChatTexts(session)).toEqual(["Good\nmorning"]);
    await page.getByRole("region", { name: "Participants" }).getByRole("button", { name: /you/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-100] [DASH-92] in Firefox, too, what is said is seen live, an ask is answered, the palette goes elsewhere by keys, and Enter sends", {
    // On a busy machine, Firefox takes a minute to start.
    tags: ["long", "firefox"],
  }, async () => {
    const session = await createTestSession(rest, "Split the auth service");
    const other = await createTestSession(rest, "Quarterly pricing");
    const credential = (await makePerson(rest, "Ana")).person_id;
    const { open, problems } = await startFirefox({ program: firefox ?? "" }, onTestFinished);
    const page = await open(`${broker.url}/verify`);
    const person = { id: credential.split(".")[0], name: "Ana", credential, verified: true };
    await page.evaluate(`localStorage.setItem("merkle.person", ${JSON.stringify(JSON.stringify(person))})`);
    await page.go(`${broker.url}/sessions/${session.slug}`);
    /** Waits for an element with this text, then runs `act` with the last match. */
    const meet = (selector: string, text: string, act = "") =>
      page.evaluate(`new Promise((resolve) => {
          const look = () => {
            const all = [...document.querySelectorAll(${JSON.stringify(selector)})];
            const found = all.findLast(({ textContent }) => textContent.includes(${JSON.stringify(text)}));
            if (!found || found.disabled) return void setTimeout(look, 50);
            ${act};
            resolve(true);
          };
          look();
        })`);
    await meet("[data-slot=live-badge]", "Live");
    await rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "Which **key**?", kind: "ask", options: ["The vault's", "A new one"] },
    });
    await meet("[role=feed] article strong", "key");
    await meet("[role=feed] article button", "The vault's", "found.click()");
    await meet("[role=feed] article", "Ana answered");
    await page.press("k", firefoxKeys.control);
    await meet("dialog, [role=dialog]", "");
    await page.press("Quart");
    await meet("[role=option]", "Quarterly pricing");
    await page.press(firefoxKeys.enter);
    // The title is shown before the session is loaded.
    await meet("h1", "Quarterly pricing");
    await meet("textarea", "");
    await page.press("c");
    await meet("textarea:focus", "");
    await page.press(`Three tiers.${firefoxKeys.enter}`);
    await meet("[role=feed] article", "Three tiers.");
    expect(await readChatTexts(other)).toEqual(["Three tiers."]);
    expect(problems).toEqual([]);
  });

  it("[DASH-96] a draft survives a reload with whom it is for, and is gone once it is sent", async () => {
    const session = await createTestSession(rest);
    await session.join("Cedar");
    const { page } = await openAs("Ben", session);
    const field = page.getByRole("textbox", { name: "Message" });
    await field.fill("@ce");
    await page.getByRole("listbox", { name: "Recipients" }).getByRole("option", { name: /Cedar/ }).waitFor();
    await field.press("Tab");
    await expect.poll(() => field.inputValue()).toBe("@Cedar ");
    await field.pressSequentially("look");
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe("@Cedar look");
    const chips = page.getByRole("list", { name: "Recipients, kind and priority" });
    await chips.getByText("To Cedar", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => field.inputValue()).toBe("");
    await chips.waitFor({ state: "detached" });
    const { messages } = await rest.call("get_history", { session_id: session.sessionId });
    expect(messages.at(-1)).toMatchObject({ to: ["Cedar"], content: { text: "@Cedar look" } });
  });

  it("[DASH-98] what is sent without a connection waits in sight, and is posted once", async () => {
    const session = await createTestSession(rest);
    const { page } = await openAs("Carla", session);
    const field = page.getByRole("textbox", { name: "Message" });
    await page.getByText("Live", { exact: true }).first().waitFor();
    await broker.restartAfter(async () => {
      await field.fill("Still here");
      await field.press("Enter");
      await page.getByText("You’re offline.").waitFor();
      await expect.poll(() => field.inputValue()).toBe("Still here");
    });
    await expect.poll(() => field.inputValue()).toBe("");
    expect(await readChatTexts(session)).toEqual(["Still here"]);
  });

  it("[DASH-92] [DASH-93] an ask offers answers, to some, at a priority", async () => {
    const session = await createTestSession(rest);
    await rest.call("join_session", {
      session_id: session.sessionId,
      team_name: "Birch",
      peer_name: "birch",
      groups: ["reviewers"],
    });
    const { page, findBarriers } = await openAs("Dora", session);
    await page.getByRole("textbox", { name: "Message" }).fill("@rev");
    await page.getByRole("option", { name: /@reviewers/ }).click();
    await page.getByRole("button", { name: "Kind and priority" }).click();
    await page.getByRole("radio", { name: "Ask" }).check();
    await page.getByRole("radio", { name: "Urgent" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Message" }).fill("Which way?");
    await page.getByRole("button", { name: "Add answer options" }).click();
    await page.getByRole("textbox", { name: "Option 1" }).fill("left");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Add at least two options, or none.").waitFor();
    await page.getByRole("textbox", { name: "Option 2" }).fill("right");
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => readChatTexts(session)).toEqual(["Which way?"]);
    const { messages } = await rest.call("get_history", { session_id: session.sessionId });
    expect(messages.at(-1)).toMatchObject({
      to: ["@reviewers"],
      priority: "now",
      content: { kind: "ask", options: ["left", "right"] },
    });
  });

  it("[DASH-375] the composer is one line; recipients, kind and priority show above it once chosen, and each can be removed", async () => {
    const session = await createTestSession(rest);
    await session.join("Cedar");
    const { cursor } = await rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "Table is ready." },
    });
    const { page, problems, findBarriers } = await openAs("Ina", session);
    const form = page.getByRole("form", { name: "Write a message" });
    const readHeight = async () => (await form.boundingBox())?.height ?? 0;
    const field = page.getByRole("textbox", { name: "Message" });
    expect(await readHeight()).toBeLessThanOrEqual(52);
    await field.fill("one\ntwo\nthree");
    expect(await readHeight()).toBeGreaterThan(52);
    await field.fill("@ce");
    await field.press("Enter");
    const chips = page.getByRole("list", { name: "Recipients, kind and priority" }).getByRole("listitem");
    await page.getByRole("button", { name: "Kind and priority" }).press("Enter");
    await page.getByRole("radio", { name: "Decision" }).check();
    await page.getByRole("radio", { name: "Low priority" }).check();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await chips.allTextContents()).toEqual(["To Cedar", "Decision", "Low priority"]);
    expect(await findBarriers()).toEqual([]);
    for (const name of ["Cedar", "Decision", "Low priority"])
      await form.getByRole("button", { name: `Remove ${name}` }).click();
    await expect.poll(() => chips.count()).toBe(0);

    // A reply is for the author of its message, unless that recipient is removed.
    await page.getByRole("article").filter({ hasText: "Table is ready." }).focus();
    await page.keyboard.press("r");
    await expect.poll(() => chips.allTextContents()).toEqual(["To Atlas"]);
    await form.getByRole("button", { name: "Remove Atlas" }).click();
    await expect.poll(() => chips.allTextContents()).toEqual(["To everyone"]);
    await page.getByRole("textbox", { name: "Reply" }).fill("Thanks.");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await readChatTexts(session)).at(-1)).toBe("Thanks.");
    const { messages } = await rest.call("get_history", { session_id: session.sessionId, types: ["chat"] });
    expect(messages.at(-1)).toMatchObject({ reply_to: cursor, to: ["*"] });
    expect(problems).toEqual([]);
  });

  it("[DASH-99] of two who answer an ask at once one does, and the other is told who was first", async () => {
    const session = await createTestSession(rest);
    const { cursor } = await rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text: "Which key?", kind: "ask" },
    });
    const eve = await openAs("Eve", session);
    const finn = await openAs("Finn", session);
    for (const { page } of [eve, finn]) {
      await page.getByRole("button", { name: "Answer", exact: true }).click();
      await page.getByRole("textbox", { name: "Answer" }).fill("the vault");
    }
    await Promise.all(
      [eve.page, finn.page].map((page) => page.getByRole("button", { name: "Send" }).click()),
    );
    const [first, second] = await winnerOf(eve.page, finn.page);
    await expect.poll(() => first.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    await expect.poll(() => second.getByRole("textbox", { name: "Answer" }).inputValue()).toBe("the vault");
    expect(await readChatTexts(session)).toEqual(["Which key?", "the vault"]);
    const { answered } = await rest.call("message_status", {
      session_id: session.sessionId,
      message: cursor,
    });
    await second.getByText(`${answered?.by} has already answered`).first().waitFor();
  });

  it("[DASH-88] [DASH-89] a person holds and resumes, and bounds what agents say", async () => {
    const session = await createTestSession(rest);
    const { page, findBarriers } = await openAs("Gus", session);
    await page.getByRole("button", { name: "Hold" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("Work already running continues.").waitFor();
    await dialog.getByRole("textbox").fill("Wait for legal");
    await dialog.getByRole("button", { name: "Hold session" }).click();
    const banner = page.getByRole("region", { name: "Session status" });
    await banner.getByText(/Held by Gus.*Wait for legal/).waitFor();
    await page.getByText("HELD", { exact: true }).waitFor();
    expect((await expectFailure(session.post(session.convener, "no"))).code).toBe("session_held");
    expect(await findBarriers()).toEqual([]);
    await banner.getByRole("button", { name: "Resume" }).click();
    await page.getByText("OPEN", { exact: true }).waitFor();

    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Budgets…" }).click();
    await page.getByRole("spinbutton", { name: "Messages" }).fill("1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("budget 0 / 1").waitFor();
    await session.post(session.convener, "one");
    await banner.getByText(/The message budget is spent/).waitFor();
  });

  it("[DASH-84] [DASH-90] a person retitles the session with a reason, and concludes it", async () => {
    const session = await createTestSession(rest);
    const { page, problems } = await openAs("Hana", session);
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Edit title and description…" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("A better title");
    await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("textbox", { name: "Reason" }).fill("scope grew");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "A better title" }).waitFor();

    await page.getByRole("button", { name: "Conclude" }).click();
    const dialog = page.getByRole("dialog", { name: "Conclude this session?" });
    await dialog.getByText(/only the conclusion can still be changed/).waitFor();
    await dialog.getByRole("textbox").fill("Tokens come from **issuer**.");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Conclude" }).click();
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.locator("strong").filter({ hasText: "issuer" }).waitFor();
    await dialog.getByRole("button", { name: "Conclude for everyone" }).click();

    await page.getByText(/Closed by Hana/).waitFor();
    await page
      .getByRole("region", { name: "Conclusion" })
      .locator("strong")
      .filter({ hasText: "issuer" })
      .waitFor();
    expect(await page.getByRole("form", { name: "Write a message" }).count()).toBe(0);
    await page.getByRole("button", { name: "Revise conclusion" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill("Tokens come from the gateway.");
    await page.getByRole("button", { name: "Save conclusion" }).click();
    await page
      .getByRole("region", { name: "Conclusion" })
      .getByText("Tokens come from the gateway.", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: "Continue in a new session" }).click();
    await expect
      .poll(() => page.getByRole("dialog").getByRole("textbox", { name: "Title" }).inputValue())
      .toContain("A better title");
    expect(problems).toEqual([]);
  });
});

/** Returns the two pages, starting with the page whose answer counted. */
async function winnerOf(one: Page, other: Page): Promise<[Page, Page]> {
  const refused = (page: Page) => page.getByRole("alert").filter({ hasText: "has already answered" });
  await expect.poll(async () => (await refused(one).count()) + (await refused(other).count())).toBe(1);
  return (await refused(one).count()) === 1 ? [other, one] : [one, other];
}
