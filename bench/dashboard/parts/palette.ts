import type { Page } from "playwright-core";
import { median } from "../../statistics.js";
import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { openWatched, untilSettled } from "../watched-page.js";

const names = ["Quartz", "Violet", "Juniper", "Ochre", "Yarrow"];
const letters = 3;

/**
 * Types Ctrl+K, three letters and Enter with real key presses, and waits until the title of the matching session is
 * shown.
 */
export const palette: DashboardPart = {
  name: "palette",
  limitMs: 240_000,
  async measure({ broker, browser, reportStep: doing }) {
    for (const name of names) await stageFeed(broker, `${name} and others`, 20);
    const page = await openWatched(browser, broker.url);
    await page.getByRole("link", { name: "Quartz" }).first().waitFor();
    await untilSettled(page);
    // Prefetching starts only after the page has been idle for three seconds.
    await untilSettled(page);
    await untilSettled(page);
    const opened: number[] = [];
    const gone: number[] = [];
    for (const name of names) {
      doing(`going to ${name}`);
      const { openedMs, goneMs } = await goTo(page, name);
      opened.push(openedMs);
      gone.push(goneMs);
      await untilSettled(page);
    }
    const common = { unit: "ms", isRequired: true, against: "page" } as const;
    return [
      {
        ...common,
        name: `Ctrl+K, ${letters} letters, Enter: until the session is there, median of ${names.length}`,
        value: median(gone),
        budget: { atMost: 100 },
      },
      {
        ...common,
        name: `Ctrl+K until its field has the focus, median of ${names.length}`,
        value: median(opened),
        budget: { atMost: 100 },
      },
    ];
  },
};

async function goTo(page: Page, name: string): Promise<{ openedMs: number; goneMs: number }> {
  await page.evaluate((wanted) => {
    const pressed: Record<string, number> = {};
    const seen: { focused?: number; there?: number } = {};
    Object.assign(window, { pressed, seen });
    addEventListener("keydown", ({ key, timeStamp }) => (pressed[key] ??= timeStamp), { capture: true });
    (function look(): void {
      if (document.activeElement?.getAttribute("role") === "combobox") seen.focused ??= performance.now();
      if (document.querySelector("h1")?.textContent?.startsWith(wanted)) seen.there ??= performance.now();
      if (seen.there === undefined) requestAnimationFrame(look);
    })();
  }, name);
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => Object(window).seen.focused !== undefined);
  await page.keyboard.type(name.slice(0, letters).toLowerCase());
  await page.getByRole("option", { name, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => Object(window).seen.there !== undefined);
  return page.evaluate(() => {
    const { pressed, seen } = Object(window);
    return { openedMs: seen.focused - pressed["k"], goneMs: seen.there - pressed["Enter"] };
  });
}
