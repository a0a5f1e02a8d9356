import { type RefObject, useEffect, useState } from "react";
import type { PagePlaces, SelectedSourceRange } from "@/text/anchors/page-places";

export interface TextSelection {
  readonly sourceRange: SelectedSourceRange;
  /** The selection as a DOM range. */
  readonly range: Range;
}

/** Returns the selection in the document, made with mouse, touch or keyboard. Null while a mouse is still selecting. */
export function useTextSelection(
  root: RefObject<HTMLElement | null>,
  places: PagePlaces | null,
): TextSelection | null {
  const [textSelection, setTextSelection] = useState<TextSelection | null>(null);
  useEffect(() => {
    let isDragging = false;

    function updateSelection(): void {
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
        setTextSelection(null);
        return;
      }
      const range = selection.getRangeAt(0);
      const sourceRange = range.intersectsNode(element) ? places.toSource(range) : null;
      setTextSelection(sourceRange && { sourceRange, range: range.cloneRange() });
    }
    function press(event: PointerEvent): void {
      // Pressing the button that is offered for the selection must not end the selection.
      if (event.pointerType === "mouse" && event.target instanceof Node) {
        isDragging = root.current?.contains(event.target) ?? false;
      }
    }
    function release(): void {
      isDragging = false;
      updateSelection();
    }

    // Something may have been selected before this component mounted.
    updateSelection();
    document.addEventListener("selectionchange", updateSelection);
    document.addEventListener("pointerdown", press);
    document.addEventListener("pointerup", release);
    document.addEventListener("pointercancel", release);
    return () => {
      document.removeEventListener("selectionchange", updateSelection);
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("pointerup", release);
      document.removeEventListener("pointercancel", release);
    };
  }, [root, places]);
  return textSelection;
}
