import { closeCodes, type InputOf, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { introduce } from "../broker/introduce.js";
import { toRefusal, trustingWebSocket } from "../broker/live-client.js";
import type { OperationCaller } from "../broker/reach.js";
import { type Reach, reachBroker } from "../broker/reach.js";
import { findRunningBroker } from "../broker/run-file.js";
import { meetMesh } from "../broker/trust.js";
import type { Config } from "../settings/config.js";

/** The server's connection to the broker. Reconnects until the server ends. */
export interface BrokerLink {
  /** Whether the connection is open. */
  readonly isOpen: boolean;
  /**
   * Calls an operation.
   *
   * @throws MerkleError from the broker, or `unavailable` with the broker's address if no connection opens
   * within a few seconds
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: LinkCallOptions,
  ): Promise<OutputOf<Name>>;
  /**
   * Returns the mesh's id if this home's credentials for that mesh may be sent to the broker. @throws the
   * same errors as `call` and `meetMesh`
   */
  meetMesh(signal?: AbortSignal): Promise<string>;
  /** Resolves with the epoch of the broker's database once connected. @throws the same errors as `call` */
  connected(signal?: AbortSignal): Promise<string>;
  /** Makes the next call reconnect, so that this server takes the peer back from the newer connection. */
  comeBack(): void;
  close(): Promise<void>;
}

interface LinkCallOptions {
  readonly signal?: AbortSignal;
  /** How long to retry after a lost connection, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

interface BrokerLinkOptions {
  readonly config: Pick<Config, "broker"> & Reach;
  /**
   * Called with each new client before it connects. A client whose connection the broker has closed
   * permanently is replaced with a new client.
   */
  readonly onClient: (client: MerkleClient) => void;
  /** Called whenever a connection opens. */
  readonly onUp: () => void;
  readonly log: (text: string) => void;
}

/** How long a call waits for a connection. Short, because a person or a model is waiting for the reply. */
const connectWithinMs = 5_000;
/**
 * Keeps the pauses between retries shorter than a call's timeout, so that a waiting call can still reach a
 * broker that has just started.
 */
const retry = { capMs: 2_000 };
const callTimeoutMsDefault = 30_000;

interface Connecting {
  readonly client: MerkleClient;
  readonly base: string;
}

export function openBrokerLink({ config, onClient, onUp, log }: BrokerLinkOptions): BrokerLink {
  let current: Connecting | undefined;
  let finding: Promise<Connecting> | undefined;
  let closed = false;

  /** Returns the current client, or a new client if the current one is permanently closed. */
  async function findClient(): Promise<Connecting> {
    if (current?.client.state.status === "open") return current;
    // A newer connection has replaced this one. If both reconnected, they would keep replacing each other.
    if (current && isReplaced(current.client)) throw wasReplaced();
    finding ??= replaceClient().finally(() => {
      finding = undefined;
    });
    return finding;
  }

  async function replaceClient(): Promise<Connecting> {
    const base = await findAddress(config);
    const WebSocket = trustingWebSocket(await reachBroker(base, config));
    if (closed) throw linkClosed();
    if (current && current.base === base && current.client.state.status !== "closed") return current;
    void current?.client.close();
    const client = connect({ url: base, WebSocket, retry, insecure: true, ...introduce(base, config) });
    current = { client, base };
    client.onState((state) => {
      log(`${base}: ${state.status}${"reason" in state ? `, ${state.reason}` : ""}`);
      if (state.status === "open") onUp();
    });
    onClient(client);
    return current;
  }

  async function openClient(signal: AbortSignal | undefined): Promise<Connecting & { epoch: string }> {
    const found = await findClient();
    return { ...found, epoch: await untilOpen(found, signal) };
  }

  const call: BrokerLink["call"] = async (name, input, { signal, timeoutMs = callTimeoutMsDefault } = {}) => {
    const { client, base } = await openClient(signal);
    try {
      return await client.call(name, input, { timeoutMs, ...(signal && { signal }) });
    } catch (error) {
      if (isReplaced(client)) throw wasReplaced();
      const lost = error instanceof MerkleError && error.code === "unavailable" && !isOpen(client);
      throw lost ? unreachable({ client, base }, error.details) : error;
    }
  };

  return {
    get isOpen() {
      return current !== undefined && isOpen(current.client);
    },
    call,
    async meetMesh(signal) {
      const caller: OperationCaller = { call: (name, input) => call(name, input, signal && { signal }) };
      const { base } = await openClient(signal);
      return meetMesh(caller, { base, source: config.broker.source, reach: config, home: config.home });
    },
    comeBack() {
      if (current && isReplaced(current.client)) current = undefined;
    },
    connected: async (signal) => (await openClient(signal)).epoch,
    async close() {
      closed = true;
      await current?.client.close();
    },
  };
}

/**
 * Returns the configured address. If none is configured, returns the address of the broker that runs on this
 * home, on any port.
 */
async function findAddress({ broker, home }: BrokerLinkOptions["config"]): Promise<string> {
  const running = broker.source === "default" ? await findRunningBroker(home) : undefined;
  return running?.url ?? broker.base;
}

function untilOpen(connecting: Connecting, signal: AbortSignal | undefined): Promise<string> {
  const { client } = connecting;
  return new Promise((resolve, reject) => {
    const look = () => {
      const { state } = client;
      if (state.status === "open") settle(() => resolve(state.epoch));
      else if (isReplaced(client)) settle(() => reject(wasReplaced()));
      else if (state.status === "closed" && state.code !== undefined) settle(() => reject(toRefusal(state)));
      else if (state.status === "reconnecting" && isAboutClock(state.refusal))
        settle(() => reject(state.refusal));
      else if (state.status === "closed") settle(() => reject(unreachable(connecting)));
    };
    const abort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => settle(() => reject(unreachable(connecting))), connectWithinMs);
    const stopListening = client.onState(look);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", abort);
      end();
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else look();
  });
}

/**
 * Returns whether the broker refused the connection because this machine's clock is wrong. Retrying does not
 * help until someone sets the clock.
 */
function isAboutClock(refusal: MerkleError | undefined): boolean {
  return refusal?.details["reason"] === "time";
}

function isOpen(client: MerkleClient): boolean {
  return client.state.status === "open";
}

function isReplaced({ state }: MerkleClient): boolean {
  return state.status === "closed" && state.reason.includes(`code ${closeCodes.replaced.code}`);
}

function wasReplaced(): MerkleError {
  return new MerkleError(
    "conflict",
    "Another process now acts as you in the session and gets your messages, so this server has stopped. Tell your human, who can end that process and start this one again.",
    { close_code: closeCodes.replaced.code },
  );
}

function unreachable({ client, base }: Connecting, details: MerkleError["details"] = {}): MerkleError {
  const { state } = client;
  const reason = "reason" in state ? ` (${state.reason})` : "";
  const doubt = details["outcome"] === "unknown" ? " Your last call may have been done." : "";
  return new MerkleError(
    "unavailable",
    `The broker at ${base} cannot be reached${reason}.${doubt} Call again later: no unread messages are lost. If the broker is not running, your human can start it with: merkle up`,
    doubt ? { outcome: "unknown" } : {},
  );
}

function linkClosed(): MerkleError {
  return new MerkleError("unavailable", "This server is stopping.");
}
