import type { Browser, BrowserContext, Page } from "playwright-core";

/** The figures that a measured page records about itself, starting before its first script. */
export interface PageFigures {
  /** When each row of a feed first appeared, by sequence, in milliseconds since navigation. */
  rowsAt: Record<number, number>;
  longTasks: number[];
  lcp: number;
  layoutShift: number;
  /** Time from each key press or click to the next paint, by the browser's interaction id. */
  inputDelays: Record<number, number>;
  /** Number of changes to the list of rows. Each change is one React render. */
  renders: number;
}

/** Opens a page in a new profile, with the size of a laptop screen. */
export async function openWatched(browser: Browser, url: string): Promise<Page> {
  return openTab(await browser.newContext({ viewport: { width: 1440, height: 900 } }), url);
}

/** Opens a page in an existing profile, in which files are cached and a connection is open. */
export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  // The compiler wraps functions in `__name` calls, which do not exist in the page.
  await page.addInitScript("globalThis.__name = (named) => named");
  await page.addInitScript(recordFigures);
  await page.goto(url);
  return page;
}

export function readFigures(page: Page): Promise<PageFigures> {
  return page.evaluate(() => Object(window).noted);
}

/** Resets the recorded rows, tasks, renders and delays. */
export function resetFigures(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      void Object.assign(Object(window).noted, { rowsAt: {}, longTasks: [], renders: 0, inputDelays: {} }),
  );
}

/** Resolves with the time from navigation until the row appeared. */
export async function untilRowShown(page: Page, sequence: number): Promise<number> {
  const shownAt = await page.waitForFunction((wanted) => Object(window).noted.rowsAt[wanted], sequence, {
    polling: 50,
    timeout: 60_000,
  });
  return Number(await shownAt.jsonValue());
}

/**
 * Resolves when the page has loaded nothing for a second. Waiting for an idle network would never end, because a
 * connection stays open.
 */
export async function untilSettled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const loaded = () => performance.getEntriesByType("resource").length;
    for (let before = -1; before !== loaded(); ) {
      before = loaded();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
}

/** Records the figures. Runs in the page. */
function recordFigures(): void {
  const noted: PageFigures = {
    rowsAt: {},
    longTasks: [],
    lcp: 0,
    layoutShift: 0,
    inputDelays: {},
    renders: 0,
  };
  Object.assign(window, { noted });
  function observe(type: string, note: (entry: PerformanceEntry) => void, more: object = {}): void {
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
      type,
      buffered: true,
      ...more,
    });
  }
  observe("longtask", ({ duration }) => noted.longTasks.push(duration));
  observe("largest-contentful-paint", ({ startTime }) => {
    noted.lcp = startTime;
  });
  observe("layout-shift", (entry) => {
    const { value, hadRecentInput } = Object(entry);
    if (!hadRecentInput) noted.layoutShift += value;
  });
  observe(
    "event",
    (entry) => {
      const { interactionId } = Object(entry);
      if (!interactionId) return;
      noted.inputDelays[interactionId] = Math.max(noted.inputDelays[interactionId] ?? 0, entry.duration);
    },
    { durationThreshold: 16 },
  );
  new MutationObserver((records) => {
    let hasRows = false;
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        if (!(node instanceof HTMLElement)) continue;
        const within = node.querySelectorAll<HTMLElement>("article[data-sequence]");
        for (const row of node.matches("article[data-sequence]") ? [node, ...within] : within) {
          hasRows = true;
          noted.rowsAt[Number(row.dataset["sequence"])] ??= performance.now();
        }
      }
    }
    if (hasRows) noted.renders += 1;
  }).observe(document, { subtree: true, childList: true });
}
