"use client";

import type { Topic } from "@merkle/wire";
import { type SourceRef, toSourceHref } from "@merkle/wire";
import { MessageSquareReply } from "lucide-react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { ProblemAlert } from "@/components/problem-alert";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useKeptText } from "@/sessions/use-kept-text";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { CommentField, isTooLong } from "./comment-field";
import { TopicJob } from "./topic-job";

export interface TopicThreadProps {
  readonly topic: Topic;
  readonly canWrite: boolean;
  readonly onFind?: (() => void) | undefined;
}

/** The comments of a topic, the agent's work on it, and the reply field. */
export function TopicThread({ topic, canWrite, onFind }: TopicThreadProps) {
  const { topic_id, status } = topic;
  return (
    <div className="grid gap-2 border-t px-2.5 py-2">
      <Messages topic={topic} after={0} />
      <TopicJob topic={topic} canStart={canWrite && status === "open"} />
      {canWrite &&
        (status === "open" ? <TopicReply topicId={topic_id} /> : <TopicReopen topicId={topic_id} />)}
      {onFind && (
        <Button variant="ghost" size="sm" className="justify-self-start" onClick={onFind}>
          Show the text
        </Button>
      )}
    </div>
  );
}

/** A page of messages, followed by the next page. */
function Messages({ topic, after }: { topic: Topic; after: number }) {
  const { topic_id } = topic;
  const { data, problem, refresh } = useRead("get_topic", { topic_id, after }, { on: ["topics"] });
  if (!data) {
    return problem ? (
      <ProblemAlert title="Couldn't load this comment." problem={problem} onRetry={refresh} />
    ) : (
      <Skeleton className="h-10" />
    );
  }
  return (
    <>
      <ol className="grid gap-2">
        {data.messages.map((message) => (
          <li key={message.sequence} className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-1.5 text-sm">
              <bdi className="min-w-0 truncate font-medium">{message.by}</bdi>
              {message.human ? (
                <Badge className="border-primary/50 text-link">HUMAN</Badge>
              ) : (
                message.job_id !== null && <Badge variant="outline">job {message.job_id}</Badge>
              )}
              <TimeText at={message.at} className="text-muted-foreground tabular-nums" />
            </p>
            <MarkdownText text={message.text} />
            {message.proposal_id !== null && <ProposalLink about={topic} proposalId={message.proposal_id} />}
          </li>
        ))}
      </ol>
      {data.next_after !== null && <Messages topic={topic} after={data.next_after} />}
    </>
  );
}

/** A link to the review of a proposal, which may change a different document or file. */
function ProposalLink({ about, proposalId }: { about: SourceRef; proposalId: number }) {
  return (
    <Button asChild variant="outline" size="sm" className="mt-1">
      <PageLink href={toSourceHref(about, { proposal: proposalId })}>Review proposal {proposalId}</PageLink>
    </Button>
  );
}

/** A button that reopens a closed topic. */
function TopicReopen({ topicId }: { readonly topicId: number }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();

  function reopen(): void {
    void run(async (signal) => {
      await call("reply_to_topic", { topic_id: topicId, reopen: true }, { signal });
    });
  }

  return (
    <div className="grid justify-items-start gap-1">
      <RefusalNote refusal={refusal} />
      <Button variant="outline" size="sm" disabled={isPending} onClick={reopen}>
        <MessageSquareReply aria-hidden /> Reopen
      </Button>
    </div>
  );
}

/** A form to reply to a topic, to close it, or both. */
function TopicReply({ topicId }: { readonly topicId: number }) {
  const call = useCall();
  const [text, setText, forget] = useKeptText(`merkle.reply.${topicId}`, "");
  const { run, isPending, refusal } = useAction();
  const hasText = text.trim() !== "";

  function send(close?: "resolved"): void {
    if (isTooLong(text) || (!hasText && close === undefined)) return;
    void run(async (signal) => {
      await call(
        "reply_to_topic",
        { topic_id: topicId, ...(hasText && { text: text.trim() }), ...(close && { close }) },
        { signal },
      );
      setText("");
      forget();
    });
  }

  return (
    <form
      aria-label="Reply"
      className="grid min-w-0 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <CommentField label="Your reply" value={text} onChange={setText} onSend={send} />
      <RefusalNote refusal={refusal} isDraftSaved />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" disabled={isPending || !hasText || isTooLong(text)}>
          Reply
        </Button>
        <Button
          type="button"
          variant="outline"
          size="sm"
          disabled={isPending}
          onClick={() => send("resolved")}
        >
          {hasText ? "Reply and resolve" : "Resolve"}
        </Button>
      </div>
    </form>
  );
}
