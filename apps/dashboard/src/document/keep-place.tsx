import { Component, type ReactNode, type RefObject } from "react";
import type { Revision } from "@/sessions/source";

interface KeepPlaceProps {
  /** The element that is scrolled. */
  readonly scroller: RefObject<HTMLElement | null>;
  /** Changes whenever the content does, which may move the reader's place. */
  readonly version: Revision;
  readonly children: ReactNode;
}

interface Place {
  readonly key: string;
  readonly top: number;
}

/**
 * Keeps what one reads where it is while parts above it come, go and grow: the first part in view stays at its height. Parts
 * are the elements with `data-part`. Only a class is asked by React before it changes the page.
 */
export class KeepPlace extends Component<KeepPlaceProps> {
  override getSnapshotBeforeUpdate(before: KeepPlaceProps): readonly Place[] {
    const scroller = this.props.scroller.current;
    if (before.version === this.props.version || !scroller || scroller.scrollTop === 0) return [];
    const { top, bottom } = scroller.getBoundingClientRect();
    // All parts in view, in order. If the first is gone afterwards, the next one is kept in place.
    return [...scroller.querySelectorAll<HTMLElement>("[data-part]")].flatMap((part) => {
      const box = part.getBoundingClientRect();
      const inView = box.bottom > top && box.top < bottom;
      return inView && part.dataset["part"] ? [{ key: part.dataset["part"], top: box.top }] : [];
    });
  }

  override componentDidUpdate(_before: KeepPlaceProps, _state: unknown, places: readonly Place[]): void {
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
