const focusable = "button:enabled, a[href], summary, [tabindex='0']";

/** Returns an element and its ancestors, innermost first. */
export function findTrail(target: EventTarget | null): readonly Element[] {
  const trail: Element[] = [];
  for (let at = target instanceof Element ? target : null; at; at = at.parentElement) trail.push(at);
  return trail;
}

/**
 * Focuses the first element of the trail. If it no longer exists, focuses the nearest control that is not a text field, or else
 * the content of the page.
 */
export function restoreFocus(trail: readonly Element[]): void {
  const [first] = trail;
  const isFirstVisible = first !== document.body && first?.isConnected && first.checkVisibility();
  const target = isFirstVisible ? first : (findFocusableNear(trail) ?? document.getElementById("content"));
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}

/** Returns the first focusable element in the nearest ancestor that still exists. */
function findFocusableNear(trail: readonly Element[]): Element | undefined {
  for (const part of trail) {
    if (part === document.body || part.id === "content") return undefined;
    if (!part.isConnected) continue;
    const control = [part, ...part.querySelectorAll(focusable)].find(
      (element) => element.matches(focusable) && element.checkVisibility(),
    );
    if (control) return control;
  }
  return undefined;
}
