const focusable = "button:enabled, a[href], summary, [tabindex='0']";

/** An element and its ancestors, from the inside out. */
export function trailOf(target: EventTarget | null): readonly Element[] {
  const trail: Element[] = [];
  for (let at = target instanceof Element ? target : null; at; at = at.parentElement) trail.push(at);
  return trail;
}

/**
 * Focuses the element that the trail begins with; where that is gone, what stands nearest to its place and is no field; where
 * nothing does, the content of the page.
 */
export function giveFocusBack(trail: readonly Element[]): void {
  const [first] = trail;
  const keeps = first !== document.body && first?.isConnected && first.checkVisibility();
  const place = keeps ? first : (placeNear(trail) ?? document.getElementById("content"));
  if (place instanceof HTMLElement) place.focus({ preventScroll: true });
}

/** In the nearest part that is still there, the first thing that can be focused. */
function placeNear(trail: readonly Element[]): Element | undefined {
  for (const part of trail) {
    if (part === document.body || part.id === "content") return undefined;
    if (!part.isConnected) continue;
    const near = [part, ...part.querySelectorAll(focusable)].find(
      (element) => element.matches(focusable) && element.checkVisibility(),
    );
    if (near) return near;
  }
  return undefined;
}
