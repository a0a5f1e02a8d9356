import { median } from "../../statistics.js";
import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { openTab, openWatched, resetFigures, untilRowShown, untilSettled } from "../watched-page.js";

const places = [0.05, 0.25, 0.5, 0.77, 0.9];

/** Links to messages anywhere in a session of 10,000 messages, followed within the page and opened in another tab. */
export const links: DashboardPart = {
  name: "links",
  limitMs: 240_000,
  async measure({ broker, browser, quick, reportStep: doing }) {
    const messages = quick ? 2_000 : 10_000;
    doing(`posting ${messages} messages`);
    const { slug, last } = await stageFeed(broker, "Links", messages);
    const address = `${broker.url}/sessions/${slug}`;
    const page = await openWatched(browser, address);
    await untilRowShown(page, last);
    await untilSettled(page);

    doing("following links within the page");
    const within: number[] = [];
    for (const place of places) {
      const sequence = Math.round(messages * place);
      await resetFigures(page);
      const pressedAt = await page.evaluate((m) => {
        // Does the same as a click on a link to a message in the same session.
        history.pushState(null, "", `?m=${m}`);
        return performance.now();
      }, sequence);
      within.push((await untilRowShown(page, sequence)) - pressedAt);
    }
    doing("opening links in other tabs");
    const tabs: number[] = [];
    for (const place of places) {
      const sequence = Math.round(messages * place) + 3;
      const tab = await openTab(page.context(), `${address}?m=${sequence}`);
      tabs.push(await untilRowShown(tab, sequence));
      await tab.close();
    }
    const common = { unit: "ms", isRequired: true } as const;
    const name = `a link to one of ${messages} messages, median of ${places.length}`;
    return [
      { ...common, name: `${name}, within the page`, value: median(within), budget: { atMost: 500 } },
      // Opening the link includes a page load, so the budget is the same as for the first rows of a page.
      {
        ...common,
        name: `${name}, in a new tab`,
        value: median(tabs),
        budget: { atMost: 1_000 },
        against: "page",
      },
    ];
  },
};
