import { findTrail, restoreFocus } from "./focus-trail";

/** Time within which a closing component restores the focus itself. */
const graceMs = 100;

/**
 * Restores the focus when the focused element is removed, hidden or temporarily disabled, so that the next key works
 * from the same position. Returns a function that stops this.
 */
export function keepFocus(page: Document): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  /** The focused element and its ancestors, innermost first. Empty after the user has moved the focus away. */
  let trail: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isLost = () =>
    page.activeElement === page.body && trail[0] !== undefined && !isDisabled(trail[0]) && page.hasFocus();

  page.addEventListener(
    "focusin",
    ({ target }) => {
      trail = findTrail(target);
    },
    { signal },
  );
  page.addEventListener(
    "focusout",
    ({ target }) => {
      // Some browsers fire `focusout` while an element is being removed or disabled. Only afterwards can this code see whether
      // the user moved the focus.
      queueMicrotask(() => {
        const [lastFocused] = trail;
        if (lastFocused !== target || !page.hasFocus()) return;
        if (lastFocused?.isConnected && lastFocused.checkVisibility() && !isDisabled(lastFocused)) trail = [];
        else checkFocus();
      });
    },
    { signal },
  );
  const observer = new MutationObserver(checkFocus);
  observer.observe(page.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });

  function checkFocus(): void {
    if (timer !== undefined || !isLost()) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isLost()) restoreFocus(trail);
    }, graceMs);
  }

  return () => {
    controller.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}

/**
 * True if the element is disabled, for example a button while its action runs. A disabled element loses the focus, and
 * gets it back when it is enabled again.
 */
function isDisabled(element: Element): boolean {
  return element.isConnected && element.matches(":disabled");
}
