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
  const [text, setText] = useState(value);
  const lastWritten = useRef(value);

  useEffect(() => {
    // The value may be one that this field wrote to the URL before the user typed more.
    if (value === lastWritten.current) return;
    lastWritten.current = value;
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === lastWritten.current) return;
    const timer = setTimeout(() => {
      lastWritten.current = text;
      setParam(text, { replace: true });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, setParam]);

  return [value, text, setText];
}
