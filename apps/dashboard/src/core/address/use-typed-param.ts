"use client";

import { useEffect, useRef, useState } from "react";
import { useQueryParam } from "./use-query-param";

/** The pause in typing after which the address changes. */
const pauseMs = 200;

/**
 * A parameter of the address that is typed: its value, what stands in the field, and how the field changes it. The address
 * follows when the typing pauses, and is changed in place; what changes it from elsewhere changes the field.
 */
export function useTypedParam(name: string): [value: string, typed: string, type: (text: string) => void] {
  const [param, setParam] = useQueryParam(name);
  const value = param ?? "";
  const [typed, setTyped] = useState(value);
  const written = useRef(value);

  useEffect(() => {
    // A value that was written from here may come back after the next letter is typed.
    if (value === written.current) return;
    written.current = value;
    setTyped(value);
  }, [value]);

  useEffect(() => {
    if (typed === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed;
      setParam(typed, { replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, setParam]);

  return [value, typed, setTyped];
}
