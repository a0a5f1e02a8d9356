"use client";

import { useCallback, useEffect, useState } from "react";
import { TimeText } from "@/components/time-text";
import { useAtNow } from "@/core/time/use-now";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";

/** The session's title: on one line, or whole while the details of the session are open. */
export function SessionTitle({ isWhole }: { readonly isWhole: boolean }) {
  const { title } = useSession().session;
  return (
    <h1
      dir="auto"
      title={title}
      className={cn(
        "relative min-w-0 text-lg font-semibold text-foreground",
        isWhole ? "py-2 [overflow-wrap:anywhere]" : "truncate",
      )}
    >
      <ChangingText text={title} />
    </h1>
  );
}

/** The session's description. Text that changed recently begins with its author and the reason. */
export function SessionDescription({ className }: { readonly className: string }) {
  const { description } = useSession().session;
  return (
    <p dir="auto" className={cn("relative min-w-0 text-muted-foreground", className)}>
      <LastChange />
      <ChangingText text={description} />
    </p>
  );
}

/**
 * Changed text cross-fades and is highlighted once: the old text is shown over the new text until it has faded out. With
 * reduced motion, the text just changes. Needs a positioned ancestor.
 */
function ChangingText({ text }: { text: string }) {
  const { before, changes, onFadedOut } = useChangedText(text);
  return (
    <>
      {/* The key restarts the animation on every change. */}
      <span key={changes} className={changes > 0 ? "title-changed" : undefined}>
        {text}
      </span>
      {before !== null && (
        <span
          key={`before ${changes}`}
          aria-hidden
          onAnimationEnd={onFadedOut}
          className="title-before absolute inset-x-0 top-0 overflow-hidden"
        >
          {before}
        </span>
      )}
    </>
  );
}

const shownMs = 10 * 60 * 1000;

/** Shows the author of the last change and the reason for it, for ten minutes after the change. */
function LastChange() {
  const { last_change, description } = useSession().session;
  const at = last_change === null ? 0 : Date.parse(last_change.at);
  const isRecent = useAtNow(useCallback((now: number) => now - at < shownMs, [at]));
  if (last_change === null || !isRecent) return null;
  return (
    <span>
      changed by <bdi className="font-medium text-foreground">{last_change.by}</bdi>{" "}
      <TimeText at={last_change.at} />: <bdi className="break-words">{last_change.reason}</bdi>
      {description !== "" && " · "}
    </span>
  );
}

/** With reduced motion no animation ends, so a timer removes the old text. */
const fadeMsMax = 2_000;

interface ChangedText {
  /** Number of changes since the text was first shown. */
  readonly changes: number;
  /** The text before the change, until it has faded out. */
  readonly before: string | null;
  readonly onFadedOut: () => void;
}

/** Returns the text and, after a change, the previous text for the animation. */
function useChangedText(text: string): ChangedText {
  const [textState, setTextState] = useState<{ text: string; before: string | null; changes: number }>({
    text,
    before: null,
    changes: 0,
  });
  const onFadedOut = useCallback(() => setTextState((now) => ({ ...now, before: null })), []);
  // Set during rendering, so that React never paints the new text without the animation.
  if (textState.text !== text) setTextState({ text, before: textState.text, changes: textState.changes + 1 });
  useEffect(() => {
    if (textState.before === null) return;
    // A fallback longer than the animation. A timer of the same length would remove the text before a slow page starts to animate
    // it.
    const timer = setTimeout(onFadedOut, fadeMsMax);
    return () => clearTimeout(timer);
  }, [textState.before, onFadedOut]);
  return { before: textState.before, changes: textState.changes, onFadedOut };
}
