"use client";

import type { Approval } from "@merkle/wire";
import { useRef, useState } from "react";
import { ApprovalCard } from "./approval-card";

/** What an answer did. It keeps the place of the answered card. */
interface AnswerNote {
  readonly approval: number;
  readonly text: string;
  /** Index of the card in the list. */
  readonly index: number;
  /** Height of the card in pixels. */
  readonly height: number;
}

export interface WaitingApprovalsProps {
  readonly waiting: readonly Approval[];
  readonly onChanged: () => void;
}

/**
 * The approvals that wait for an answer. A note replaces each answered card at the same height: otherwise the next card's
 * buttons would move under the pointer, and a second click would decide about another request.
 */
export function WaitingApprovals({ waiting, onChanged }: WaitingApprovalsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [notes, setNotes] = useState<readonly AnswerNote[]>([]);
  const cards: (Approval | AnswerNote)[] = waiting.filter(
    ({ approval }) => !notes.some((note) => note.approval === approval),
  );
  for (const note of notes) cards.splice(note.index, 0, note);

  function addNote(approval: number, index: number, text: string): void {
    const height = list.current?.children[index]?.getBoundingClientRect().height ?? 0;
    setNotes((before) =>
      [...before, { approval, index, text, height }].toSorted((a, b) => a.index - b.index),
    );
  }

  return (
    <ul ref={list} aria-label="Waiting" className="flex flex-col gap-4">
      {cards.map((card, index) =>
        "height" in card ? (
          <li
            key={card.approval}
            ref={focusIfLost}
            tabIndex={-1}
            style={{ minHeight: card.height }}
            className="rounded-lg border border-dashed px-4 py-3 text-muted-foreground [overflow-wrap:anywhere]"
          >
            {card.text}
          </li>
        ) : (
          <ApprovalCard
            key={card.approval}
            approval={card}
            onChanged={(note) => {
              if (note !== null) addNote(card.approval, index, note.text);
              onChanged();
            }}
          />
        ),
      )}
    </ul>
  );
}

/** Moves the focus to an element if the focused element is no longer in the page. */
function focusIfLost(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
}
