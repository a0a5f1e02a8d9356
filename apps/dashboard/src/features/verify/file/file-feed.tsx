import { isRedacted, type Message } from "@merkle/wire";
import { useState } from "react";
import { RemovedText } from "@/components/removed-text";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { describeEvent } from "@/feed/store/describe-event";
import { isPrivate, readKind, readMessageText, readOptions } from "@/feed/store/message-text";
import { TeamBar } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import type { ShownRecord } from "./collect-record";

const messagesPerPage = 2_000;

/** The messages of a record, for reading and printing. */
export function FileFeed({ messages, colours }: Pick<ShownRecord, "messages" | "colours">) {
  const [shown, setShown] = useState(messagesPerPage);
  const remaining = messages.length - shown;
  return (
    <>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {messages.slice(0, shown).map((message) => (
          <li
            key={message.sequence}
            id={`m${message.sequence}`}
            className="scroll-mt-4 rounded-md [contain-intrinsic-size:auto_3rem] [content-visibility:auto] target:bg-highlight print:break-inside-avoid print:[content-visibility:visible]"
          >
            {message.type === "system" ? (
              <EventLine message={message} />
            ) : (
              <PostedMessage message={message} colour={colours.get(message.posted_by_team_id ?? "") ?? 0} />
            )}
          </li>
        ))}
      </ol>
      {remaining > 0 && (
        <Button variant="outline" className="mt-4" onClick={() => setShown(shown + messagesPerPage)}>
          Show {Math.min(remaining, messagesPerPage).toLocaleString("en-GB")} more of{" "}
          {remaining.toLocaleString("en-GB")}
        </Button>
      )}
    </>
  );
}

function EventLine({ message }: { readonly message: Message }) {
  const { text, reason } = describeEvent(message);
  return (
    <p className="flex items-baseline justify-between gap-3 text-sm text-muted-foreground">
      <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
        {text}
        {reason !== null && `. Reason: ${showHidden(reason)}`}
      </span>
      <Place message={message} />
    </p>
  );
}

function PostedMessage({ message, colour }: { readonly message: Message; readonly colour: number }) {
  const { from, to, content, reply_to } = message;
  const kind = readKind(message);
  const options = readOptions(message);
  const isToAll = to.every((name) => name === "*");
  return (
    <div className="flex min-w-0 gap-3">
      <TeamBar colour={colour} className="self-stretch" />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline justify-between gap-3">
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
            <bdi className="font-semibold">{showHidden(from?.team ?? "")}</bdi>
            {from?.peer !== undefined && <bdi>{showHidden(from.peer)}</bdi>}
            {!isToAll && (
              <span className="text-muted-foreground">
                → <bdi>{showHidden(to.join(", "))}</bdi>
              </span>
            )}
            {kind !== "plain" && (
              <span className={cn("text-xs font-semibold", kind === "ask" ? "text-warning" : "text-success")}>
                {kind === "ask" ? "ASK" : "DECISION"}
              </span>
            )}
            {reply_to !== undefined && (
              <span className="text-sm text-muted-foreground">
                {typeof content["answer"] === "string" ? "answers" : "re"}{" "}
                <a href={`#m${reply_to}`} className="text-link underline underline-offset-2">
                  #{reply_to}
                </a>
              </span>
            )}
          </span>
          <Place message={message} />
        </p>
        {isRedacted(message) ? (
          <RemovedText redaction={message.redaction} />
        ) : isPrivate(message) ? (
          <p className="text-muted-foreground">{readMessageText(message)}</p>
        ) : (
          <MarkdownText
            text={readMessageText(message)}
            className={cn("max-w-[80ch]", kind === "decision" && "font-medium")}
          />
        )}
        {options.length > 0 && (
          <p className="mt-1 text-sm text-muted-foreground">
            Options: <bdi>{options.map(showHidden).join(" · ")}</bdi>
          </p>
        )}
      </div>
    </div>
  );
}

function Place({ message: { posted_at, sequence } }: { readonly message: Message }) {
  return (
    <span className="shrink-0 text-sm text-muted-foreground tabular-nums">
      <TimeText at={posted_at} as="clock" />{" "}
      <a href={`#m${sequence}`} className="ms-1 hover:underline">
        {sequence}
      </a>
    </span>
  );
}
