"use client";

import type { Message } from "@merkle/wire";
import { CornerUpLeft } from "lucide-react";
import { useRef, useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { useCompose } from "@/feed/compose/compose-context";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";

const MessageMenu = lazyPart(() => import("./message-menu"), "MessageMenu");

export interface MessageMenuButtonProps {
  readonly message: Message;
  readonly isRaw: boolean;
  readonly onRaw: () => void;
}

/** The actions on a message. The reply button also has its own shortcut, and is visible while the row is hovered or focused. */
export function MessageMenuButton({ message, isRaw, onRaw }: MessageMenuButtonProps) {
  const { session, at, isObserver } = useSession();
  const { reply } = useCompose();
  const [isOpen, setOpen] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const canReply = message.type === "chat" && session.status === "active" && at === null && !isObserver;
  return (
    <div className="absolute end-0 top-0 flex text-muted-foreground">
      {canReply && (
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Reply to message ${message.sequence}`}
          title="Reply  R"
          className="size-6 opacity-0 group-focus-within/message:opacity-100 group-focus-visible/article:opacity-100 group-hover/message:opacity-100 pointer-coarse:hidden"
          onClick={() => reply(message)}
        >
          <CornerUpLeft aria-hidden />
        </Button>
      )}
      <Button
        ref={button}
        variant="ghost"
        size="icon"
        aria-label={`More about message ${message.sequence}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        // The button is large enough to tap. It extends below the name's line, while its icon stays on that line.
        className="size-6 font-bold pointer-coarse:items-start pointer-coarse:pt-0.5"
        onClick={() => setOpen(!isOpen)}
      >
        {/* Every row has this button, and text renders faster than an SVG icon. */}
        <span aria-hidden>···</span>
      </Button>
      {isOpen && button.current && (
        <MessageMenu
          message={message}
          anchor={button.current}
          isRaw={isRaw}
          onRaw={onRaw}
          onRemove={() => setRemoving(true)}
          onClose={() => setOpen(false)}
        />
      )}
      {isRemoving && (
        <Parts
          select={({ removal }) => removal?.OfMessage}
          given={{ message, onClose: () => setRemoving(false) }}
        />
      )}
    </div>
  );
}
