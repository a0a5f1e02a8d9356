"use client";

import { useEffect } from "react";
import { keepFocus } from "@/core/keyboard/keep-focus";

/** Keeps the focus on the page. */
export function FocusKeeper() {
  useEffect(() => keepFocus(document), []);
  return null;
}
