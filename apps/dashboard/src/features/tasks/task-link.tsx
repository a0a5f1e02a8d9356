"use client";

import type { ComponentProps, MouseEvent } from "react";

interface TaskLinkProps extends Omit<ComponentProps<"a">, "href" | "aria-current" | "onClick" | "onSelect"> {
  readonly task: number;
  readonly isSelected: boolean;
  readonly onSelect: (task: number) => void;
}

/** Opens a task over the page. A link, so that the task can also be opened in another tab. */
export function TaskLink({ task, isSelected, onSelect, ...props }: TaskLinkProps) {
  function open(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onSelect(task);
  }
  return <a href={`?task=${task}`} aria-current={isSelected || undefined} onClick={open} {...props} />;
}
