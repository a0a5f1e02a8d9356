import { buildHeader, buildNumber, type ErrorCode, MerkleError } from "@merkle/wire";
import { type ConnectionState, connect, type MerkleClient, type WebSocketClass } from "@merkle/wire/client";
import { neutralise } from "@merkle/wire/text";
import { WebSocket } from "ws";
import type { Output } from "../command/output.js";
import { isLoopback } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { introduce } from "./introduce.js";
import { toLoopback } from "./loopback.js";
import type { ReachableAddress } from "./reach.js";
import { prepareTls, type TlsOptionsFactory } from "./reach.js";

/**
 * Opens a lasting connection to the broker for a command. The first attempt must succeed. If the connection
 * is lost later, the client reconnects.
 *
 * @throws CliError `unreachable` or `clear_text`; the signal's reason if it is aborted
 */
export async function openLiveClient(
  { base, reach }: ReachableAddress,
  signal: AbortSignal,
): Promise<MerkleClient> {
  const WebSocket = createWebSocketClass(await prepareTls(base, reach));
  // `insecure` is safe here: `prepareTls` has already checked whether an unencrypted connection is allowed,
  // and it recognises this home's own broker.
  const client = connect({ url: base, WebSocket, insecure: true, ...introduce(base, reach) });
  try {
    await waitUntilOpen(client, base, signal);
    const { state } = client;
    if (state.status !== "open" || state.build >= buildNumber) return client;
    reach?.onOtherBuild?.(state.build);
    return withCompleteReplies(client);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Wraps a client that is connected to an older broker, and adds the fields that the broker's replies lack.
 */
function withCompleteReplies(client: MerkleClient): MerkleClient {
  return {
    async call(name, input, options) {
      const { completeReply } = await import("./complete-reply.js");
      return completeReply(name, await client.call(name, input, options));
    },
    follow: (options) => client.follow(options),
    inbox: (options) => client.inbox(options),
    watchMesh: (options) => client.watchMesh(options),
    onPush: (listener) => client.onPush(listener),
    answerNudge: (id, reached) => client.answerNudge(id, reached),
    retryNow: () => client.retryNow(),
    get state() {
      return client.state;
    },
    onState: (listener) => client.onState(listener),
    close: () => client.close(),
  };
}

function waitUntilOpen(client: MerkleClient, base: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => settle(() => reject(signal.reason));
    const stopListening = client.onState((state) => {
      if (state.status === "open") settle(resolve);
      else if (state.status === "closed" && state.code !== undefined) settle(() => reject(toRefusal(state)));
      else if (state.status === "reconnecting" && state.refusal) settle(() => reject(state.refusal));
      else if (state.status !== "connecting") settle(() => reject(noWebSocket(base, state.reason)));
    });
    const settle = (end: () => void) => {
      stopListening();
      signal.removeEventListener("abort", abort);
      end();
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}

/**
 * Returns the error for a connection that the broker or this client refused because of the caller's identity.
 */
export function toRefusal({
  code,
  reason,
}: {
  readonly code?: ErrorCode;
  readonly reason: string;
}): MerkleError {
  return new MerkleError(code ?? "unauthorized", reason, { needs: "membership" });
}

function noWebSocket(base: string, reason: string): CliError {
  return new CliError(
    "unreachable",
    `can't open a WebSocket to ${base} (${neutralise(reason)}). A proxy in between must allow WebSockets.`,
    { exitCode: exitCodes.unreachable, next: ["merkle doctor"] },
  );
}

interface ReportedConnection {
  readonly client: MerkleClient;
  readonly output: Output;
  /** Returns the sequence of the last message received. */
  getCursor(): number;
  /** Reads the sequence of the session's last message from the broker. */
  readHead(): Promise<number>;
}

/** Shorter interruptions end before anyone could read a line about them. */
const reportedPauseMsMin = 1_000;

/**
 * Reports a lost connection on stderr. Reports the reconnection only after all messages posted in between
 * have arrived. The caller must call `came` for each message.
 */
export function reportConnection({ client, output, getCursor, readHead }: ReportedConnection): {
  checkCaughtUp(): void;
  stop(): void;
} {
  let lostAt: number | undefined;
  let catchUpTo: number | undefined;

  function reportState(state: ConnectionState): void {
    if (state.status === "reconnecting") {
      lostAt ??= getCursor();
      catchUpTo = undefined;
      reportReconnecting(state.attempt, state.retryAt - Date.now(), state.reason);
    } else if (state.status === "open" && lostAt !== undefined) {
      // If the head cannot be read, the problem is reported when the connection is next lost or the client
      // ends.
      readHead().then(startCatchUp, () => undefined);
    }
  }

  function reportReconnecting(attempt: number, pauseMs: number, reason: string): void {
    if (attempt > 1 && pauseMs < reportedPauseMsMin) return;
    const when = pauseMs < reportedPauseMsMin ? "now" : `in ${Math.round(pauseMs / 1_000)}s`;
    output.note(`reconnecting, attempt ${attempt} ${when}: ${neutralise(reason)}`);
  }

  function startCatchUp(last: number): void {
    catchUpTo = last;
    checkCaughtUp();
  }

  function checkCaughtUp(): void {
    if (lostAt === undefined || catchUpTo === undefined || getCursor() < catchUpTo) return;
    const count = catchUpTo - lostAt;
    output.note(
      count > 0 ? `reconnected; ${count} missed, shown from #${lostAt + 1}` : "reconnected, nothing missed",
    );
    lostAt = undefined;
    catchUpTo = undefined;
  }

  return { checkCaughtUp, stop: client.onState(reportState) };
}

/**
 * Returns a WebSocket class that trusts the given certificates. Default: the certificates that Node trusts.
 */
export function createWebSocketClass(trust: TlsOptionsFactory | undefined): WebSocketClass {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, {
        ...trust?.(),
        headers: { [buildHeader]: String(buildNumber) },
        ...(isLoopback(new URL(url).hostname) && toLoopback),
      });
    }
  };
}
