"use client";

import { useEffect, useState } from "react";

const settledAfterMs = 150;

/** Returns a value once it has not changed for a moment, so that not every keystroke causes a request. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
