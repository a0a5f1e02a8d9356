import type { Page } from "playwright-core";
import type { DashboardPart } from "../measurement.js";
import { compareRows } from "../shown-rows.js";
import { type StagedFeed, stageFeed } from "../staged-feed.js";
import { openWatched, readFigures, resetFigures, untilRowShown } from "../watched-page.js";

const perSecond = 50;
const seconds = 10;
const saidBefore = 60;
const readFrom = 30;

/** Posts 50 messages a second for 10 s. One page follows them, while another shows earlier messages. */
export const burst: DashboardPart = {
  name: "burst",
  limitMs: 180_000,
  async measure({ broker, browser, reportStep: doing }) {
    const feed = await stageFeed(broker, "Burst", saidBefore);
    const address = `${broker.url}/sessions/${feed.slug}`;
    const following = await openWatched(browser, address);
    const reading = await openWatched(browser, `${address}?m=${readFrom}`);
    await Promise.all([untilRowShown(following, feed.last), untilRowShown(reading, readFrom)]);
    await resetFigures(following);
    await watchShift(reading, readFrom);

    doing(`posting ${perSecond} messages a second`);
    const begunAt = performance.now();
    await following.bringToFront();
    await countFrames(following);
    const posted = await postForAWhile(feed, begunAt);
    const fps = await following.evaluate(() => Number(Object(window).framesPerSecond()));
    await untilRowShown(following, Math.max(...posted.keys()));
    const tookSeconds = (performance.now() - begunAt) / 1_000;
    const { renders } = await readFigures(following);
    const shift = await reading.evaluate(() => Number(Object(window).shiftMax));
    doing("reading what is there");
    const { lost, doubled } = await compareRows(following, posted);
    const none = { budget: { atMost: 0 }, isRequired: true } as const;
    return [
      {
        name: `${perSecond} messages/s for ${seconds} s: renders`,
        value: renders / tookSeconds,
        unit: "renders/s",
        budget: { atMost: 10 },
        isRequired: true,
      },
      {
        name: "frames of the page that follows",
        value: fps,
        unit: "fps",
        budget: { atLeast: 50 },
        isRequired: true,
        against: "scroll",
      },
      { ...none, name: "lost", value: lost, unit: "messages" },
      { ...none, name: "doubled", value: doubled, unit: "messages" },
      { ...none, name: "moved while one reads further up", value: shift, unit: "px" },
    ];
  },
};

/** @returns the text of each post, by sequence */
async function postForAWhile({ post: say }: StagedFeed, begunAt: number): Promise<Map<number, string>> {
  const sent: Promise<readonly [number, string]>[] = [];
  async function sayNext(): Promise<readonly [number, string]> {
    const text = `burst ${sent.length}`;
    return [await say(text), text];
  }
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(perSecond * seconds, ((performance.now() - begunAt) / 1_000) * perSecond);
      while (sent.length < due) sent.push(sayNext());
      if (sent.length < perSecond * seconds) return;
      clearInterval(timer);
      resolve();
    }, 10);
  });
  return new Map(await Promise.all(sent));
}

/** Counts the frames of a page, and lets the page report its frames per second. */
function countFrames(page: Page): Promise<void> {
  return page.evaluate(() => {
    const from = performance.now();
    let frames = 0;
    (function count(): void {
      frames += 1;
      requestAnimationFrame(count);
    })();
    Object.assign(window, { framesPerSecond: () => frames / ((performance.now() - from) / 1_000) });
  });
}

/** On every frame, records how far a row has moved from its original position. */
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
