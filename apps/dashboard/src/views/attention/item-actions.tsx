"use client";

import { type AttentionItem, nameOfPlace, placeOfItem } from "@merkle/wire";
import { type ReactNode, useId, useState } from "react";
import { useCall } from "@/broker/use-call";
import { PageLink } from "@/components/page-link";
import { useIsGuest } from "@/identity/use-person";
import { Button } from "@/ui/button";
import { type Attempt, useAttempt } from "./use-attempt";

export interface ItemActionsProps {
  readonly item: AttentionItem;
  readonly onChanged: () => void;
}

/** The actions on an item, without leaving the list, and what came of them. */
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
    case "approval":
      return (
        <Button asChild size="sm" variant="outline">
          <PageLink href={placeOfItem(item)} aria-label={`Look at approval ${item.number}`}>
            Look at it
          </PageLink>
        </Button>
      );
    case "proposal":
      return (
        <Button asChild size="sm" variant="outline">
          <PageLink
            href={placeOfItem(item)}
            aria-label={`Review proposal ${item.number} of ${nameOfPlace(item)}`}
          >
            Review
          </PageLink>
        </Button>
      );
    case "job_failed":
      return <RetryJob item={item} attempt={attempt} />;
    case "quota_near":
    case "in_review":
    case "handed_back":
      return <OpenPlace item={item} />;
    case "blocked":
      return (
        <>
          <Nudge item={item} to={addressOf(item)} label="Nudge" attempt={attempt} />
          <OpenPlace item={item} />
        </>
      );
    case "held":
    case "budget_near":
    case "budget_spent":
      return <Resume item={item} attempt={attempt} />;
    case "quiet":
    case "undelivered":
      return (
        <>
          <Nudge item={item} to="@all" label="Nudge all" attempt={attempt} />
          <OpenPlace item={item} />
        </>
      );
  }
}

function addressOf({ team, peer }: AttentionItem): string {
  if (team === null) return "@all";
  return peer === null || peer === team ? team : `${team}/${peer}`;
}

interface ActionProps {
  readonly item: ItemOfSession;
  readonly attempt: Attempt;
}

type ItemOfSession = Extract<AttentionItem, { session_id: string }>;

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
      <OpenPlace item={item} />
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
  const isGuest = useIsGuest();
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        disabled={attempt.busy || isGuest}
        title={isGuest ? "For verified humans: open the link that merkle up printed" : undefined}
        onClick={() =>
          attempt.run(async () => {
            await call("resume_session", { session_id: item.session_id });
            return "Resumed";
          })
        }
      >
        Resume
      </Button>
      <OpenPlace item={item} />
    </>
  );
}

/** Another job of the same kind: a job itself runs once. */
function RetryJob({ item, attempt }: Pick<ActionProps, "attempt"> & { item: AttentionItem }) {
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
            const source =
              item.session_id === null
                ? { source_path: item.source_path ?? "" }
                : { session_id: item.session_id };
            const { job_id } = await call("start_job", {
              kind,
              ...source,
              ...(topic_id !== null && { topic_id }),
              ...(persona_name !== null && { persona_name }),
            });
            return `Job ${job_id} started`;
          })
        }
      >
        Retry
      </Button>
      <OpenPlace item={item} />
    </>
  );
}

function OpenPlace({ item }: { readonly item: AttentionItem }) {
  return (
    <Button asChild size="sm" variant="ghost">
      <PageLink href={placeOfItem(item)} aria-label={`Open ${nameOfPlace(item)}`}>
        Open
      </PageLink>
    </Button>
  );
}
