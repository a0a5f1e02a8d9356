"use client";

import { useEffect } from "react";
import { keepFocus } from "@/core/keyboard/keep-focus";

/** Restores the focus when the focused element disappears. */
export function FocusKeeper() {
  useEffect(() => keepFocus(document), []);
  return null;
}
