import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { desktop, phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

const tablet = { viewport: { width: 768, height: 1024 } };
/** 1280 by 1024 at 400 %. */
const zoomed = { viewport: { width: 320, height: 256 } };
/** Enough to leave the navigation and pass through the first controls of every page. */
const tabStops = 24;

describe("the dashboard in large text, zoomed in and by keys", { tags: "chromium" }, () => {
  async function listPages(): Promise<readonly string[]> {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    await session.post(session.convener, "The token table is ready: `auth/0007`.");
    const settings = ["me", "notifications", "people", "agents", "broker"].map(
      (part) => `/settings?part=${part}`,
    );
    return [
      "/",
      "/needs-you",
      "/agents",
      "/tasks",
      "/search?q=token",
      ...settings,
      `/sessions/${session.slug}`,
    ];
  }

  it("[DASH-396] with text of 200 % nothing of a page is cut off at its side, on a desk and on a tablet", async () => {
    const as = await dashboard.newPerson();
    const found: string[] = [];
    for (const size of [desktop, tablet]) {
      const { page } = await dashboard.open("/", { as, ...size });
      const devtools = await page.context().newCDPSession(page);
      // The font size of the browser's own settings, which media queries follow, too.
      await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
      for (const path of await listPages()) {
        await page.goto(`${dashboard.broker.url}${path}`);
        await isShown(page);
        expect(await page.evaluate("getComputedStyle(document.documentElement).fontSize")).toBe("32px");
        for (const problem of await page.evaluate<string[]>(`(${findCutOff})()`)) {
          found.push(`${path} ${page.viewportSize()?.width}: ${problem}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it("[DASH-396] with text of 200 % the titles of sessions are whole on a phone", async () => {
    const session = await createTestSession(dashboard.rest, "Split the auth service into smaller services");
    await session.post(session.convener, "The token table is ready.");
    const { page } = await dashboard.open("/", phone);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
    await page.reload();
    const title = page.getByRole("link", { name: "Split the auth service into smaller services" });
    await title.waitFor();
    expect(await title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    await page.close();
  });

  it("[DASH-397] with text of 200 % a phone's bottom bar keeps within the screen, and what has no room in it is under More", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/", phone);
    await isShown(page);
    const bar = page.getByRole("navigation", { name: "Main" });
    await bar.getByRole("link", { name: "Agents" }).waitFor();
    // Both the browser's font size and a page's own enlarge rem units.
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    await bar.getByRole("link", { name: "Agents" }).waitFor({ state: "hidden" });
    const items = [...(await bar.getByRole("link").all()), bar.getByRole("button", { name: "More" })];
    expect(items.length).toBeGreaterThan(2);
    for (const item of items) {
      const overflow = await item.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      const { x, width } = (await item.boundingBox()) ?? { x: -1, width: 0 };
      expect({ overflow, isInside: x >= 0 && x + width <= phone.viewport.width }).toEqual({
        overflow: 0,
        isInside: true,
      });
    }
    await bar.getByRole("button", { name: "More" }).click();
    const sheet = page.getByRole("dialog", { name: "More pages" });
    await sheet.getByRole("link", { name: "Settings" }).waitFor();
    expect(await findBarriers()).toEqual([]);
    await sheet.getByRole("link", { name: "Agents" }).click();
    await page.waitForURL("**/agents");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(problems).toEqual([]);
  });

  for (const forcedColors of ["none", "active"] as const) {
    it(`[DASH-396] at 400 % ${forcedColors === "active" ? "in forced colours " : ""}Tab reaches controls one by one, and each is in view and outlined`, async () => {
      const as = await dashboard.newPerson();
      const found: string[] = [];
      for (const path of await listPages()) {
        const { page } = await dashboard.open(path, { as, ...zoomed, forcedColors });
        await isShown(page);
        const seen = new Set<string>();
        for (let stop = 0; stop < tabStops; stop += 1) {
          await page.keyboard.press("Tab");
          const { name, problem } = await page.evaluate<{ name: string; problem: string | null }>(
            `(${inspectFocus})()`,
          );
          seen.add(name);
          if (problem !== null) found.push(`${path}: ${problem}: ${name}`);
        }
        // A trap would show the same few controls again.
        if (seen.size < 5) found.push(`${path}: Tab reaches only ${[...seen].join(", ")}`);
        if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
          found.push(`${path}: wide`);
      }
      expect(found).toEqual([]);
    });
  }
});

async function isShown(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
  await page.locator('[data-slot="live-badge"]').getByText(/^Live/).first().waitFor({ state: "attached" });
}

/** Runs in the page, so it must be self-contained. */
const findCutOff = `async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("wide " + document.documentElement.scrollWidth);
  const scrolls = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true;
    return false;
  };
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea")) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(".sr-only, [inert]")) continue;
    const { left, right, width } = element.getBoundingClientRect();
    if (width > 1 && (right > innerWidth + 1 || left < -1) && !scrolls(element))
      found.push("beyond the edge: " + element.outerHTML.slice(0, 160));
  }
  return found;
}`;

/** Runs in the page, so it must be self-contained. */
const inspectFocus = `async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const element = document.activeElement;
  const name = element.outerHTML.replace(/ class="[^"]*"/, "").slice(0, 140);
  if (element === document.body) return { name, problem: null };
  // The outline may be drawn around a visible part that stands for a hidden control, such as a radio button's label.
  const shown = [element, element.parentElement, ...element.querySelectorAll("*"), element.nextElementSibling].filter(Boolean);
  const isOutlined = shown.some((each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
  });
  if (!isOutlined) return { name, problem: "no outline" };
  const { left, right, top, bottom } = element.getBoundingClientRect();
  if (bottom < 1 || top > innerHeight - 1 || right < 1 || left > innerWidth - 1) return { name, problem: "out of view" };
  // At least one of its points must not be covered by a bar.
  const inside = (from, to, max, share) => Math.min(Math.max(from, 1), max) + share * (Math.min(to, max) - Math.min(Math.max(from, 1), max));
  for (const x of [0.1, 0.5, 0.9]) for (const y of [0.1, 0.5, 0.9]) {
    const at = document.elementFromPoint(inside(left, right, innerWidth - 1, x), inside(top, bottom, innerHeight - 1, y));
    if (at && (element.contains(at) || at.contains(element) || at.closest("label")?.control === element)) return { name, problem: null };
  }
  return { name, problem: "covered" };
}`;
