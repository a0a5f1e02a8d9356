"use client";

import { useEffect, useRef, useState } from "react";
import { useQueryParam } from "./use-query-param";

/** Time without typing after which the URL changes, in milliseconds. */
const pauseMs = 200;

/**
 * Binds a text field to a URL parameter: returns the parameter's value, the typed text, and the change handler. Typing
 * replaces the history entry after a pause. If the URL changes for another reason, the field shows the new value.
 */
export function useTypedParam(name: string): [value: string, typed: string, type: (text: string) => void] {
  const [param, setParam] = useQueryParam(name);
  const value = param ?? "";
  const [typed, setTyped] = useState(value);
  const written = useRef(value);

  useEffect(() => {
    // The value may be one that this field wrote to the URL before the user typed more.
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
