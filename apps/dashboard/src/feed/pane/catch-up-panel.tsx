"use client";

import type { Message, OutputOf } from "@merkle/wire";
import { CircleCheckBig, FileText, type LucideIcon, MessageCircleQuestion, Radio, X } from "lucide-react";
import type { ReactNode } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { describeEvent } from "@/feed/store/describe-event";
import { textOf } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { MessageLink } from "./message-link";

export interface CatchUpPanelProps {
  /** The sequence up to which the person has read. */
  readonly since: number;
  readonly onClose: () => void;
}

const shownMax = 100;

/** The unread things that matter: asks, decisions, versions of the document, who came and went, and how it ended. */
export function CatchUpPanel({ since, onClose }: CatchUpPanelProps) {
  const { session } = useSession();
  const { session_id } = session;
  const said = useRead("get_history", {
    session_id,
    after_cursor: since,
    types: ["chat"],
    kinds: ["ask", "decision"],
    limit: shownMax,
  });
  const happened = useRead("get_history", {
    session_id,
    after_cursor: since,
    types: ["system"],
    limit: shownMax,
  });
  const written = useRead("list_doc_versions", { session_id, limit: shownMax });
  const reads = [said, happened, written];
  const failed = reads.find(({ problem }) => problem !== undefined);
  const isLoading = reads.some(({ status }) => status === "loading");
  return (
    <section aria-label="Catch up" className="flex max-h-[50%] min-h-0 flex-col border-b bg-surface">
      <header className="flex items-center justify-between gap-2 px-3 pt-2">
        <h2 className="font-semibold">Since you last read</h2>
        <Button variant="ghost" size="icon" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <div className="min-h-0 overflow-y-auto px-3 pb-3">
        {failed?.problem && (
          <ProblemAlert
            title="Not all of it could be read."
            problem={failed.problem}
            onRetry={failed.refresh}
          />
        )}
        {isLoading ? (
          <Skeleton className="h-24" />
        ) : (
          <CatchUpList
            messages={[...(said.data?.messages ?? []), ...(happened.data?.messages ?? [])]}
            versions={written.data?.versions ?? []}
            since={since}
          />
        )}
      </div>
    </section>
  );
}

type Version = OutputOf<"list_doc_versions">["versions"][number];

function CatchUpList({
  messages,
  versions,
  since,
}: {
  readonly messages: readonly Message[];
  readonly versions: readonly Version[];
  readonly since: number;
}) {
  const asks = messages.filter(({ content }) => content["kind"] === "ask");
  const decisions = messages.filter(({ content }) => content["kind"] === "decision");
  const events = messages.filter(({ type, event }) => type === "system" && event !== "state_changed");
  const changes = versions.filter(({ after_sequence }) => after_sequence >= since);
  if (asks.length + decisions.length + events.length + changes.length === 0) {
    return <p className="text-muted-foreground">No asks, decisions or changes; only talk.</p>;
  }
  return (
    <div className="grid gap-3">
      <Group
        icon={MessageCircleQuestion}
        title="Asks"
        items={asks.map((message) => <Said key={message.id} message={message} />)}
      />
      <Group
        icon={CircleCheckBig}
        title="Decisions"
        items={decisions.map((message) => <Said key={message.id} message={message} />)}
      />
      <Group
        icon={FileText}
        title="Document"
        items={changes.map((change) => <Written key={change.version} change={change} />)}
      />
      <Group
        icon={Radio}
        title="Events"
        items={events.map((message) => <Happened key={message.id} message={message} />)}
      />
    </div>
  );
}

function Group({
  icon: Icon,
  title,
  items,
}: {
  icon: LucideIcon;
  title: string;
  items: readonly ReactNode[];
}) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="flex items-center gap-1.5 text-sm font-medium text-muted-foreground">
        <Icon aria-hidden className="size-3.5" />
        {title}{" "}
        <span className="tabular-nums">
          {items.length >= shownMax ? `${shownMax} or more` : items.length}
        </span>
      </h3>
      <ul className="mt-1 grid gap-1">{items}</ul>
    </section>
  );
}

function Line({
  link,
  at,
  children,
}: {
  readonly link: ReactNode;
  readonly at: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <span className="w-10 shrink-0 text-end text-sm tabular-nums">{link}</span>
      <span dir="auto" className="line-clamp-2 min-w-0 flex-1 break-words">
        {children}
      </span>
      <TimeText at={at} as="clock" className="shrink-0 text-sm text-muted-foreground tabular-nums" />
    </li>
  );
}

function Said({ message }: { readonly message: Message }) {
  return (
    <Line link={<NumberLink sequence={message.sequence} />} at={message.posted_at}>
      <bdi className="font-medium">{showHidden(message.from?.team ?? "")}</bdi>:{" "}
      {showHidden(textOf(message).slice(0, 300))}
    </Line>
  );
}

function Happened({ message }: { readonly message: Message }) {
  return (
    <Line link={<NumberLink sequence={message.sequence} />} at={message.posted_at}>
      {describeEvent(message).text}
    </Line>
  );
}

function Written({ change }: { readonly change: Version }) {
  const { version, written_by, written_at } = change;
  return (
    <Line
      link={
        <button
          type="button"
          className="text-link hover:underline"
          onClick={() => setQuery({ v: String(version), pane: "doc" })}
        >
          v{version}
        </button>
      }
      at={written_at}
    >
      written by <bdi>{showHidden(written_by)}</bdi>
    </Line>
  );
}

function NumberLink({ sequence }: { readonly sequence: number }) {
  return (
    <MessageLink sequence={sequence} className="text-link hover:underline">
      #{sequence}
    </MessageLink>
  );
}
