"use client";

import { type ReactNode, useCallback, useEffect, useState } from "react";
import { TimeText } from "@/components/time-text";
import { useAtNow } from "@/core/time/use-now";
import { useSession } from "@/sessions/session-context";

/**
 * The session's title and description. Changed text cross-fades and is highlighted once. For ten minutes a line shows
 * who changed it and why. With reduced motion, only this line appears.
 */
export function TitleBlock({ children }: { children?: ReactNode }) {
  const { session } = useSession();
  return (
    <div className="min-w-0 flex-1 basis-96">
      <div className="flex min-w-0 items-start gap-x-3">
        <h1
          dir="auto"
          className="relative min-w-0 text-title font-semibold [overflow-wrap:anywhere] max-md:line-clamp-2 short:line-clamp-2"
        >
          <ChangingText text={session.title} />
        </h1>
        {children}
      </div>
      {session.description !== "" && (
        <p
          dir="auto"
          className="relative line-clamp-1 max-w-[90ch] md:line-clamp-3 short:line-clamp-1 break-words whitespace-pre-line text-muted-foreground"
        >
          <ChangingText text={session.description} />
        </p>
      )}
      <LastChange />
    </div>
  );
}

/** Shows the old text over the new text until the old text has faded out. Needs a positioned ancestor. */
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
  const { last_change } = useSession().session;
  const at = last_change === null ? 0 : Date.parse(last_change.at);
  const isRecent = useAtNow(useCallback((now: number) => now - at < shownMs, [at]));
  if (last_change === null || !isRecent) return null;
  return (
    <p className="text-sm text-muted-foreground">
      changed by <bdi className="font-medium text-foreground">{last_change.by}</bdi>{" "}
      <TimeText at={last_change.at} />: <bdi className="break-words">{last_change.reason}</bdi>
    </p>
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
