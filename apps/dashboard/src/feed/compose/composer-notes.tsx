import { limits } from "@merkle/wire/limits";
import { useEffect } from "react";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { useComposeState } from "./compose-context";
import { countBytes } from "./draft";
import { useSigner } from "./use-signer";

export interface ComposerNotesProps {
  readonly text: string;
  /** The reason why the draft cannot be sent as it is. */
  readonly problem: string | null;
  /** Recipients who are disconnected. */
  readonly offlineNames: readonly string[];
  /** The only recipient, or null if there are several. */
  readonly recipient: string | null;
  /** True while the message waits for a connection. */
  readonly isWaiting: boolean;
  readonly onGiveUp: () => void;
}

const namedMax = 3;

/** Notes for the author: problems before sending, and the status while the message waits. */
export function ComposerNotes({
  text,
  problem,
  offlineNames,
  recipient,
  isWaiting,
  onGiveUp,
}: ComposerNotesProps) {
  const ownAgentName = useOwnAgentName(recipient);
  return (
    <div className="grid gap-1 text-sm empty:hidden">
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      {offlineNames.length > 0 && (
        <p role="status" className="text-warning">
          <bdi>{formatNames(offlineNames)}</bdi> {offlineNames.length === 1 ? "is" : "are"} disconnected. The
          message is delivered when they return.
        </p>
      )}
      {ownAgentName !== null && (
        <p role="status" className="text-muted-foreground">
          Signed on this device: <bdi>{ownAgentName}</bdi> takes this as its user’s words.
        </p>
      )}
      {isWaiting && (
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

/** Returns the recipient's name if it takes messages from here as its user's words, which are then signed (OWN-8). */
function useOwnAgentName(recipient: string | null): string | null {
  const { peers } = useSession();
  const { sign } = useComposeState();
  const signer = useSigner(peers);
  useEffect(() => {
    sign.current = signer ? (input, to) => signer.sign(input, peers, to) : null;
  });
  return recipient !== null && signer ? signer.findOwnAgent(peers, recipient) : null;
}

/** Shows how much of the length limit is used, once at least three quarters are used. */
function ByteCount({ text }: { text: string }) {
  const max = limits.messageTextBytesMax;
  // A UTF-16 code unit takes at most three UTF-8 bytes, so short texts need no exact count.
  if (text.length * 3 < max * 0.75) return null;
  const bytes = countBytes(text);
  if (bytes < max * 0.75) return null;
  return (
    <p className={cn("text-right tabular-nums", bytes > max ? "text-danger" : "text-muted-foreground")}>
      {bytes.toLocaleString("en-GB")} of {max.toLocaleString("en-GB")} bytes
    </p>
  );
}

function formatNames(names: readonly string[]): string {
  const firstNames = names.slice(0, namedMax).join(", ");
  return names.length > namedMax ? `${firstNames} and ${names.length - namedMax} more` : firstNames;
}
