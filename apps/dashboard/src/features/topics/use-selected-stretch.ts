import { type RefObject, useEffect, useState } from "react";
import type { PagePlaces, SelectedStretch } from "@/text/anchors/page-places";

export interface TextSelection {
  readonly stretch: SelectedStretch;
  /** The selection as a DOM range. */
  readonly range: Range;
}

/** Returns the selection in the document, made with mouse, touch or keyboard. Null while a mouse is still selecting. */
export function useSelectedStretch(
  root: RefObject<HTMLElement | null>,
  places: PagePlaces | null,
): TextSelection | null {
  const [selected, setSelected] = useState<TextSelection | null>(null);
  useEffect(() => {
    let isDragging = false;

    function look(): void {
      const element = root.current;
      const selection = document.getSelection();
      if (
        isDragging ||
        !element ||
        !places ||
        !selection ||
        selection.isCollapsed ||
        selection.rangeCount === 0
      ) {
        setSelected(null);
        return;
      }
      const range = selection.getRangeAt(0);
      const stretch = range.intersectsNode(element) ? places.toSource(range) : null;
      setSelected(stretch && { stretch, range: range.cloneRange() });
    }
    function press(event: PointerEvent): void {
      // Pressing the button that is offered for the selection must not end the selection.
      if (event.pointerType === "mouse" && event.target instanceof Node) {
        isDragging = root.current?.contains(event.target) ?? false;
      }
    }
    function release(): void {
      isDragging = false;
      look();
    }

    // Something may have been selected before this component mounted.
    look();
    document.addEventListener("selectionchange", look);
    document.addEventListener("pointerdown", press);
    document.addEventListener("pointerup", release);
    document.addEventListener("pointercancel", release);
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("pointerup", release);
      document.removeEventListener("pointercancel", release);
    };
  }, [root, places]);
  return selected;
}
