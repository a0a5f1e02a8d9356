"use client";

import type { AttentionItem } from "@merkle/wire";
import { type ReactNode, useId, useState } from "react";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { useCall } from "@/lib/broker/use-call";
import { placeOfItem } from "./place-of-item";
import { type Attempt, useAttempt } from "./use-attempt";

export interface ItemActionsProps {
  readonly item: AttentionItem;
  readonly onChanged: () => void;
}

/** What can be done about an item without leaving the list, and what came of it. */
export function ItemActions({ item, onChanged }: ItemActionsProps) {
  const attempt = useAttempt(onChanged);
  return (
    <div className="mt-1.5">
      <div className="flex flex-wrap items-center gap-2">{actionsFor(item, attempt)}</div>
      <p role="status" className="text-sm empty:hidden">
        {attempt.outcome}
      </p>
    </div>
  );
}

function actionsFor(item: AttentionItem, attempt: Attempt): ReactNode {
  switch (item.kind) {
    case "ask":
      return <Answer item={item} attempt={attempt} />;
    case "proposal":
      return (
        <Button asChild size="sm" variant="outline">
          <PageLink
            href={placeOfItem(item)}
            aria-label={`Review proposal ${item.number} of ${item.session_title}`}
          >
            Review
          </PageLink>
        </Button>
      );
    case "job_failed":
      return <RetryJob item={item} attempt={attempt} />;
    case "blocked":
      return (
        <>
          <Nudge item={item} to={addressOf(item)} label="Nudge" attempt={attempt} />
          <OpenSession item={item}>Open</OpenSession>
        </>
      );
    case "held":
    case "budget_spent":
      return <Resume item={item} attempt={attempt} />;
    case "quiet":
      return (
        <>
          <Nudge item={item} to="@all" label="Nudge all" attempt={attempt} />
          <OpenSession item={item}>Open</OpenSession>
        </>
      );
  }
}

function addressOf({ team, peer }: AttentionItem): string {
  if (team === null) return "@all";
  return peer === null || peer === team ? team : `${team}/${peer}`;
}

interface ActionProps {
  readonly item: AttentionItem;
  readonly attempt: Attempt;
}

/** The answers that were offered, as buttons, and room for another one. */
function Answer({ item, attempt }: ActionProps) {
  const call = useCall();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const id = useId();

  function answer(answered: string): void {
    attempt.run(async () => {
      await call("post_message", {
        session_id: item.session_id,
        content: { text: answered, answer: answered },
        ...(item.sequence === null ? {} : { reply_to: item.sequence }),
      });
      return `Answered: ${answered}`;
    });
  }

  return (
    <>
      {item.options.map((option) => (
        <Button
          key={option}
          size="sm"
          variant="outline"
          disabled={attempt.busy}
          onClick={() => answer(option)}
        >
          <span dir="auto" className="max-w-64 truncate">
            {option}
          </span>
        </Button>
      ))}
      {item.options.length === 0 && !open && (
        <Button size="sm" variant="outline" onClick={() => setOpen(true)}>
          Answer
        </Button>
      )}
      {open && (
        <form
          className="flex min-w-0 flex-1 basis-64 gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "") answer(text.trim());
          }}
        >
          <label htmlFor={id} className="sr-only">
            Your answer
          </label>
          <input
            id={id}
            ref={focusOnce}
            value={text}
            maxLength={500}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
            className="h-7 min-w-0 flex-1 rounded-md border border-input bg-background px-2 pointer-coarse:h-11"
          />
          <Button size="sm" type="submit" disabled={attempt.busy || text.trim() === ""}>
            Send
          </Button>
        </form>
      )}
      <OpenSession item={item}>Open</OpenSession>
    </>
  );
}

/** A field that was asked for is written into at once. */
function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}

function Nudge({ item, to, label, attempt }: ActionProps & { to: string; label: string }) {
  const call = useCall();
  return (
    <Button
      size="sm"
      variant="outline"
      disabled={attempt.busy}
      onClick={() =>
        attempt.run(async () => {
          const { nudged } = await call("nudge", { session_id: item.session_id, to });
          const woken = nudged.filter(({ reached }) => reached.length > 0).length;
          return woken > 0 ? `Woken: ${woken} of ${nudged.length}` : "Nobody is there to be woken";
        })
      }
    >
      {label}
    </Button>
  );
}

function Resume({ item, attempt }: ActionProps) {
  const call = useCall();
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        disabled={attempt.busy}
        onClick={() =>
          attempt.run(async () => {
            await call("resume_session", { session_id: item.session_id });
            return "Resumed";
          })
        }
      >
        Resume
      </Button>
      <OpenSession item={item}>Open</OpenSession>
    </>
  );
}

/** Another job of the same kind: a job itself runs once. */
function RetryJob({ item, attempt }: ActionProps) {
  const call = useCall();
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        disabled={attempt.busy}
        onClick={() =>
          attempt.run(async () => {
            const { kind, topic_id, persona_name } = await call("get_job", { job_id: item.number ?? 0 });
            const { job_id } = await call("start_job", {
              kind,
              session_id: item.session_id,
              ...(topic_id !== null && { topic_id }),
              ...(persona_name !== null && { persona_name }),
            });
            return `Job ${job_id} started`;
          })
        }
      >
        Retry
      </Button>
      <Button asChild size="sm" variant="ghost">
        <PageLink href={placeOfItem(item)} aria-label={`Jobs of ${item.session_title}`}>
          Open
        </PageLink>
      </Button>
    </>
  );
}

function OpenSession({ item, children }: { item: AttentionItem; children: ReactNode }) {
  return (
    <Button asChild size="sm" variant="ghost">
      <PageLink href={placeOfItem(item)} aria-label={`Open ${item.session_title}`}>
        {children}
      </PageLink>
    </Button>
  );
}
