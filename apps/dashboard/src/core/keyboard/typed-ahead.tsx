"use client";

import { useLayoutEffect } from "react";

export interface TypedAhead {
  text: string;
  isEntered: boolean;
}

/** Stores the keys typed while the command palette loads. */
export function TypedAheadCatcher({ typed }: { readonly typed: TypedAhead }) {
  useLayoutEffect(() => {
    function record(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key.length === 1) typed.text += event.key;
      else if (event.key === "Backspace") typed.text = typed.text.slice(0, -1);
      else if (event.key === "Enter") typed.isEntered = true;
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    window.addEventListener("keydown", record, { capture: true });
    return () => window.removeEventListener("keydown", record, { capture: true });
  }, [typed]);
  return null;
}
