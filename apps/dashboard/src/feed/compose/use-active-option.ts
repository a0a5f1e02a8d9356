import { type KeyboardEvent, useState } from "react";

export interface ActiveOption {
  readonly active: number;
  /** Handles a key pressed in the text field. Returns true if the key was for the list. */
  handleKey(event: KeyboardEvent): boolean;
}

export interface ActiveOptionInput {
  readonly count: number;
  /** The text that the list is filtered by. When the text changes, the first option is selected again. */
  readonly text: string;
  readonly onPick: (index: number) => void;
  readonly onClose: () => void;
  /** Whether Tab also picks the active option. */
  readonly canTabPick?: boolean;
}

/** Tracks the option selected with the arrow keys while a text field keeps the focus. */
export function useActiveOption({
  count,
  text,
  onPick,
  onClose,
  canTabPick = false,
}: ActiveOptionInput): ActiveOption {
  const [position, setPosition] = useState({ text, index: 0 });
  const active = position.text === text ? Math.min(position.index, Math.max(0, count - 1)) : 0;

  function handleKey(event: KeyboardEvent): boolean {
    if (event.nativeEvent.isComposing) return false;
    if (event.key === "Escape") onClose();
    else if (count === 0) return false;
    else if (event.key === "ArrowDown") setPosition({ text, index: (active + 1) % count });
    else if (event.key === "ArrowUp") setPosition({ text, index: (active + count - 1) % count });
    else if (event.key === "Enter" || (canTabPick && event.key === "Tab" && !event.shiftKey)) onPick(active);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  return { active, handleKey };
}

/** Returns the DOM id of an option, for `aria-activedescendant` of the field. */
export function toOptionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}
