"use client";

import type { Message } from "@merkle/wire";
import { memo, type ReactNode } from "react";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { TeamBar } from "@/sessions/team-mark";
import { AskPart } from "./ask-part";
import { DeliveryLine } from "./delivery-line";
import { MessageBody } from "./message-body";
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
  const { colourOf, myTeamId } = useSession();
  const isMine = myTeamId !== null && message.posted_by_team_id === myTeamId;
  const isDecision = message.content["kind"] === "decision";
  return (
    <div className="group/message relative flex min-w-0 gap-2 ps-1">
      <TeamBar colour={colourOf(message.posted_by_team_id)} className="self-stretch" />
      <div className="min-w-0 flex-1">
        <MessageHead message={message} isMine={isMine} />
        <div className={cn("ps-7", isDecision && "font-medium")}>
          {isRaw ? <RawMessage message={message} /> : <MessageBody message={message} />}
          {message.content["kind"] === "ask" && <AskPart message={message} answer={answer} isMine={isMine} />}
          {isMine && <DeliveryLine message={message} />}
        </div>
      </div>
      <MessageMenuButton message={message} isRaw={isRaw} onRaw={() => onRaw(message)} />
    </div>
  );
});
