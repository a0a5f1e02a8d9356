"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useQueryParam } from "./use-query-param";

/** Time without typing after which the URL changes, in milliseconds. */
const pauseMs = 200;

/**
 * Binds a text field to a URL parameter: returns the parameter's value, the typed text, the change handler, and a function
 * that writes the text at once. Typing replaces the history entry after a pause. If the URL changes for another reason, the
 * field shows the new value. A field beside links writes its text when it loses the focus, because a change of the URL while
 * a link opens would cancel that.
 */
export function useTypedParam(
  name: string,
): [value: string, typed: string, type: (text: string) => void, write: () => void] {
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

  const write = useCallback(() => {
    if (text === lastWritten.current) return;
    lastWritten.current = text;
    setParam(text, { replace: true });
  }, [text, setParam]);

  useEffect(() => {
    const timer = setTimeout(write, pauseMs);
    return () => clearTimeout(timer);
  }, [write]);

  return [value, text, setText, write];
}
