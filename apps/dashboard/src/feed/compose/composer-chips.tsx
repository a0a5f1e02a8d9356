import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/ui/button";
import { kindLabels, type MessageDraft, priorityLabels } from "./draft";

export interface ComposerChipsProps {
  readonly draft: MessageDraft;
  /** Who gets the message if the draft names no recipients: `*`, or the author of the quoted message. */
  readonly defaultTo: string;
  readonly onChange: (change: Partial<MessageDraft>) => void;
}

/**
 * Everything about the draft that differs from a plain message to everyone: recipients, kind and priority. Each can be
 * removed. Without its recipient, a reply is for everyone.
 */
export function ComposerChips({ draft, defaultTo, onChange }: ComposerChipsProps) {
  const { to, kind, priority, quoted } = draft;
  const recipients = to.length > 0 || defaultTo === "*" ? to : [defaultTo];
  const showsKind = kind !== "message" && quoted?.answers !== true;
  if (recipients.length === 0 && !showsKind && priority === "next") return null;

  function remove(recipient: string): void {
    onChange({ to: to.length === 0 ? ["*"] : to.filter((other) => other !== recipient) });
  }

  return (
    <ul aria-label="Recipients, kind and priority" className="flex flex-wrap items-center gap-1.5 text-sm">
      {recipients.map((recipient) => {
        const name = recipient === "*" ? "everyone" : recipient;
        return (
          <Chip key={recipient} name={name} onRemove={() => remove(recipient)}>
            <span className="text-muted-foreground">To</span> <bdi className="truncate">{name}</bdi>
          </Chip>
        );
      })}
      {showsKind && (
        <Chip name={kindLabels[kind]} onRemove={() => onChange({ kind: "message" })}>
          {kindLabels[kind]}
        </Chip>
      )}
      {priority !== "next" && (
        <Chip name={priorityLabels[priority]} onRemove={() => onChange({ priority: "next" })}>
          {priorityLabels[priority]}
        </Chip>
      )}
    </ul>
  );
}

interface ChipProps {
  readonly name: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

function Chip({ name, onRemove, children }: ChipProps) {
  return (
    <li className="flex max-w-full min-w-0 items-center rounded-md border bg-surface ps-2">
      <span className="flex min-w-0 gap-1 font-medium">{children}</span>
      <Button
        type="button"
        variant="ghost"
        size="icon"
        aria-label={`Remove ${name}`}
        className="size-6"
        onClick={onRemove}
      >
        <X aria-hidden />
      </Button>
    </li>
  );
}
