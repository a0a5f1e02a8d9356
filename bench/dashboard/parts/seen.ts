import type { Page } from "playwright-core";
import type { DashboardPart, LiveBroker } from "../measurement.js";
import { stageFeed } from "../staged-feed.js";
import { notedBy, openWatched, rowShown } from "../watched-page.js";

const saidBefore = 50;

/** How long after it was sent in one browser a message stands in another. */
export const seen: DashboardPart = {
  name: "seen",
  async measure({ broker, browser, quick }) {
    const posts = quick ? 50 : 200;
    const { slug } = await stageFeed(broker, "Posted and seen", saidBefore);
    const address = `${broker.url}/sessions/${slug}`;
    const [writer, reader] = [await openWatched(browser, address), await openWatched(browser, address)];
    await becomeAna(writer, broker);
    await Promise.all([rowShown(writer, saidBefore), rowShown(reader, saidBefore)]);
    const field = writer.getByRole("textbox", { name: "Message" });
    // With the first word the person joins, which is a message, too.
    const first = saidBefore + 2;
    for (let post = 0; post <= posts; post += 1) {
      await field.fill(`Word ${post}`);
      await field.press("Enter");
      await rowShown(reader, first + post);
    }
    const sentAt = await writer.evaluate(() =>
      Object(window).sentAt.map((at: number) => at + performance.timeOrigin),
    );
    const { rowsAt } = await notedBy(reader);
    const origin = await reader.evaluate(() => performance.timeOrigin);
    const delays = Array.from(
      { length: posts },
      (_, post) => origin + (rowsAt[first + post + 1] ?? Number.NaN) - sentAt[post + 1],
    ).sort((a, b) => a - b);
    await Promise.all([writer, reader].map((page) => page.context().close()));
    const at = (share: number) => delays[Math.floor((delays.length - 1) * share)] ?? Number.NaN;
    return [
      {
        name: "Enter in one browser until seen in another, p50",
        value: at(0.5),
        unit: "ms",
        budget: { atMost: 150 },
      },
      {
        name: "Enter in one browser until seen in another, p95",
        value: at(0.95),
        unit: "ms",
        budget: { atMost: 500 },
      },
    ];
  },
};

/** Makes a page that of a person, and has it note when Enter is pressed. */
async function becomeAna(page: Page, { client }: LiveBroker): Promise<void> {
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
