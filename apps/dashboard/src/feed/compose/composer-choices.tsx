import { cn } from "@/core/utils";
import { Select } from "@/ui/select";
import type { Draft, DraftKind, DraftPriority } from "./draft";
import { RecipientPicker } from "./recipient-picker";
import type { Recipient } from "./recipients";

export interface ComposerChoicesProps {
  readonly draft: Draft;
  readonly recipients: readonly Recipient[];
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The draft's recipients, message kind and priority. */
export function ComposerChoices({ draft, recipients, onChange }: ComposerChoicesProps) {
  const answers = draft.quoted?.answers === true;
  return (
    // On a phone the choices take space from the feed. They appear only while the composer has focus, or once the user has
    // changed one.
    <div
      className={cn(
        "flex flex-wrap items-center gap-2",
        isUnchosen(draft) && "max-md:hidden max-md:group-focus-within/composer:flex",
      )}
    >
      <RecipientPicker recipients={recipients} to={draft.to} onChange={(to) => onChange({ to })} />
      {!answers && (
        <Select
          aria-label="Kind of message"
          className="h-7 text-sm font-medium"
          value={draft.kind}
          onChange={(kind) => onChange({ kind })}
          options={kinds}
        />
      )}
      <Select
        aria-label="Priority"
        className="h-7 text-sm font-medium"
        value={draft.priority}
        title="Urgent messages get through “do not disturb”. Low-priority messages wake no one."
        onChange={(priority) => onChange({ priority })}
        options={priorities}
      />
    </div>
  );
}

function isUnchosen({ to, kind, priority }: Draft): boolean {
  return to.length === 0 && kind === "message" && priority === "next";
}

const kinds: readonly (readonly [DraftKind, string])[] = [
  ["message", "Message"],
  ["ask", "Ask"],
  ["decision", "Decision"],
];
const priorities: readonly (readonly [DraftPriority, string])[] = [
  ["next", "Normal"],
  ["now", "Urgent"],
  ["low", "Low"],
];
