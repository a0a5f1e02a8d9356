import type { Page } from "playwright-core";
import { percentile } from "../../statistics.js";
import type { DashboardPart } from "../measurement.js";
import { stageFeed, words } from "../staged-feed.js";
import { openWatched, untilSettled } from "../watched-page.js";

const sessions = 10;
const queries = [
  ...words,
  "issuer gateway",
  "migration staging",
  "client review merge",
  "auth/0007",
  '"deploy window"',
];
const rounds = 5;

/** A search of the whole mesh: the time until the broker replies, and the time until the page shows the reply. */
export const search: DashboardPart = {
  name: "search",
  limitMs: 900_000,
  async measure({ broker, browser, quick, reportStep: doing }) {
    const messages = quick ? 10_000 : 100_000;
    for (let session = 1; session <= sessions; session += 1) {
      doing(`posting ${messages} messages, session ${session} of ${sessions}`);
      await stageFeed(broker, `Search ${session}`, messages / sessions);
    }
    doing("waiting until all of it is indexed");
    while (!(await broker.client.call("search", { query: "token" })).complete);

    doing("asking the broker");
    const answered: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const query of queries) {
        const askedAt = performance.now();
        await broker.client.call("search", { query });
        answered.push(performance.now() - askedAt);
      }
    }
    doing("searching in the page");
    const page = await openWatched(browser, `${broker.url}/search`);
    await page.getByText("Search all sessions").waitFor();
    await untilSettled(page);
    const seen: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const word of words) seen.push(await searchInPage(page, word));
    }
    const common = { unit: "ms", budget: { atMost: 300 } } as const;
    const name = `search in ${messages} messages, p95`;
    return [
      {
        ...common,
        name: `${name}, answered by the broker`,
        value: percentile(answered, 0.95),
        against: "socket",
      },
      { ...common, name: `${name}, seen in the page`, value: percentile(seen, 0.95) },
      { name: "answered by the broker, median", value: percentile(answered, 0.5), unit: "ms", budget: null },
    ];
  },
};

/**
 * Searches for a word in the way the search field does once typing pauses. Resolves when the first hit contains the
 * word.
 */
function searchInPage(page: Page, word: string): Promise<number> {
  return page.evaluate(async (wanted) => {
    const begunAt = performance.now();
    history.replaceState(null, "", `?q=${wanted}`);
    const isThere = () =>
      document.querySelector('section[aria-label^="Results"] mark')?.textContent?.toLowerCase() === wanted;
    while (!isThere()) {
      if (performance.now() - begunAt > 20_000) throw new Error(`"${wanted}" was not found within 20 s`);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - begunAt;
  }, word);
}
