import type { Browser, Page } from "playwright-core";
import { locatePaletteField } from "../../../tests/dashboard/open-palette.js";
import { median } from "../../statistics.js";
import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { openWatched, readFigures, resetFigures, untilRowShown, untilSettled } from "../watched-page.js";

const keys = "the quick brown fox jumps over the lazy dog";
const openings = 5;

/** How quickly a page loads, how stable its layout is, and how quickly it reacts to keys and clicks. */
export const vitals: DashboardPart = {
  name: "vitals",
  limitMs: 240_000,
  async measure({ broker, browser, reportStep: doing }) {
    const feed = await stageFeed(broker, "Vitals", 200);
    doing("opening the index, each time with an empty cache");
    const index = await openOften(browser, broker.url, (page) =>
      page.getByRole("link", { name: "Vitals" }).first().waitFor(),
    );
    doing("opening a session, each time with an empty cache");
    const address = `${broker.url}/sessions/${feed.slug}`;
    const session = await openOften(browser, address, (page) => untilRowShown(page, feed.last));

    const page = await openWatched(browser, address);
    await untilRowShown(page, feed.last);
    await untilSettled(page);
    await resetFigures(page);
    doing("typing and pressing");
    await use(page);
    const delays = Object.values((await readFigures(page)).inputDelays);
    return [
      ...toMeasurements("index", index),
      ...toMeasurements("session", session),
      {
        // The browser does not report delays shorter than a frame.
        name: "INP: keys and presses until they are seen, longest",
        value: Math.max(16, ...delays),
        unit: "ms",
        budget: { atMost: 200 },
        against: "page",
      },
    ];
  },
};

interface Opening {
  readonly lcp: number;
  readonly layoutShift: number;
}

async function openOften(
  browser: Browser,
  url: string,
  isThere: (page: Page) => Promise<unknown>,
): Promise<readonly Opening[]> {
  const all: Opening[] = [];
  for (let opening = 0; opening <= openings; opening += 1) {
    const page = await openWatched(browser, url);
    await isThere(page);
    await untilSettled(page);
    all.push(await readFigures(page));
    await page.context().close();
  }
  // The first time, the broker's caches are empty, so the first result is dropped.
  return all.slice(1);
}

function toMeasurements(what: string, all: readonly Opening[]) {
  return [
    {
      name: `${what}: LCP, empty cache, median of ${openings}`,
      value: median(all.map(({ lcp }) => lcp)),
      unit: "ms",
      budget: { atMost: 1_500 },
      against: "page",
    },
    {
      name: `${what}: CLS, largest`,
      value: Math.max(...all.map(({ layoutShift }) => layoutShift)),
      unit: "",
      budget: { atMost: 0.05 },
    },
  ] as const;
}

/** Types, steps through messages, filters, and opens dialogs with shortcuts. */
async function use(page: Page): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.focus();
  for (const key of keys) await page.keyboard.press(key);
  await field.fill("");
  await page.getByRole("article").last().click();
  for (let step = 0; step < 20; step += 1) await page.keyboard.press("k");
  const chip = page.getByRole("button", { name: "Decisions", exact: true });
  await chip.click();
  await page.getByText("No matches", { exact: true }).waitFor();
  await chip.click();
  await page.getByRole("article").last().waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await locatePaletteField(page).waitFor();
  await page.keyboard.press("s");
  await page.keyboard.press("Escape");
  // The browser reports a delay only after the paint that it caused.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
}
