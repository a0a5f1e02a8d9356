"use client";

import type { Message } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { isPrivate } from "@/feed/store/message-text";
import { HumanBadge } from "@/identity/human-badge";
import { toMonogram } from "@/sessions/monogram";
import { useSession } from "@/sessions/session-context";
import { toTeamColour } from "@/sessions/team-colour";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Badge } from "@/ui/badge";
import { MessageLink } from "./message-link";

/** The head of a message: author, recipients, kind, time and number. */
export function MessageHead({ message, isMine }: { readonly message: Message; readonly isMine: boolean }) {
  const { getColour } = useSession();
  const { from, to, content, priority, reply_to, posted_at, sequence, posted_by_team_id } = message;
  const team = showHidden(from?.team ?? "");
  const isToAll = to.length === 1 && to[0] === "*";
  return (
    <div className="flex min-w-0 items-baseline gap-x-1.5 pe-13 pointer-coarse:pe-11">
      <span
        aria-hidden
        className={cn(
          "w-5.5 shrink-0 font-mono text-xs font-medium",
          toTeamColour(getColour(posted_by_team_id)).className,
        )}
      >
        {toMonogram(team)}
      </span>
      <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-1.5">
        <bdi className="max-w-full truncate font-semibold">{isMine ? "you" : team}</bdi>
        {from?.peer !== undefined && <bdi className="max-w-full truncate">{showHidden(from.peer)}</bdi>}
        <span className="sr-only">to</span>
        {/* On a narrow screen "to everyone" is omitted, because it is the default. */}
        <span aria-hidden className={cn("text-muted-foreground", isToAll && "max-md:hidden")}>
          →
        </span>
        <span
          className={cn("min-w-0 max-w-full truncate text-muted-foreground", isToAll && "max-md:sr-only")}
        >
          {isToAll
            ? "everyone"
            : to.map((name, index) => <Recipient key={name} name={name} isFirst={index === 0} />)}
        </span>
        <HumanBadge kind={from?.human ? "human" : content["guest"] === true ? "guest" : "agent"} />
        {content["kind"] === "ask" && (
          <Badge className="self-center border-warning/50 text-warning">ASK</Badge>
        )}
        {content["kind"] === "decision" && (
          <Badge className="self-center" variant="success">
            DECISION
          </Badge>
        )}
        {content["own"] !== undefined && <Badge className="self-center">SIGNED</Badge>}
        {isPrivate(message) && <Badge className="self-center">PRIVATE</Badge>}
        {priority === "now" && <Badge className="self-center border-danger/50 text-danger">URGENT</Badge>}
        {reply_to !== undefined && (
          <span className="text-sm text-muted-foreground">
            {typeof content["answer"] === "string" ? "answers" : "re"}{" "}
            <MessageLink sequence={reply_to} className="text-link underline underline-offset-2">
              #{reply_to}
            </MessageLink>
          </span>
        )}
      </p>
      <span className="flex shrink-0 items-baseline gap-2 text-sm text-muted-foreground tabular-nums">
        <TimeText at={posted_at} as="clock" />
        <MessageLink
          sequence={sequence}
          className="-my-0.5 min-w-6 py-0.5 text-end pointer-coarse:-my-3 pointer-coarse:min-w-11 pointer-coarse:py-3 hover:text-foreground hover:underline"
          label={`Link to message ${sequence}`}
        >
          {sequence}
        </MessageLink>
      </span>
    </div>
  );
}

function Recipient({ name, isFirst }: { readonly name: string; readonly isFirst: boolean }) {
  return (
    <>
      {!isFirst && ", "}
      <bdi>{name === "*" ? "everyone" : showHidden(name)}</bdi>
    </>
  );
}
