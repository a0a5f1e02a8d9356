import type { Page } from "playwright-core";
import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { notedBy, openWatched, rowShown, settled, startNotingAnew } from "../watched-page.js";

/** A session of 10,000 messages: opening it, scrolling through all of it, and going to any place in it. */
export const longSession: DashboardPart = {
  name: "long-session",
  async measure({ broker, browser, quick }) {
    const messages = quick ? 2_000 : 10_000;
    const { slug } = await stageFeed(broker, "Long session", messages);
    const address = `${broker.url}/sessions/${slug}`;

    // The first opening fills the caches of the broker; what is told is how long somebody waits who comes by day.
    await (await openWatched(browser, address)).context().close();
    const page = await openWatched(browser, address);
    const firstRows = await rowShown(page, messages);
    await settled(page);

    await startNotingAnew(page);
    const scrolled = await scrollThroughAll(page);
    const { longTasks } = await notedBy(page);
    const heap = await heapOf(page);
    await page.context().close();

    const links: number[] = [];
    for (const place of [0.05, 0.5, 0.77]) {
      const sequence = Math.round(messages * place);
      const linked = await openWatched(browser, `${address}?m=${sequence}`);
      links.push(await rowShown(linked, sequence));
      await linked.context().close();
    }
    return [
      { name: `${messages} messages: first rows`, value: firstRows, unit: "ms", budget: { atMost: 1_000 } },
      {
        name: "most rows in the page while scrolling",
        value: scrolled.rowsMax,
        unit: "rows",
        budget: { atMost: 60 },
      },
      { name: "scrolling to the first message", value: scrolled.fps, unit: "fps", budget: { atLeast: 55 } },
      {
        name: "longest task while scrolling",
        value: Math.max(0, ...longTasks),
        unit: "ms",
        budget: { atMost: 50 },
      },
      { name: "tasks over 50 ms while scrolling", value: longTasks.length, unit: "", budget: null },
      { name: "heap after that, garbage collected", value: heap, unit: "MB", budget: { atMost: 150 } },
      {
        name: "a link to a message, opened in a new tab, longest of three",
        value: Math.max(...links),
        unit: "ms",
        budget: { atMost: 500 },
      },
    ];
  },
};

/** Scrolls as fast as somebody drags the bar, and waits where rows are still on their way. */
function scrollThroughAll(page: Page): Promise<{ fps: number; rowsMax: number }> {
  return page.getByRole("feed").evaluate(async (scroller) => {
    let rowsMax = 0;
    let frames = 0;
    const begunAt = performance.now();
    while (scroller.scrollTop > 0 || !scroller.textContent?.includes("The feed begins here")) {
      scroller.scrollTop -= 300;
      rowsMax = Math.max(rowsMax, scroller.querySelectorAll("article").length);
      frames += 1;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return { rowsMax, fps: frames / ((performance.now() - begunAt) / 1_000) };
  });
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1_000_000;
}
