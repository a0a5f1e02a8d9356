"use client";

import { useEffect, useState } from "react";

const settledAfterMs = 150;

/** Returns a value once it has not changed for a moment, so that not every keystroke causes a request. */
export function useSettled<T>(value: T): T {
  const [settledValue, setSettledValue] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettledValue(value), settledAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settledValue;
}
