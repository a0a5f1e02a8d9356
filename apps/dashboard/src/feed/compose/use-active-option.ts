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
  readonly tabPicks?: boolean;
}

/** Tracks the option selected with the arrow keys while a text field keeps the focus. */
export function useActiveOption({
  count,
  text,
  onPick,
  onClose,
  tabPicks = false,
}: ActiveOptionInput): ActiveOption {
  const [place, setPlace] = useState({ text, index: 0 });
  const active = place.text === text ? Math.min(place.index, Math.max(0, count - 1)) : 0;

  function handleKey(event: KeyboardEvent): boolean {
    if (event.nativeEvent.isComposing) return false;
    if (event.key === "Escape") onClose();
    else if (count === 0) return false;
    else if (event.key === "ArrowDown") setPlace({ text, index: (active + 1) % count });
    else if (event.key === "ArrowUp") setPlace({ text, index: (active + count - 1) % count });
    else if (event.key === "Enter" || (tabPicks && event.key === "Tab" && !event.shiftKey)) onPick(active);
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
