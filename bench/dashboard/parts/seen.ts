import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { percentile } from "../../statistics.js";
import type { DashboardPart, LiveBroker } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { openWatched, readFigures, untilRowShown } from "../watched-page.js";

const saidBefore = 50;
/**
 * Minimum pause between two messages. No one writes faster, and the page renders a stream of messages only eight times
 * a second.
 */
const pauseMsMin = 250;
const pauseMsMax = 500;

/** The time from sending a message in one browser until another browser shows it. */
export const seen: DashboardPart = {
  name: "seen",
  limitMs: 240_000,
  async measure({ broker, browser, quick, reportStep: doing }) {
    const posts = quick ? 50 : 200;
    const { slug, last } = await stageFeed(broker, "Posted and seen", saidBefore);
    const address = `${broker.url}/sessions/${slug}`;
    const [writer, reader] = [await openWatched(browser, address), await openWatched(browser, address)];
    await storePerson(writer, broker);
    await Promise.all([untilRowShown(writer, last), untilRowShown(reader, last)]);
    const field = writer.getByRole("textbox", { name: "Message" });
    // The person joins with their first message, which adds a join message.
    const first = last + 2;
    doing(`posting ${posts} messages, one after the other`);
    for (let post = 0; post <= posts; post += 1) {
      await field.fill(`Word ${post}`);
      await field.press("Enter");
      await untilRowShown(reader, first + post);
      await setTimeout(pauseMsMin + (pauseMsMax - pauseMsMin) * Math.random());
    }
    const sentAt = await writer.evaluate(() =>
      Object(window).sentAt.map((at: number) => at + performance.timeOrigin),
    );
    const { rowsAt } = await readFigures(reader);
    const origin = await reader.evaluate(() => performance.timeOrigin);
    const delays = Array.from(
      { length: posts },
      (_, post) => origin + (rowsAt[first + post + 1] ?? Number.NaN) - sentAt[post + 1],
    );
    const common = { unit: "ms", isRequired: true, against: "socket" } as const;
    const name = "Enter in one browser until seen in another";
    return [
      { ...common, name: `${name}, p50`, value: percentile(delays, 0.5), budget: { atMost: 150 } },
      { ...common, name: `${name}, p95`, value: percentile(delays, 0.95), budget: { atMost: 500 } },
    ];
  },
};

/** Stores a person in the page's browser, and records when Enter is pressed. */
async function storePerson(page: Page, { client }: LiveBroker): Promise<void> {
  const { person_id } = await client.call("create_person", { name: "Ana" });
  const person = JSON.stringify({ id: person_id.split(".")[0], name: "Ana", credential: person_id });
  await page.evaluate((text) => localStorage.setItem("merkle.person", text), person);
  await page.reload();
  await page.evaluate(() => {
    const sentAt: number[] = [];
    Object.assign(window, { sentAt });
    document.addEventListener(
      "keydown",
      ({ key }) => key === "Enter" && sentAt.push(performance.now()),
      true,
    );
  });
}
