import { cn } from "@/core/utils";
import { NativeSelect } from "@/ui/native-select";
import type { Draft, DraftKind, DraftPriority } from "./draft";
import { RecipientPicker } from "./recipient-picker";
import type { Recipient } from "./recipients";

export interface ComposerChoicesProps {
  readonly draft: Draft;
  readonly recipients: readonly Recipient[];
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The recipients of a draft, the kind of message that it is, and how much it may interrupt. */
export function ComposerChoices({ draft, recipients, onChange }: ComposerChoicesProps) {
  const answers = draft.quoted?.answers === true;
  return (
    // On a phone the choices take room from the feed, so they come with the keyboard, or when one of them was made.
    <div
      className={cn(
        "flex flex-wrap items-center gap-2",
        isUnchosen(draft) && "max-md:hidden max-md:group-focus-within/composer:flex",
      )}
    >
      <RecipientPicker recipients={recipients} to={draft.to} onChange={(to) => onChange({ to })} />
      {!answers && (
        <NativeSelect
          aria-label="Kind of message"
          className="h-7 text-sm font-medium"
          value={draft.kind}
          onChange={(event) => onChange({ kind: toOne(kinds, event.target.value) })}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindWords[kind]}
            </option>
          ))}
        </NativeSelect>
      )}
      <NativeSelect
        aria-label="Priority"
        className="h-7 text-sm font-medium"
        value={draft.priority}
        title="Urgent messages get through “do not disturb”. Low-priority messages wake no one."
        onChange={(event) => onChange({ priority: toOne(priorities, event.target.value) })}
      >
        {priorities.map((priority) => (
          <option key={priority} value={priority}>
            {priorityWords[priority]}
          </option>
        ))}
      </NativeSelect>
    </div>
  );
}

function isUnchosen({ to, kind, priority }: Draft): boolean {
  return to.length === 0 && kind === "message" && priority === "next";
}

const kinds = ["message", "ask", "decision"] as const satisfies readonly DraftKind[];
const kindWords: Record<DraftKind, string> = { message: "Message", ask: "Ask", decision: "Decision" };
const priorities = ["next", "now", "low"] as const satisfies readonly DraftPriority[];
const priorityWords: Record<DraftPriority, string> = {
  next: "Normal",
  now: "Urgent",
  low: "Low",
};

/** Returns the option that a select gave back; the first, should a browser give back something else. */
function toOne<T extends string>(values: readonly [T, ...T[]], chosen: string): T {
  return values.find((value) => value === chosen) ?? values[0];
}
