"use client";

import { isRedacted, type Message } from "@merkle/wire";
import { ChevronDown, ChevronUp, Lock } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { RemovedText } from "@/components/removed-text";
import { cn } from "@/core/utils";
import { splitFiles } from "@/feed/store/message-files";
import { clipText, describeSize, isPrivate, readMessageText } from "@/feed/store/message-text";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { TeamBar } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { AskPart } from "./ask-part";
import { DeliveryLine } from "./delivery-line";
import { MessageHead } from "./message-head";
import { MessageMenuButton } from "./message-menu-button";
import { RawMessage } from "./raw-message";

export interface MessageRowProps {
  readonly message: Message;
  /** The reply that settled this ask, if the message is an ask and the reply is loaded. */
  readonly answer: Message | undefined;
  readonly isRaw: boolean;
  readonly onRaw: (message: Message) => void;
}

/** A posted message: its author, recipients, time, text and delivery. */
export const MessageRow = memo(function MessageRow({
  message,
  answer,
  isRaw,
  onRaw,
}: MessageRowProps): ReactNode {
  const { getColour, myTeamId } = useSession();
  const isMine = myTeamId !== null && message.posted_by_team_id === myTeamId;
  const isDecision = message.content["kind"] === "decision";
  return (
    <div className="group/message relative flex min-w-0 gap-2 ps-1">
      <TeamBar colour={getColour(message.posted_by_team_id)} className="self-stretch" />
      <div className="min-w-0 flex-1">
        <MessageHead message={message} isMine={isMine} />
        <div className={cn("ps-7", isDecision && "font-medium")}>
          {isRaw ? <RawMessage message={message} /> : <MessageBody message={message} />}
          <FilesPart message={message} />
          {message.content["kind"] === "ask" && <AskPart message={message} answer={answer} isMine={isMine} />}
          {isMine && <DeliveryLine message={message} />}
        </div>
      </div>
      <MessageMenuButton message={message} isRaw={isRaw} onRaw={() => onRaw(message)} />
    </div>
  );
});

/** The text of a message, or a note if the text is private or removed. */
function MessageBody({ message }: { readonly message: Message }) {
  if (isRedacted(message)) return <RemovedText redaction={message.redaction} />;
  return isPrivate(message) ? <SealedBody message={message} /> : <TextBody message={message} />;
}

/** Reserves the height of a message's files, so that nothing moves when they load: a row of images, and a line for each other file. */
function FilesPart({ message }: { readonly message: Message }) {
  const { images, others } = splitFiles(message);
  if (images.length + others.length === 0) return null;
  return (
    <div className="relative mt-1">
      {images.length > 0 && <div className="h-40" />}
      {others.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are empty.
        <div key={index} className="h-9 pointer-coarse:h-11" />
      ))}
      <div className="absolute inset-0">
        <Parts select={({ files }) => files?.OfMessage} given={{ message }} />
      </div>
    </div>
  );
}

/** A note for a private message, which only its recipient can decrypt. */
function SealedBody({ message }: { readonly message: Message }) {
  return (
    <p className="flex min-w-0 items-baseline gap-1.5 text-muted-foreground">
      <Lock aria-hidden className="size-3.5 shrink-0 self-center" />
      <span className="min-w-0">
        {describeSize(message)}, encrypted for <bdi>{showHidden(message.to.join(", "))}</bdi>
      </span>
    </p>
  );
}

/** The text of a message. Long text is cut off, with a button to show the rest. */
function TextBody({ message }: { readonly message: Message }) {
  const [isWhole, setWhole] = useState(false);
  const text = readMessageText(message);
  const clipped = clipText(text);
  return (
    <>
      <MarkdownText text={isWhole ? text : clipped.text} />
      {clipped.wholeLabel !== null && (
        <Button
          variant="outline"
          size="sm"
          className="mt-1"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? <ChevronUp aria-hidden /> : <ChevronDown aria-hidden />}
          {isWhole ? "Show less" : `Show ${clipped.wholeLabel}`}
        </Button>
      )}
    </>
  );
}
