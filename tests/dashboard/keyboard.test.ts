import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession, type TestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();
describe("the dashboard with the keyboard alone", { tags: "chromium" }, () => {
  it("[DASH-207] a session is found, read, replied to, asked in, answered in and decided in", async () => {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    await createTestSession(dashboard.rest, "Q3 pricing");
    for (const text of ["First.", "Second.", "Third."]) await session.post(session.convener, text);
    const { page, problems } = await dashboard.open("/");
    const { keyboard } = page;
    await page.getByRole("link", { name: "Q3 pricing", exact: true }).last().waitFor();
    await keyboard.press("/");
    await keyboard.type("auth");
    await page.getByRole("table").getByRole("link", { name: "Q3 pricing" }).waitFor({ state: "detached" });
    await pressTo(page, page.getByRole("table").getByRole("link", { name: "Split the auth service" }));
    await keyboard.press("Enter");

    const message = (text: string) => page.getByRole("article").filter({ hasText: text }).last();
    await message("Third.").waitFor();
    await pressTo(page, message("Second."), "j");
    await keyboard.press("PageDown");
    await expectFocus(message("Third."));
    await keyboard.press("PageUp");
    await keyboard.press("k");
    await expectFocus(message("First."));

    await keyboard.press("r");
    const field = page.getByRole("form", { name: "Write a message" }).getByRole("textbox").first();
    await expectFocus(field);
    await keyboard.type("Good.");
    await keyboard.press("Enter");
    const name = page.getByRole("dialog", { name: "What should others call you?" });
    await expectFocus(name.getByRole("textbox"));
    await keyboard.type("Ana");
    await keyboard.press("Enter");
    await message("Good.").waitFor();
    await expectFocus(field);

    const options = page.getByRole("button", { name: "Kind and priority" });
    await pressTo(page, options, "Shift+Tab");
    await keyboard.press("Enter");
    await expectFocus(page.getByRole("radio", { name: "Message" }));
    await keyboard.press("ArrowRight");
    await keyboard.press("Escape");
    await expectFocus(options);
    await pressTo(page, field);
    await keyboard.type("Ship it?");
    await pressTo(page, page.getByRole("button", { name: "Add answer options" }));
    await keyboard.press("Enter");
    await expectFocus(page.getByRole("textbox", { name: "Option 1" }));
    await keyboard.type("yes");
    await pressTo(page, page.getByRole("textbox", { name: "Option 2" }));
    await keyboard.type("no");
    await keyboard.press("Enter");
    await message("Ship it?").waitFor();
    expect(await message("Ship it?").getByRole("listitem").allInnerTexts()).toEqual(["yes", "no"]);

    await ask(session, "Which key?", ["the vault's", "a new one"]);
    await message("Which key?").waitFor();
    await pressTo(page, page.getByRole("button", { name: "Send" }));
    await pressTo(page, message("Which key?"), "j");
    await keyboard.press("a");
    await expectFocus(field);
    const chosen = page.getByRole("form").getByRole("button", { name: "the vault's" });
    await pressTo(page, chosen, "Shift+Tab");
    await keyboard.press("Enter");
    await expectFocus(field);
    await keyboard.press("Enter");
    await page.getByText("Ana answered").waitFor();

    await pressTo(page, page.getByRole("button", { name: "Send" }));
    await keyboard.press("d");
    await expectFocus(field);
    await keyboard.type("It ships.");
    await keyboard.press("Enter");
    await message("It ships.").getByText("DECISION").waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-207] the document is written, its versions compared; panes, parts and moments are gone through", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "On paper");
    await session.post(session.convener, "First.");
    const { page, problems } = await openAs("Ana", `/sessions/${session.slug}`);
    const { keyboard } = page;
    const documentPart = page.getByRole("region", { name: "Document", exact: true });
    await page.getByText("First.").waitFor();
    for (const [version, text] of ["one", "two"].entries()) {
      await pressTo(page, documentPart.getByRole("button", { name: "Edit", exact: true }));
      await keyboard.press("Enter");
      await expectFocus(page.getByRole("textbox", { name: `Document, based on version ${version}` }));
      await keyboard.type(`${text} `);
      await keyboard.press("Escape");
      await keyboard.press("Tab");
      await expectFocus(page.getByRole("button", { name: "Save" }));
      await keyboard.press("Enter");
      await page.getByText(`v${version + 1} · Ana`).waitFor();
      await expectFocusSomewhere(page);
    }
    await pressTo(page, documentPart.getByRole("button", { name: "History" }));
    await keyboard.press("Enter");
    for (const version of [2, 1]) {
      await pressTo(page, page.getByRole("checkbox", { name: `Compare version ${version}` }));
      await keyboard.press("Space");
    }
    await pressTo(page, page.getByRole("button", { name: "Compare v1 and v2" }), "Shift+Tab");
    await keyboard.press("Enter");
    await page
      .getByRole("region", { name: "Changes from version 1 to 2" })
      .getByText("two")
      .first()
      .waitFor();
    await expectFocusSomewhere(page);
    await pressTo(page, page.getByRole("button", { name: "Close comparison" }));
    await keyboard.press("Enter");
    await page.getByRole("list", { name: "Versions" }).waitFor();

    const splitter = page.getByRole("separator", { name: "Feed width" });
    await pressTo(page, splitter, "Shift+Tab");
    const share = Number(await splitter.getAttribute("aria-valuenow"));
    await keyboard.press("ArrowLeft");
    await expect.poll(() => splitter.getAttribute("aria-valuenow")).toBe(String(share - 2));
    const feed = page.getByRole("region", { name: "Feed", exact: true });
    for (const [key, part] of [
      ["[", feed],
      ["]", documentPart],
    ] as const) {
      await keyboard.press(key);
      await part.waitFor({ state: "hidden" });
      await expectFocusSomewhere(page);
      await keyboard.press(key);
      await part.waitFor();
    }
    await keyboard.press(",");
    await page.waitForURL("**?*at=*");
    await keyboard.press(".");
    await page.waitForURL((url) => !url.searchParams.has("at"));
    for (const [key, place] of [
      ["2", "/tasks"],
      ["3", "/state"],
      ["4", "/memory"],
      ["5", "/progress"],
      ["1", ""],
    ] as const) {
      await keyboard.press(key);
      await page.waitForURL(`**/sessions/${session.slug}${place}*`);
      await expectFocusSomewhere(page);
    }
    expect(problems).toEqual([]);
  });

  it("[DASH-208] what opens over the page closes on Escape, one at a time, and gives the focus back", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "Opened and closed");
    await session.post(session.convener, "First.");
    const { page, problems } = await openAs("Ana", `/sessions/${session.slug}`);
    const { keyboard } = page;
    await page.getByText("First.").waitFor();
    const hold = page.getByRole("button", { name: "Hold", exact: true });
    await pressTo(page, hold);
    for (const [keys, dialog] of [
      ["Enter", page.getByRole("alertdialog", { name: "Put this session on hold?" })],
      ["Control+k", page.getByRole("dialog", { name: "Command menu" })],
      ["?", page.getByRole("dialog", { name: "Keyboard shortcuts" })],
    ] as const) {
      await keyboard.press(keys);
      await expectFocus(dialog.locator(":focus"));
      await keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await expectFocus(hold);
    }
    const menu = page.getByRole("button", { name: "More about this session" });
    await pressTo(page, menu);
    await keyboard.press("Enter");
    await pressTo(page, page.getByRole("button", { name: "Edit title and description…" }));
    await keyboard.press("Enter");
    const edit = page.getByRole("dialog", { name: "Title and description" }).or(page.getByRole("dialog"));
    await expectFocus(edit.locator(":focus"));
    await keyboard.press("Escape");
    await edit.waitFor({ state: "detached" });
    await expectFocus(menu);

    await pressTo(page, hold, "Shift+Tab");
    await keyboard.press("Enter");
    await expectFocus(page.getByRole("alertdialog").getByRole("textbox"));
    await keyboard.type("Wait for legal");
    await keyboard.press("Enter");
    await page.getByText("HELD", { exact: true }).waitFor();
    await expectFocusSomewhere(page);
    await pressTo(page, page.getByRole("button", { name: "Resume" }).first(), "Shift+Tab");
    await keyboard.press("Enter");
    await page.getByText("OPEN", { exact: true }).waitFor();
    await expectFocusSomewhere(page);

    await pressTo(page, page.getByRole("button", { name: "Conclude", exact: true }));
    await keyboard.press("Enter");
    await expectFocus(page.getByRole("textbox", { name: /^Conclusion/ }));
    await keyboard.type("**Done.**");
    await pressTo(page, page.getByRole("button", { name: "Preview" }));
    await keyboard.press("Enter");
    await page.getByRole("dialog").locator("strong").filter({ hasText: "Done." }).waitFor();
    await pressTo(page, page.getByRole("button", { name: "Conclude for everyone" }));
    await keyboard.press("Enter");
    await page.getByText("CLOSED", { exact: true }).waitFor();
    await expectFocusSomewhere(page);

    for (const [second, place] of [
      ["m", "/memory"],
      ["p", "/progress"],
      ["f", "/sources"],
      ["n", "/needs-you"],
      ["s", "/"],
    ] as const) {
      await keyboard.press("g");
      await keyboard.press(second);
      await page.waitForURL(`${dashboard.broker.url}${place}`);
    }
    expect(problems).toEqual([]);
  });

  it("[DASH-209] wherever Tab leads the focus is seen, beginning with the way past the navigation", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "Gone through");
    await session.post(session.convener, "First.");
    await ask(session, "Which key?", ["the vault's", "a new one"]);
    const { page } = await openAs("Ana", "/");
    await page.getByText("Which key?").first().waitFor();
    expect(await findUnseenStops(page)).toEqual([]);
    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}`);
    await page.getByText("First.").waitFor();
    await page.getByRole("slider", { name: "Moment" }).waitFor();
    expect(await findUnseenStops(page)).toEqual([]);
    await page.reload();
    await page.getByText("First.").waitFor();
    await page.keyboard.press("Tab");
    await expectFocus(page.getByRole("link", { name: "Skip to content" }));
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("main"));
  });

  it("[DASH-9] on the index too, letters do nothing once they are switched off", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "Without letters");
    const { page } = await openAs("Ana", "/");
    const link = page.getByRole("table").getByRole("link", { name: "Without letters" });
    await link.waitFor();
    await page.evaluate(`localStorage.setItem("merkle.preferences", '{"letterKeys":"off"}')`);
    await page.reload();
    await link.waitFor();
    await pressTo(page, link);
    await page.keyboard.press("x");
    await page.keyboard.press("k");
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}`);
    await page.goBack();
    await link.waitFor();
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
  });

  async function openAs(name: string, path: string) {
    return dashboard.open(path, { as: await dashboard.newPerson(name) });
  }

  async function ask(session: TestSession, text: string, options: string[]): Promise<void> {
    await dashboard.rest.call("post_message", {
      session_id: session.sessionId,
      team_id: session.convener,
      content: { text, kind: "ask", options },
    });
  }
});

const pressesMax = 90;

/** Presses the key until the element has the focus. */
async function pressTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${target.toString()} is not reached with ${key}.`);
}

async function expectFocus(target: Locator): Promise<void> {
  await expect
    .poll(() => target.evaluateAll((found) => found.some((element) => element.matches(":focus"))))
    .toBe(true);
}

/** Expects that some element has the focus, so that the next key has a starting point. */
async function expectFocusSomewhere(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate("document.activeElement !== document.body")).toBe(true);
}

/** Tabs through the page and returns the elements whose focus is not visible. */
async function findUnseenStops(page: Page): Promise<string[]> {
  const unseen: string[] = [];
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<string | null>(lookAtFocus);
    if (stop === null) return unseen;
    if (stop !== "") unseen.push(stop);
  }
  throw new Error("The page does not end.");
}

/**
 * Runs in the page. Returns null at the end of the page, "" if the focus is visible, and otherwise the focused element.
 */
const lookAtFocus = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const { left, top, right, bottom } = at.getBoundingClientRect();
  const isOnScreen = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const hasRing = [at, at.parentElement, at.firstElementChild].some((element) => {
    const { outlineStyle, outlineWidth } = element ? getComputedStyle(element) : {};
    return element && outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  });
  const x = Math.min(Math.max((left + right) / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max((top + bottom) / 2, 0), innerHeight - 1);
  const over = document.elementFromPoint(x, y);
  const isCovered = !over || !(at.contains(over) || over.contains(at) || over.closest("label")?.contains(at));
  return isOnScreen && hasRing && !isCovered ? "" : at.outerHTML.slice(0, 160);
})()`;
