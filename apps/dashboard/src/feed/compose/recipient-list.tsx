import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import { cn } from "@/core/utils";
import { TeamBar } from "@/sessions/team-mark";
import type { Recipient } from "./recipients";
import { toOptionId } from "./use-active-option";

export interface RecipientListProps {
  readonly id: string;
  readonly label: string;
  readonly recipients: readonly Recipient[];
  /** Index of the recipient selected with the arrow keys. */
  readonly active: number;
  /** Values of the recipients that are already chosen. */
  readonly chosen: readonly string[];
  readonly onPick: (recipient: Recipient) => void;
}

/**
 * A list of recipients to choose from. Focus stays in the text field, which points to the active option by the id that
 * `toOptionId` returns.
 */
export function RecipientList({ id, label, recipients, active, chosen, onPick }: RecipientListProps) {
  return (
    <div
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={label}
      aria-multiselectable
      className="max-h-64 overflow-y-auto p-1"
    >
      {recipients.map((recipient, index) => (
        <RecipientOption
          key={recipient.value}
          id={toOptionId(id, index)}
          recipient={recipient}
          isActive={index === active}
          isSelected={chosen.includes(recipient.value)}
          onPick={() => onPick(recipient)}
        />
      ))}
    </div>
  );
}

interface RecipientOptionProps {
  readonly id: string;
  readonly recipient: Recipient;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onPick: () => void;
}

function RecipientOption({ id, recipient, isActive, isSelected, onPick }: RecipientOptionProps) {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field beside the list has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the field beside the list keeps the focus.
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isSelected}
      // Keeps the focus in the text field when the user clicks an option.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={cn(
        "flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 pointer-coarse:min-h-11",
        isActive ? "bg-raised" : "hover:bg-surface",
      )}
    >
      {recipient.colour === null ? (
        <span aria-hidden className="w-[3px]" />
      ) : (
        <TeamBar colour={recipient.colour} className="h-4" />
      )}
      <span dir="auto" className="truncate">
        {recipient.label}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm text-muted-foreground">{recipient.note}</span>
      {isSelected && <Check aria-hidden className="size-4 shrink-0 text-link" />}
    </div>
  );
}
