"use client";

import { type AttentionItem, describeItem, describeItemSource, isQuestion, toItemHref } from "@merkle/wire";
import { type ReactNode, useId, useState } from "react";
import { useCall } from "@/broker/use-call";
import { PageLink } from "@/components/page-link";
import { cn } from "@/core/utils";
import { useIsGuest } from "@/identity/use-person";
import type { ActionNote, Attempt } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { useAttempt } from "./use-attempt";

export interface ItemActionsProps {
  readonly item: AttentionItem;
  readonly onDone: (note: ActionNote) => void;
  /** Opens the item, so that it can be answered in words. Set in a list row, which shows only the main action. */
  readonly onAnswer?: (() => void) | undefined;
  /** Whether to show the options of an ask here. False if the page shows them elsewhere. */
  readonly showsOptions?: boolean;
}

/** The actions on an item. A success is reported to the caller, as the item may leave the list with it. */
export function ItemActions({ item, onDone, onAnswer, showsOptions = true }: ItemActionsProps) {
  const attempt = useAttempt(onDone);
  const isInline = onAnswer !== undefined;
  return (
    <div
      data-actions
      className={cn("min-w-0", isInline && "flex max-w-full flex-row-reverse items-center gap-2")}
    >
      <div className={cn("flex items-center gap-2", isInline ? "shrink-0" : "flex-wrap")}>
        {selectActions(item, attempt, { onAnswer, showsOptions })}
        {/* Items of these kinds already contain a link to the same place. */}
        {!isInline && !isQuestion(item) && item.kind !== "proposal" && item.kind !== "approval" && (
          <OpenPlace item={item} />
        )}
      </div>
      <p
        role="status"
        title={attempt.failure ?? undefined}
        className={cn("text-sm text-muted-foreground empty:hidden", isInline ? "max-w-40 truncate" : "mt-2")}
      >
        {attempt.failure}
      </p>
    </div>
  );
}

function selectActions(
  item: AttentionItem,
  attempt: Attempt,
  { onAnswer, showsOptions }: Pick<ItemActionsProps, "onAnswer" | "showsOptions">,
): ReactNode {
  switch (item.kind) {
    case "ask":
    case "blocked":
      if (!isQuestion(item))
        return <Nudge item={item} to={formatRecipient(item)} label="Nudge" attempt={attempt} />;
      if (onAnswer === undefined) return <Answer item={item} attempt={attempt} />;
      return showsOptions && isShort(item.options) ? (
        <Options item={item} attempt={attempt} />
      ) : (
        <Button size="sm" variant="outline" onClick={onAnswer}>
          Answer
        </Button>
      );
    case "approval":
      // The request itself has the buttons that allow or deny it.
      return (
        onAnswer && (
          <Button
            size="sm"
            variant="outline"
            aria-label={`Review approval ${item.number}`}
            onClick={onAnswer}
          >
            Review
          </Button>
        )
      );
    case "proposal":
      return (
        <Button asChild size="sm" variant="outline">
          <PageLink
            href={toItemHref(item)}
            aria-label={`Review proposal ${item.number} of ${describeItemSource(item)}`}
          >
            Review
          </PageLink>
        </Button>
      );
    case "job_failed":
      return <Parts select={({ attention }) => attention?.[item.kind]?.Action} given={{ item, attempt }} />;
    case "quota_near":
    case "in_review":
    case "handed_back":
      return onAnswer && <OpenPlace item={item} />;
    case "held":
    case "budget_near":
    case "budget_spent":
      return <Resume item={item} attempt={attempt} />;
    case "quiet":
    case "undelivered":
      return <Nudge item={item} to="@all" label="Nudge all" attempt={attempt} />;
  }
}

function formatRecipient({ team, peer }: AttentionItem): string {
  if (team === null) return "@all";
  return peer === null || peer === team ? team : `${team}/${peer}`;
}

interface ActionProps {
  readonly item: ItemOfSession;
  readonly attempt: Attempt;
}

type ItemOfSession = Extract<AttentionItem, { session_id: string }>;

/** Whether the options fit on the item's line. */
function isShort(options: readonly string[]): boolean {
  return options.length > 0 && options.length <= 3 && options.join("").length <= 30;
}

function useAnswer({ item, attempt }: ActionProps): (answered: string) => void {
  const call = useCall();
  return (answered) =>
    attempt.run(async () => {
      const { cursor } = await call("post_message", {
        session_id: item.session_id,
        content: { text: answered, answer: answered },
        ...(item.sequence === null ? {} : { reply_to: item.sequence }),
      });
      const { who } = describeItem(item);
      return {
        text: `Answered${who === null ? "" : ` ${who}`}: ${answered}`,
        href: `/sessions/${item.session}?m=${cursor}`,
      };
    });
}

/** The options of an ask, as buttons. */
function Options({ item, attempt }: ActionProps) {
  const answer = useAnswer({ item, attempt });
  return item.options.map((option) => (
    <Button key={option} size="sm" variant="outline" disabled={attempt.isBusy} onClick={() => answer(option)}>
      <span dir="auto" className="max-w-64 truncate">
        {option}
      </span>
    </Button>
  ));
}

/** The options of an ask, and a field for any other answer. */
function Answer({ item, attempt }: ActionProps) {
  const answer = useAnswer({ item, attempt });
  const [text, setText] = useState("");
  const id = useId();
  return (
    <>
      <Options item={item} attempt={attempt} />
      <form
        className="flex min-w-0 basis-full gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") answer(text.trim());
        }}
      >
        <label htmlFor={id} className="sr-only">
          Your answer
        </label>
        <Input
          id={id}
          value={text}
          maxLength={500}
          dir="auto"
          placeholder={item.options.length > 0 ? "Or in your own words…" : "Your answer…"}
          onChange={(event) => setText(event.target.value)}
          className="min-w-0 flex-1"
        />
        <Button type="submit" disabled={attempt.isBusy || text.trim() === ""}>
          Send
        </Button>
      </form>
    </>
  );
}

function Nudge({ item, to, label, attempt }: ActionProps & { to: string; label: string }) {
  const call = useCall();
  return (
    <Button
      size="sm"
      variant="outline"
      disabled={attempt.isBusy}
      onClick={() =>
        attempt.run(async () => {
          const { nudged } = await call("nudge", { session_id: item.session_id, to });
          const wokenCount = nudged.filter(({ reached }) => reached.length > 0).length;
          return {
            text: wokenCount > 0 ? `${wokenCount} of ${nudged.length} nudged` : "No agents online to nudge",
          };
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
    <Button
      size="sm"
      variant="outline"
      disabled={attempt.isBusy || isGuest}
      title={isGuest ? "For verified humans only: open the link that merkle up printed" : undefined}
      onClick={() =>
        attempt.run(async () => {
          await call("resume_session", { session_id: item.session_id });
          return { text: `Resumed: ${item.session_title}` };
        })
      }
    >
      Resume
    </Button>
  );
}

function OpenPlace({ item }: { readonly item: AttentionItem }) {
  return (
    <Button asChild size="sm" variant="ghost">
      <PageLink href={toItemHref(item)} aria-label={`Open ${describeItemSource(item)}`}>
        Open
      </PageLink>
    </Button>
  );
}
