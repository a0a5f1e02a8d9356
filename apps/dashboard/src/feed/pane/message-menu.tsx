"use client";

import { isRedacted, MerkleError, type Message } from "@merkle/wire";
import {
  Braces,
  CircleCheckBig,
  CornerUpLeft,
  Eraser,
  FileText,
  Link2,
  type LucideIcon,
  MessagesSquare,
  ScanText,
} from "lucide-react";
import { useCallback, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { AnchoredPopover } from "@/components/anchored-popover";
import { MenuItem, MenuNote } from "@/components/menu-item";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { copyText } from "@/core/copy-text";
import { useCompose } from "@/feed/compose/compose-context";
import { insertDecision } from "@/feed/store/decisions";
import { isPrivate, toMarkdown } from "@/feed/store/message-text";
import type { MessageAction } from "@/parts/feature";
import { useFeatures, useHasPart } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { hasRemovableText } from "@/text/describe-removal";
import { toMessageAddress } from "./message-link";

export interface MessageMenuProps {
  readonly message: Message;
  readonly anchor: HTMLElement;
  readonly isRaw: boolean;
  readonly onRaw: () => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** The menu of actions on a message. Actions that have a result keep the menu open to show it. */
export function MessageMenu({ message, anchor, isRaw, onRaw, onRemove, onClose }: MessageMenuProps) {
  const { session, at, isObserver } = useSession();
  const { reply } = useCompose();
  const actions = useFeatures().flatMap(({ messageActions = [] }) => messageActions);
  const canRemove = useHasPart(({ removal }) => removal) && at === null && !isObserver;
  const isOpen = session.status === "active" && at === null && !isObserver;
  const link = toMessageAddress(session.slug, message.sequence);
  const close = (action: () => void) => () => {
    onClose();
    action();
  };
  function run(action: MessageAction): void {
    // A closing sheet returns the focus to the previously focused element. This menu will no longer exist then, so its
    // button gets the focus first.
    anchor.focus();
    action.run(message);
  }
  return (
    <AnchoredPopover
      label={`Message ${message.sequence}`}
      anchor={anchor}
      onClose={onClose}
      align="end"
      className="w-60 p-1"
    >
      <div className="grid">
        {isOpen && message.type === "chat" && (
          <MenuItem icon={CornerUpLeft} onClick={close(() => reply(message))}>
            Reply
          </MenuItem>
        )}
        <CopyItem icon={FileText} label="Copy as Markdown" getText={() => toMarkdown(message, link)} />
        <CopyItem icon={Braces} label="Copy as JSON" getText={() => JSON.stringify(message, null, 2)} />
        <CopyItem icon={Link2} label="Copy link" getText={() => link} />
        {isOpen && message.type === "chat" && !isPrivate(message) && !isRedacted(message) && (
          <AddToDecisions message={message} link={link} />
        )}
        {message.type === "chat" && message.reply_to !== undefined && (
          <MenuItem
            icon={MessagesSquare}
            onClick={close(() => setQuery({ thread: String(message.sequence), m: null }))}
          >
            View thread
          </MenuItem>
        )}
        {actions.map((action) => (
          <MenuItem key={action.label} icon={action.Icon} onClick={close(() => run(action))}>
            {action.label}
          </MenuItem>
        ))}
        <MenuItem icon={ScanText} onClick={close(onRaw)}>
          {isRaw ? "Show formatted" : "Show raw"}
        </MenuItem>
        {canRemove && hasRemovableText(message) && (
          <MenuItem icon={Eraser} onClick={close(onRemove)}>
            Remove text…
          </MenuItem>
        )}
      </div>
    </AnchoredPopover>
  );
}

function CopyItem({
  icon,
  label,
  getText: text,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly getText: () => string;
}) {
  const [statusText, setStatusText] = useState("");
  return (
    <>
      <MenuItem
        icon={icon}
        onClick={() => {
          void copyText(text()).then((copied) => setStatusText(copied ? "Copied" : "Couldn't copy."));
        }}
      >
        {label}
      </MenuItem>
      <MenuNote>{statusText}</MenuNote>
    </>
  );
}

function AddToDecisions({ message, link }: { readonly message: Message; readonly link: string }) {
  const addDecision = useAddDecision();
  const { run, isPending, refusal } = useAction();
  const [statusText, setStatusText] = useState("");
  return (
    <>
      <MenuItem
        icon={CircleCheckBig}
        disabled={isPending || statusText !== ""}
        onClick={() =>
          void run(async () => setStatusText(`Added to the document (v${await addDecision(message, link)})`))
        }
      >
        {isPending ? "Adding…" : "Add to Decisions"}
      </MenuItem>
      <MenuNote>{statusText}</MenuNote>
      <RefusalNote refusal={refusal} className="m-1" />
    </>
  );
}

const attemptsMax = 3;

/**
 * Returns a function that adds a message to the document's section "Decisions", with a link back, and resolves with the
 * new version. Each attempt reads the current document, so that a retry after a conflict with another author succeeds.
 */
function useAddDecision(): (message: Message, link: string) => Promise<number> {
  const call = useCall();
  const { session } = useSession();
  const { session_id } = session;
  return useCallback(
    async (message, link) => {
      for (let attempt = 1; ; attempt += 1) {
        const { content = "", version } = await call("read_session_doc", { session_id });
        try {
          const updated = await call("update_session_doc", {
            session_id,
            content: insertDecision(content, message, link),
            expected_version: version,
          });
          return updated.version;
        } catch (error) {
          if (attempt >= attemptsMax || !(error instanceof MerkleError) || error.code !== "conflict")
            throw error;
        }
      }
    },
    [call, session_id],
  );
}
