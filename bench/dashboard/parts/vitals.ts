import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { notedBy, openWatched, rowShown, settled, startNotingAnew } from "../watched-page.js";

const keys = "the quick brown fox jumps over the lazy dog";

/** How soon a page is there, whether it holds still, and how soon it answers a key. */
export const vitals: DashboardPart = {
  name: "vitals",
  async measure({ broker, browser }) {
    const feed = await stageFeed(broker, "Vitals", 200);
    const list = await openWatched(browser, broker.url);
    await list.getByRole("link", { name: "Vitals" }).first().waitFor();
    const atList = await notedBy(list);
    await list.context().close();

    const page = await openWatched(browser, `${broker.url}/sessions/${feed.slug}`);
    await rowShown(page, 200);
    await settled(page);
    const { lcp, layoutShift } = await notedBy(page);
    await startNotingAnew(page);
    await page.getByRole("textbox", { name: "Message" }).focus();
    for (const key of keys) await page.keyboard.press(key);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    const { inputDelays } = await notedBy(page);
    await page.context().close();
    return [
      { name: "index: LCP", value: atList.lcp, unit: "ms", budget: { atMost: 1_500 } },
      { name: "index: CLS", value: atList.layoutShift, unit: "", budget: { atMost: 0.05 } },
      { name: "session: LCP", value: lcp, unit: "ms", budget: { atMost: 1_500 } },
      { name: "session: CLS", value: layoutShift, unit: "", budget: { atMost: 0.05 } },
      // Keys that were answered within a frame are not told of.
      {
        name: "a key in the composer until it is seen, longest",
        value: Math.max(16, ...inputDelays),
        unit: "ms",
        budget: { atMost: 200 },
      },
    ];
  },
};
