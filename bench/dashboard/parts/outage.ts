import { inParallel } from "../../in-parallel.js";
import type { DashboardPart } from "../measurement.js";
import { startNetwork } from "../network.js";
import { compareRows } from "../shown-rows.js";
import { stageFeed } from "../staged-feed.js";
import { openWatched, untilRowShown } from "../watched-page.js";

const saidBefore = 100;
const missed = 1_000;

/** A page without network for a minute, during which 1,000 messages are posted. */
export const outage: DashboardPart = {
  name: "outage",
  limitMs: 240_000,
  async measure({ broker, browser, quick, reportStep: doing }) {
    const { slug, last, post: say } = await stageFeed(broker, "Outage", saidBefore);
    const network = await startNetwork(broker.port);
    try {
      const page = await openWatched(browser, `${network.url}/sessions/${slug}`);
      await untilRowShown(page, last);
      const seconds = quick ? 5 : 60;
      doing(`${seconds} s without a network`);
      network.cut();
      const said = new Map<number, string>();
      const missing = Array.from({ length: missed }, (_, word) => `missed ${word}`);
      const [numbers] = await Promise.all([inParallel(missing, 100, say), pause(seconds * 1_000)]);
      for (const [index, sequence] of numbers.entries()) said.set(sequence, missing[index] ?? "");
      network.restore();
      doing("waiting for what was missed");
      const restoredAt = await page.evaluate(() => performance.now());
      // Clicks "Retry", as a person would who does not wait for the next attempt.
      const wait = untilRowShown(page, Math.max(...numbers));
      const retry = page.getByRole("button", { name: "Retry" }).first();
      if (await retry.isVisible()) await retry.click();
      const filled = (await wait) - restoredAt;
      doing("reading what is there");
      const { lost, doubled } = await compareRows(page, said);
      return [
        {
          name: `${seconds} s without a network: ${missed} missed messages filled in`,
          value: filled,
          unit: "ms",
          budget: { atMost: 2_000 },
        },
        { name: "of them lost", value: lost, unit: "messages", budget: { atMost: 0 } },
        { name: "of them doubled", value: doubled, unit: "messages", budget: { atMost: 0 } },
      ];
    } finally {
      await network.stop();
    }
  },
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
