import type { Page } from "playwright-core";
import { median } from "../../statistics.js";
import type { DashboardPart } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { traceTasks } from "../tasks.js";
import { openWatched, untilRowShown, untilSettled } from "../watched-page.js";

const rounds = 3;
const plainRows = 3_000;
const turns = 150;
const turnPx = 300;
const turnEveryMs = 16;

/**
 * Scrolling a session of 4,000 messages with real wheel events, alternating with a page that has a plain list and no
 * script.
 */
export const wheel: DashboardPart = {
  name: "wheel",
  limitMs: 420_000,
  async measure({ broker, browser, quick, reportStep: doing }) {
    const messages = quick ? 1_000 : 4_000;
    doing(`posting ${messages} messages`);
    const { slug, last } = await stageFeed(broker, "Wheel", messages);
    const plain = await openWatched(browser, "about:blank");
    await plain.setContent(plainList());
    const feed = await openWatched(browser, `${broker.url}/sessions/${slug}`);
    await untilRowShown(feed, last);
    await untilSettled(feed);

    const plainFps: number[] = [];
    const feedFps: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      doing(`turning the wheel ${turns} times each way, round ${round} of ${rounds}`);
      for (const px of [turnPx, -turnPx]) plainFps.push(await turnWheel(plain, px));
      for (const px of [-turnPx, turnPx]) feedFps.push(await turnWheel(feed, px));
    }
    await plain.context().close();
    doing("turning it once more, with the tasks written down");
    const [, { processorMs }] = await traceTasks(feed, async () => {
      for (const px of [-turnPx, turnPx]) await turnWheel(feed, px);
    });
    const name = `a wheel in ${messages} messages`;
    return [
      {
        name: `${name}: frames, of those of ${plainRows} plain rows in the same run, median of ${rounds * 2}`,
        value: median(feedFps) / median(plainFps),
        unit: "",
        budget: { atLeast: 0.85 },
        isRequired: true,
      },
      {
        name: `${name}: longest task, processor's time`,
        value: Math.max(0, ...processorMs),
        unit: "ms",
        budget: { atMost: 50 },
        isRequired: true,
      },
      { name: `${name}`, value: median(feedFps), unit: "fps", budget: null },
      { name: `a wheel in ${plainRows} plain rows`, value: median(plainFps), unit: "fps", budget: null },
    ];
  },
};

/** Resolves with the frames per second during the scrolling. */
async function turnWheel(page: Page, px: number): Promise<number> {
  await page.bringToFront();
  await page.mouse.move(500, 500);
  await page.evaluate(() => {
    const drawn = { frames: 0, from: performance.now(), isOn: true };
    Object.assign(window, { drawn });
    function count(): void {
      drawn.frames += 1;
      if (drawn.isOn) requestAnimationFrame(count);
    }
    requestAnimationFrame(count);
  });
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, px);
    await new Promise((resolve) => setTimeout(resolve, turnEveryMs));
  }
  return page.evaluate(() => {
    const { drawn } = Object(window);
    drawn.isOn = false;
    return Number(drawn.frames) / ((performance.now() - drawn.from) / 1_000);
  });
}

function plainList(): string {
  const rows = Array.from(
    { length: plainRows },
    (_, row) =>
      `<article><p><b>Atlas</b> to everyone</p><p>${row}: what is said in a row, as long as a message is.</p></article>`,
  );
  return `<!doctype html><title>Plain</title><div style="height: 850px; overflow-y: auto">${rows.join("")}</div>`;
}
