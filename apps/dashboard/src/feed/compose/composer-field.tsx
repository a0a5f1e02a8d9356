"use client";

import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { usePreference } from "@/core/preferences/use-preference";
import { Textarea } from "@/ui/textarea";
import { useComposeState } from "./compose-context";
import type { MessageDraft } from "./draft";
import { findMention, insertMention, type Mention } from "./mention";
import { matchRecipients, type Recipient } from "./recipients";
import { toOptionId, useActiveOption } from "./use-active-option";

const RecipientList = lazyPart(() => import("./recipient-list"), "RecipientList");

export interface ComposerFieldProps {
  readonly draft: MessageDraft;
  readonly recipients: readonly Recipient[];
  /** True while the message is being sent. */
  readonly isSending: boolean;
  readonly onChange: (change: Partial<MessageDraft>) => void;
  readonly onSend: () => void;
}

/** The message text field. Typing `@` suggests recipients, and picking a recipient addresses the message to them. */
export function ComposerField({ draft, recipients, isSending, onChange, onSend }: ComposerFieldProps) {
  const { attach, field } = useComposeState();
  const [enterSends] = usePreference("enterSends");
  const [mention, setMention] = useState<Mention | null>(null);
  const pendingCaret = useRef<number>(null);
  const listId = useId();
  const matches = mention === null ? [] : matchRecipients(recipients, mention.prefix);
  const { active, handleKey } = useActiveOption({
    count: matches.length,
    text: mention?.prefix ?? "",
    onPick: (index) => {
      const recipient = matches[index];
      if (recipient) pick(recipient);
    },
    onClose: () => setMention(null),
    canTabPick: true,
  });

  // Moves the caret behind the inserted mention after React has updated the field.
  useLayoutEffect(() => {
    if (pendingCaret.current === null) return;
    field.current?.setSelectionRange(pendingCaret.current, pendingCaret.current);
    pendingCaret.current = null;
  });

  function pick(recipient: Recipient): void {
    if (mention === null) return;
    const insertion = insertMention(draft.text, mention, recipient.label);
    pendingCaret.current = insertion.caret;
    setMention(null);
    const others = draft.to.filter((value) => value !== "*" && value !== recipient.value);
    onChange({ text: insertion.text, to: [...others, recipient.value] });
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (matches.length > 0 && handleKey(event)) return;
    if (event.key === "Escape" && draft.quoted !== null) {
      event.preventDefault();
      onChange({ quoted: null });
    }
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    const hasNoModifier = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    const shouldSend = event.ctrlKey || event.metaKey || (enterSends ? hasNoModifier : event.shiftKey);
    if (!shouldSend) return;
    event.preventDefault();
    onSend();
  }

  return (
    <div className="relative flex min-w-0 flex-1">
      {matches.length > 0 && (
        <div className="absolute bottom-full left-0 z-30 mb-1 w-80 max-w-full rounded-lg border bg-background shadow-lg">
          <RecipientList
            id={listId}
            label="Recipients"
            recipients={matches}
            active={active}
            chosen={draft.to}
            onPick={pick}
          />
        </div>
      )}
      <Textarea
        ref={attach}
        rows={1}
        aria-label={draft.quoted === null ? "Message" : draft.quoted.answers ? "Answer" : "Reply"}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={matches.length > 0 ? listId : undefined}
        aria-activedescendant={matches.length > 0 ? toOptionId(listId, active) : undefined}
        placeholder={describePlaceholder(draft)}
        readOnly={isSending}
        value={draft.text}
        className="max-h-48 min-h-8.5 resize-none py-1.5 leading-5 pointer-coarse:min-h-11 pointer-coarse:py-[11px]"
        onChange={(event) => {
          onChange({ text: event.target.value });
          setMention(findMention(event.target.value, event.target.selectionStart));
        }}
        onSelect={(event) => {
          // Closes the suggestions when the caret leaves the mention.
          const { selectionStart, selectionEnd, value } = event.currentTarget;
          if (mention === null) return;
          setMention(selectionStart === selectionEnd ? findMention(value, selectionStart) : null);
        }}
        onBlur={() => setMention(null)}
        onKeyDown={press}
      />
    </div>
  );
}

function describePlaceholder({ kind, quoted, to }: MessageDraft): string {
  if (quoted?.answers) return quoted.options.length > 0 ? "Pick an answer" : "Write an answer";
  if (quoted !== null) return "Write a reply";
  if (kind === "ask") return "What do you need to know?";
  if (kind === "decision") return "What was decided?";
  return to.length > 0 ? "Write a message" : "Write to everyone, or @name";
}
