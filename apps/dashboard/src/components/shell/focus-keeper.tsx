"use client";

import { useEffect } from "react";
import { keepFocus } from "@/lib/focus/keep-focus";

/** Sees to it that the focus is never lost, on whatever page. */
export function FocusKeeper() {
  useEffect(() => keepFocus(document), []);
  return null;
}
