import { readShownFeed } from "../../../tests/dashboard/shown-feed.js";
import { inParallel } from "../../in-parallel.js";
import type { DashboardPart } from "../measurement.js";
import { startNetwork } from "../network.js";
import { countMissing, stageFeed } from "../staged-feed.js";
import { openWatched, rowShown } from "../watched-page.js";

const saidBefore = 100;
const missed = 1_000;

/** A page whose network is gone for a minute, in which 1,000 messages are posted. */
export const gap: DashboardPart = {
  name: "gap",
  async measure({ broker, browser, quick }) {
    const { slug, say } = await stageFeed(broker, "Gap", saidBefore);
    const network = await startNetwork(broker.port);
    try {
      const page = await openWatched(browser, `${network.url}/sessions/${slug}`);
      await rowShown(page, saidBefore);
      network.cut();
      await Promise.all([
        inParallel(
          Array.from({ length: missed }, (_, word) => `missed ${word}`),
          100,
          say,
        ),
        pause(quick ? 5_000 : 60_000),
      ]);
      network.restore();
      const restoredAt = await page.evaluate(() => performance.now());
      // What is seen is what a person sees who presses "Retry" instead of waiting for the next attempt.
      const wait = rowShown(page, saidBefore + missed);
      const retry = page.getByRole("button", { name: "Retry" }).first();
      if (await retry.isVisible()) await retry.click();
      const filled = (await wait) - restoredAt;
      const shown = (await readShownFeed(page)).map(({ sequence }) => sequence);
      await page.context().close();
      const name = `${quick ? 5 : 60} s without a network: 1,000 missed messages filled in`;
      return [
        { name, value: filled, unit: "ms", budget: { atMost: 2_000 } },
        {
          name: "of them lost",
          value: countMissing(shown, saidBefore + missed),
          unit: "messages",
          budget: { atMost: 0 },
        },
      ];
    } finally {
      await network.stop();
    }
  },
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
