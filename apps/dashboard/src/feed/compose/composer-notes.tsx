import { limits } from "@merkle/wire/limits";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { bytesOf } from "./draft";

export interface ComposerNotesProps {
  readonly text: string;
  /** Why the draft cannot be sent as it is. */
  readonly problem: string | null;
  /** The recipients who will not read it now. */
  readonly away: readonly string[];
  /** Whether it is being sent without a connection. */
  readonly waiting: boolean;
  readonly onGiveUp: () => void;
}

const namedMax = 3;

/** Notes for a writer: before the message is sent, and while it is not sent yet. */
export function ComposerNotes({ text, problem, away, waiting, onGiveUp }: ComposerNotesProps) {
  return (
    <div className="grid gap-1 text-sm empty:hidden">
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      {away.length > 0 && (
        <p role="status" className="text-warning">
          <bdi>{nameSome(away)}</bdi> {away.length === 1 ? "is" : "are"} disconnected. The message is
          delivered when they return.
        </p>
      )}
      {waiting && (
        <p role="status" className="flex flex-wrap items-center gap-2 text-warning">
          You’re offline. Your message will be sent when you reconnect.
          <Button type="button" variant="outline" size="sm" onClick={onGiveUp}>
            Discard
          </Button>
        </p>
      )}
      <ByteCount text={text} />
    </div>
  );
}

/** The used share of the length limit, once it is large. */
function ByteCount({ text }: { text: string }) {
  const max = limits.messageTextBytesMax;
  // A UTF-16 unit has at most three bytes, so a short text need not be counted.
  if (text.length * 3 < max * 0.75) return null;
  const bytes = bytesOf(text);
  if (bytes < max * 0.75) return null;
  return (
    <p className={cn("text-right tabular-nums", bytes > max ? "text-danger" : "text-muted-foreground")}>
      {bytes.toLocaleString("en-GB")} of {max.toLocaleString("en-GB")} bytes
    </p>
  );
}

function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, namedMax).join(", ");
  return names.length > namedMax ? `${shown} and ${names.length - namedMax} more` : shown;
}
