import type { Page } from "playwright-core";
import { readShownFeed } from "../../../tests/dashboard/shown-feed.js";
import type { DashboardPart } from "../measurement.js";
import { countMissing, stageFeed } from "../staged-feed.js";
import { notedBy, openWatched, rowShown, startNotingAnew } from "../watched-page.js";

const perSecond = 50;
const seconds = 10;
const saidBefore = 60;
const readFrom = 30;

/** 50 messages a second for 10 s: one page follows them, in another somebody reads further up. */
export const burst: DashboardPart = {
  name: "burst",
  async measure({ broker, browser }) {
    const { slug, say } = await stageFeed(broker, "Burst", saidBefore);
    const address = `${broker.url}/sessions/${slug}`;
    const following = await openWatched(browser, address);
    const reading = await openWatched(browser, `${address}?m=${readFrom}`);
    const last = saidBefore + perSecond * seconds;
    await Promise.all([rowShown(following, saidBefore), rowShown(reading, readFrom)]);
    await startNotingAnew(following);
    await watchShift(reading, readFrom);

    const begunAt = performance.now();
    const said: Promise<number>[] = [];
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(perSecond * seconds, ((performance.now() - begunAt) / 1_000) * perSecond);
        while (said.length < due) said.push(say(`burst ${said.length}`));
        if (said.length < perSecond * seconds) return;
        clearInterval(timer);
        resolve();
      }, 10);
    });
    await Promise.all(said);
    await rowShown(following, last);
    const tookSeconds = (performance.now() - begunAt) / 1_000;
    const { renders } = await notedBy(following);
    const shift = await reading.evaluate(() => Number(Object(window).shiftMax));
    const shown = (await readShownFeed(following)).map(({ sequence }) => sequence);
    await Promise.all([following, reading].map((page) => page.context().close()));
    return [
      {
        name: "50 messages/s for 10 s: renders",
        value: renders / tookSeconds,
        unit: "renders/s",
        budget: { atMost: 10 },
      },
      { name: "lost", value: countMissing(shown, last), unit: "messages", budget: { atMost: 0 } },
      { name: "doubled", value: shown.length - new Set(shown).size, unit: "messages", budget: { atMost: 0 } },
      { name: "moved while one reads further up", value: shift, unit: "px", budget: { atMost: 0 } },
    ];
  },
};

/** Notes with every frame how far a row is from where it stood. */
function watchShift(page: Page, sequence: number): Promise<void> {
  return page.locator(`article[data-sequence="${sequence}"]`).evaluate((article) => {
    const stood = article.getBoundingClientRect().top;
    let shiftMax = 0;
    function look(): void {
      shiftMax = Math.max(shiftMax, Math.abs(article.getBoundingClientRect().top - stood));
      Object.assign(window, { shiftMax });
      requestAnimationFrame(look);
    }
    look();
  });
}
