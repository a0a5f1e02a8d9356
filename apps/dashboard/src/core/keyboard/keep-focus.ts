import { giveFocusBack, trailOf } from "./focus-trail";

/** A component that closes gives the focus back itself within this time. */
const graceMs = 100;

/**
 * Gives the focus back when what had it is taken out of sight (a row that goes, a button that becomes another one, a page that is
 * left, a pane that is folded), or was switched off for a while, so that the next key goes on from there.
 */
export function keepFocus(page: Document): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  /** The focused element and its ancestors, from the inside out; empty after the person left it. */
  let trail: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isLost = () =>
    page.activeElement === page.body && trail[0] !== undefined && !isOff(trail[0]) && page.hasFocus();

  page.addEventListener(
    "focusin",
    ({ target }) => {
      trail = trailOf(target);
    },
    { signal },
  );
  page.addEventListener(
    "focusout",
    ({ target }) => {
      // Some browsers tell it of what is just being removed or switched off; only after that it is seen whether somebody left it.
      queueMicrotask(() => {
        const [left] = trail;
        if (left !== target || !page.hasFocus()) return;
        if (left?.isConnected && left.checkVisibility() && !isOff(left)) trail = [];
        else look();
      });
    },
    { signal },
  );
  const observer = new MutationObserver(look);
  observer.observe(page.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });

  function look(): void {
    if (timer !== undefined || !isLost()) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isLost()) giveFocusBack(trail);
    }, graceMs);
  }

  return () => {
    listening.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}

/** A button that waits for an answer cannot keep the focus, but is there to get it back. */
function isOff(element: Element): boolean {
  return element.isConnected && element.matches(":disabled");
}
