import { Component, type ReactNode, type RefObject } from "react";
import type { Revision } from "@/sessions/source";

interface KeepPlaceProps {
  /** The scroll container. */
  readonly scroller: RefObject<HTMLElement | null>;
  /** Changes whenever the content changes, which may shift the reader's position. */
  readonly version: Revision;
  readonly children: ReactNode;
}

interface ReadingPosition {
  readonly key: string;
  readonly top: number;
}

/**
 * Keeps the scroll position stable while content above the reader changes: the first visible part stays in the same
 * place on the screen. Parts are the elements with `data-part`. This is a class because React has no hook that runs
 * before the DOM changes.
 */
export class KeepPlace extends Component<KeepPlaceProps> {
  override getSnapshotBeforeUpdate(before: KeepPlaceProps): readonly ReadingPosition[] {
    const scroller = this.props.scroller.current;
    if (before.version === this.props.version || !scroller || scroller.scrollTop === 0) return [];
    const { top, bottom } = scroller.getBoundingClientRect();
    // All visible parts, in order. If the first part no longer exists after the update, the next part keeps its
    // position.
    return [...scroller.querySelectorAll<HTMLElement>("[data-part]")].flatMap((part) => {
      const box = part.getBoundingClientRect();
      const isInView = box.bottom > top && box.top < bottom;
      return isInView && part.dataset["part"] ? [{ key: part.dataset["part"], top: box.top }] : [];
    });
  }

  override componentDidUpdate(
    _before: KeepPlaceProps,
    _state: unknown,
    places: readonly ReadingPosition[],
  ): void {
    const scroller = this.props.scroller.current;
    if (!scroller) return;
    for (const { key, top } of places) {
      const part = scroller.querySelector(`[data-part="${CSS.escape(key)}"]`);
      if (!part) continue;
      scroller.scrollTop += part.getBoundingClientRect().top - top;
      return;
    }
  }

  override render(): ReactNode {
    return this.props.children;
  }
}
