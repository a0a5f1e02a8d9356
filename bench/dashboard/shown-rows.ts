import type { Page } from "playwright-core";
import { feedStartText } from "../../tests/dashboard/shown-feed.js";

/** A comparison of the rows of a feed with the posted messages. */
export interface ShownRows {
  /** Number of posted messages that were not found in any row. */
  readonly lost: number;
  /** Number of messages that appeared in more than one row of the feed at once. */
  readonly doubled: number;
}

/**
 * Scrolls a feed to its beginning and then to its end, and compares its rows with the posted messages, by sequence and
 * text.
 *
 * @param said - the text of each post, by sequence. No two texts are the same
 */
export async function compareRows(page: Page, said: ReadonlyMap<number, string>): Promise<ShownRows> {
  const feed = page.getByRole("feed");
  return feed.evaluate(
    async (scroller, { expected, startText, limitMs }) => {
      const texts = new Map(expected);
      const seen = new Set<number>();
      const doubled = new Set<number>();
      const until = performance.now() + limitMs;
      function look(): void {
        const now = new Map<string, number>();
        for (const article of scroller.querySelectorAll<HTMLElement>("article[data-sequence]")) {
          const sequence = Number(article.dataset["sequence"]);
          const text = article.querySelector("[data-slot=markdown]")?.textContent ?? "";
          for (const name of [`#${sequence}`, text]) {
            if (name !== "" && now.has(name)) doubled.add(sequence);
            now.set(name, sequence);
          }
          if (texts.get(sequence) === text) seen.add(sequence);
        }
      }
      async function frames(count: number): Promise<void> {
        if (performance.now() > until)
          throw new Error(`The feed was not read through in time, at ${scroller.scrollTop} px.`);
        for (let frame = 0; frame < count; frame += 1) {
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      }
      while (!scroller.textContent?.includes(startText) || scroller.scrollTop > 0) {
        scroller.scrollTop = 0;
        await frames(1);
      }
      for (let isAtEnd = false; !isAtEnd; scroller.scrollTop += scroller.clientHeight / 2) {
        // New rows are rendered in the next frame, and measured in the frame after that.
        await frames(3);
        isAtEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
        look();
      }
      return { lost: texts.size - seen.size, doubled: doubled.size };
    },
    { expected: [...said], startText: feedStartText, limitMs: 60_000 },
  );
}
