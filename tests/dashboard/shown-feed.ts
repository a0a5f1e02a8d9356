import type { Page } from "playwright-core";

/** A row of the feed as shown in the page. */
export interface ShownRow {
  /** Sequence of the message. For a folded run of messages, the sequence of the first. */
  readonly sequence: number;
  readonly text: string;
}

/** The text above a feed's first message, once all earlier messages are loaded. */
export const feedStartText = "Start of session";

/**
 * Reads the whole feed by scrolling through it from the beginning.
 *
 * @throws Error if rows are out of order, or if a row's text changes during the read
 */
export async function readShownFeed(page: Page): Promise<ShownRow[]> {
  const feed = page.getByRole("feed");
  await feed.evaluate(async (scroller, startText) => {
    while (!scroller.textContent?.includes(startText) || scroller.scrollTop > 0) {
      scroller.scrollTop = 0;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, feedStartText);
  return feed.evaluate(async (scroller) => {
    const rows = new Map<number, string>();
    for (let isAtEnd = false; !isAtEnd; scroller.scrollTop += scroller.clientHeight / 2) {
      // New rows are rendered in the next frame and measured in the frame after that.
      for (let frame = 0; frame < 3; frame += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      isAtEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
      let before = 0;
      for (const article of scroller.querySelectorAll<HTMLElement>("article[data-sequence]")) {
        const sequence = Number(article.dataset["sequence"]);
        const text = article.textContent ?? "";
        if (sequence <= before) throw new Error(`#${sequence} stands below #${before}.`);
        if ((rows.get(sequence) ?? text) !== text) throw new Error(`#${sequence} has become: ${text}`);
        rows.set(sequence, text);
        before = sequence;
      }
    }
    return [...rows].sort(([one], [other]) => one - other).map(([sequence, text]) => ({ sequence, text }));
  });
}

/** Returns a message's position on the screen, and the feed's scroll offset. */
export function placeOf(page: Page, sequence: number): Promise<{ top: number; scrolled: number }> {
  return page.locator(`article[data-sequence="${sequence}"]`).evaluate((article) => ({
    top: Math.round(article.getBoundingClientRect().top),
    scrolled: Math.round(article.closest("[role=feed]")?.scrollTop ?? -1),
  }));
}
