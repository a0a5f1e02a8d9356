import type { Message, Session } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { CliError, exitCodes } from "../../core/cli-error.js";
import type { TailOptions } from "./tail-options.js";

interface WatchedTail {
  readonly client: Pick<MerkleClient, "state" | "onState">;
  /** As it was when the tail began. */
  readonly session: Session;
  readonly options: Pick<TailOptions, "untilClosed" | "timeoutMs">;
  readonly after: number;
}

interface TailEnd {
  /** Aborted when the tail is to end: with a CliError where that is no good end. */
  readonly signal: AbortSignal;
  /** The broker has confirmed that it follows. */
  connected(): void;
  printed(message: Message): void;
  /** The feed goes on after this message, since the database was restored to a day when it had no more. */
  restored(sequence: number): void;
  stop(): void;
}

/**
 * Tells when a tail ends by itself. What was in the feed when it began is printed in any case; after that `--until-closed`
 * ends it with the event of the conclusion, or at once where the session was closed before, and `--timeout` when the time is
 * up. When the time is up and the broker away, what is missing cannot be waited for.
 */
export function watchForEnd({ client, session, options, after }: WatchedTail): TailEnd {
  const controller = new AbortController();
  let cursor = after;
  let concluded = session.status === "closed";
  let complete = session.last_sequence;
  let isConnected = false;
  let timeUp = false;

  function check(): void {
    const isComplete = isConnected && cursor >= complete;
    if (isComplete && (timeUp || (options.untilClosed && concluded))) controller.abort();
    else if (timeUp && client.state.status !== "open") controller.abort(lostConnection(cursor));
  }

  const runOut = () => {
    timeUp = true;
    check();
  };
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(runOut, options.timeoutMs);
  const stopListening = client.onState(check);

  return {
    signal: controller.signal,
    connected() {
      isConnected = true;
      check();
    },
    printed(message) {
      cursor = message.sequence;
      concluded ||= message.content["event"] === "session_concluded" && message.type === "system";
      check();
    },
    restored(sequence) {
      cursor = sequence;
      complete = Math.min(complete, sequence);
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
