import type { Message, Session } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { CliError, exitCodes } from "../../core/cli-error.js";
import type { TailOptions } from "./tail-options.js";

interface WatchedTail {
  readonly client: Pick<MerkleClient, "state" | "onState">;
  /** The session as it was when the tail began. */
  readonly session: Session;
  readonly options: Pick<TailOptions, "untilClosed" | "timeoutMs">;
  /** Returns the sequence of the last message that was printed. */
  readonly getCursor: () => number;
}

interface TailEnd {
  /** Aborted when the tail must end. If the tail failed, the reason is a CliError. */
  readonly signal: AbortSignal;
  /** Records that the broker has confirmed the subscription. */
  recordConnected(): void;
  recordPrinted(message: Message): void;
  /** Records a database restore: the feed now continues after the cursor. */
  recordRestore(): void;
  stop(): void;
}

/**
 * Decides when a tail ends automatically. Messages that existed when the tail began are always printed.
 *
 * After that, `--until-closed` ends the tail at the conclusion, or immediately if the session was already
 * closed. `--timeout` ends the tail when the time is up, and makes it fail if the broker is disconnected at
 * that point.
 */
export function watchForEnd({ client, session, options, getCursor }: WatchedTail): TailEnd {
  const controller = new AbortController();
  let isConcluded = session.status === "closed";
  let completeAt = session.last_sequence;
  let isConnected = false;
  let isTimeUp = false;

  function check(): void {
    const isComplete = isConnected && getCursor() >= completeAt;
    if (isComplete && (isTimeUp || (options.untilClosed && isConcluded))) controller.abort();
    else if (isTimeUp && client.state.status !== "open") controller.abort(lostConnection(getCursor()));
  }

  const onTimeout = () => {
    isTimeUp = true;
    check();
  };
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(onTimeout, options.timeoutMs);
  const stopListening = client.onState(check);

  return {
    signal: controller.signal,
    recordConnected() {
      isConnected = true;
      check();
    },
    recordPrinted(message) {
      isConcluded ||= message.content["event"] === "session_concluded" && message.type === "system";
      check();
    },
    recordRestore() {
      completeAt = Math.min(completeAt, getCursor());
      check();
    },
    stop() {
      clearTimeout(timer);
      stopListening();
    },
  };
}

function lostConnection(cursor: number): CliError {
  return new CliError(
    "unreachable",
    `The connection to the broker was lost and did not return in time; printed up to #${cursor}.`,
    { exitCode: exitCodes.unreachable, details: { cursor }, next: ["merkle doctor"] },
  );
}
