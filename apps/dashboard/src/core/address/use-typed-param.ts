"use client";

import { useCallback, useEffect, useState } from "react";
import { TypedText } from "./typed-text";
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
  const [field] = useState(() => new TypedText(value));

  useEffect(() => {
    if (field.receive(value)) setText(value);
  }, [field, value]);

  const write = useCallback(() => {
    const unwritten = field.takeUnwritten();
    if (unwritten !== null) setParam(unwritten, { replace: true });
  }, [field, setParam]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the text starts the pause again.
  useEffect(() => {
    const timer = setTimeout(write, pauseMs);
    return () => clearTimeout(timer);
  }, [text, write]);

  const type = useCallback(
    (next: string) => {
      field.type(next);
      setText(next);
    },
    [field],
  );
  return [value, text, type, write];
}
