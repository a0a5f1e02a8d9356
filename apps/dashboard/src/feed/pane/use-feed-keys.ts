"use client";

import { isRedacted, type Message } from "@merkle/wire";
import type { KeyboardEvent } from "react";
import { copyText } from "@/core/copy-text";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useCompose } from "@/feed/compose/compose-context";
import type { FeedRow } from "@/feed/store/feed-rows";
import { readKind } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { toMessageAddress } from "./message-link";

export interface FeedKeysOptions {
  readonly rows: readonly FeedRow[];
  readonly currentKey: string | null;
  readonly getFirstVisible: () => number;
  readonly goTo: (index: number) => void;
  readonly onEnd: () => void;
  readonly onRaw: (message: Message) => void;
  readonly onReplies: (message: Message) => void;
}

const group = "Feed";

/** Registers the keyboard shortcuts of the feed, which step through messages and act on the current one. */
export function useFeedKeys(options: FeedKeysOptions): (event: KeyboardEvent) => void {
  const { rows, currentKey, getFirstVisible, goTo, onEnd, onRaw, onReplies } = options;
  const { session, at, isObserver } = useSession();
  const compose = useCompose();
  const canWrite = session.status === "active" && at === null && !isObserver;
  const current = rows.find(({ key }) => key === currentKey)?.first;

  function step(by: 1 | -1): void {
    const index = rows.findIndex(({ key }) => key === currentKey);
    goTo(index < 0 ? getFirstVisible() : Math.max(0, Math.min(rows.length - 1, index + by)));
  }

  /** Returns a shortcut handler for the current message. If there is no current message, the handler ignores the key. */
  function forCurrent(act: (message: Message) => void): () => boolean {
    return () => {
      if (!current) return false;
      act(current);
      return true;
    };
  }

  useShortcut("j", () => step(1), { label: "Next message", group });
  useShortcut("k", () => step(-1), { label: "Previous message", group });
  useShortcut("e", onEnd, { label: "Jump to latest", group });
  useShortcut(
    "y",
    forCurrent(({ sequence }) => void copyText(toMessageAddress(session.slug, sequence))),
    { label: "Copy link to message", group },
  );
  useShortcut("o", forCurrent(onReplies), { label: "Show or hide replies", group });
  useShortcut("m", forCurrent(onRaw), { label: "Show raw message", group });
  useShortcut("r", forCurrent(compose.reply), { label: "Reply to message", group, enabled: canWrite });
  useShortcut(
    "a",
    () => {
      if (!current || readKind(current) !== "ask" || isRedacted(current)) return false;
      void compose.answer(current);
      return true;
    },
    { label: "Answer the question", group, enabled: canWrite },
  );
  useShortcut(
    "d",
    () => {
      if (current?.type === "chat") compose.reply(current);
      compose.decide();
    },
    { label: "Write a decision about the message", group, enabled: canWrite },
  );

  return (event) => {
    if (event.key !== "PageDown" && event.key !== "PageUp") return;
    event.preventDefault();
    step(event.key === "PageDown" ? 1 : -1);
  };
}
