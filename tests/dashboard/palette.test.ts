import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { testDashboard } from "./open-dashboard.js";
import { isLive, openPalette } from "./open-palette.js";

const dashboard = testDashboard();

describe("the palette", { tags: "chromium" }, () => {
  it("[DASH-8] it leads to sessions, to what was said and to pages, all from the keyboard", async () => {
    const session = await createTestSession(dashboard.rest, "Palette of colours");
    await session.post(session.convener, "The heliotrope one is settled.");
    const { page, problems, findBarriers } = await dashboard.open("/");
    await openPalette(page);
    await page.keyboard.type("palette of");
    await selected(page, /Palette of colours/).waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}`);

    await openPalette(page);
    await page.keyboard.type("heliotrope");
    await selected(page, /heliotrope one/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}?m=1`);

    await openPalette(page);
    await page.keyboard.type("settings");
    await selected(page, /^Settings$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/settings");
    expect(problems).toEqual([]);
  });

  it("[DASH-289] [DASH-290] without roots the files are found here alone, and say how there come to be some", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/");
    expect(await page.getByRole("link", { name: "Files", exact: true }).count()).toBe(0);
    await openPalette(page);
    await page.keyboard.type("files");
    await selected(page, /^Files$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sources");
    await page.getByText("No files to work on").waitFor();
    await page.getByText('"roots": { "docs": "/srv/handbook" }').waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-220] Enter is for the first entry, also when a better one comes in late, until another is moved to", async () => {
    const session = await createTestSession(dashboard.rest, "Quiet corner");
    await session.post(session.convener, "Vermilion it is.");
    const { page } = await dashboard.open("/");
    await openPalette(page);
    await page.keyboard.type("vermilion");
    // This entry appears immediately, and is the first entry until the broker returns results.
    const everything = page.getByRole("option", { name: /^Search everything/ });
    await everything.waitFor();
    await selected(page, /Vermilion it is/).waitFor();
    await page.keyboard.press("ArrowDown");
    await selected(page, /^Search everything for “vermilion”/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?q=vermilion");
  });

  it("[DASH-341] letters that are typed right after its key are not lost on any page, nor is Enter", async () => {
    const session = await createTestSession(dashboard.rest, "Juniper and ochre");
    const { page, problems } = await dashboard.open("/");
    for (const from of ["/", "/settings", `/sessions/${session.slug}/state`]) {
      await page.goto(`${dashboard.broker.url}${from}`);
      await isLive(page);
      // The test does not wait for the palette, because keys that are typed while it loads must not be lost.
      await page.keyboard.press("Control+k");
      await page.keyboard.type("jun");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/sessions/${session.slug}`);
      await page.getByRole("heading", { level: 1, name: "Juniper and ochre" }).waitFor();
    }
    expect(problems).toEqual([]);
  });

  it("[DASH-340] [DASH-341] it finds people, tasks and messages of the session, what it knows first, and the chosen entry stays", async () => {
    const session = await createTestSession(dashboard.rest, "Heliopause");
    const { credential } = await session.join("Tamarisk");
    await dashboard.rest.call("create_task", {
      session_id: session.sessionId,
      team_id: session.convener,
      title: "Measure the tamaracks",
    });
    await session.post(credential, "What tamarisk needs is salt.");
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}`);
    await openPalette(page);
    await page.keyboard.type("tamar");
    await selected(page, /^Tamarisk/).waitFor();
    const tasks = page.getByRole("group", { name: "Tasks", exact: true });
    await tasks.getByRole("option", { name: /Measure the tamaracks/ }).waitFor();
    await page.getByRole("option", { name: /needs is salt/ }).waitFor();
    expect(await selected(page, /^Tamarisk/).count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}?team=Tamarisk`);

    await openPalette(page);
    await page.keyboard.type("#2");
    await selected(page, /^Message 2/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/sessions/${session.slug}?m=2`);
    expect(problems).toEqual([]);
  });

  it("[DASH-221] it does what the page offers, and closes without a trace", async () => {
    const session = await createTestSession(dashboard.rest);
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const field = await openPalette(page);
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await openPalette(page);
    await page.keyboard.type("hold");
    await selected(page, /hold/i).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    expect(await field.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

/** Returns the palette's selected entry, which Enter would open. */
function selected(page: Page, name: RegExp) {
  return page.getByRole("option", { name, selected: true });
}
