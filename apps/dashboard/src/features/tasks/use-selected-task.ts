import { useEffect, useRef } from "react";
import { useQueryParam } from "@/core/address/use-query-param";
import { findTaskElement } from "./use-task-moves";

/**
 * Returns the task that the URL names, and a function that opens another one or, with null, closes it. Opening adds a history
 * entry, so that Back closes the task. The focus then returns to the task on the page.
 */
export function useSelectedTask(): {
  readonly selected: number | null;
  readonly select: (task: number | null) => void;
} {
  const [param, setParam] = useQueryParam("task");
  const selected = /^[1-9]\d{0,8}$/.test(param ?? "") ? Number(param) : null;
  const hasEntry = useRef(false);
  const last = useRef<number | null>(null);

  useEffect(() => {
    if (selected === null) {
      hasEntry.current = false;
      if (last.current !== null) findTaskElement(last.current)?.focus();
    }
    last.current = selected;
  }, [selected]);

  function select(task: number | null): void {
    if (task !== null) {
      if (selected === null) hasEntry.current = true;
      setParam(String(task), { replace: selected !== null });
    } else if (hasEntry.current) {
      hasEntry.current = false;
      window.history.back();
    } else setParam(null, { replace: true });
  }

  return { selected, select };
}
