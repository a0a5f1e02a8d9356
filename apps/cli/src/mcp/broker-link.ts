import { closeCodes, type InputOf, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { introduce } from "../broker/introduce.js";
import { createWebSocketClass, toRefusal } from "../broker/live-client.js";
import type { OperationCaller } from "../broker/reach.js";
import { prepareTls, type Reach } from "../broker/reach.js";
import { findRunningBroker } from "../broker/run-file.js";
import { getTrustedMeshId } from "../broker/trust.js";
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
   * same errors as `call` and `getTrustedMeshId`
   */
  getTrustedMeshId(signal?: AbortSignal): Promise<string>;
  /** Resolves with the epoch of the broker's database once connected. @throws the same errors as `call` */
  getEpoch(signal?: AbortSignal): Promise<string>;
  /** Makes the next call reconnect, so that this server takes the peer back from the newer connection. */
  reconnectOnNextCall(): void;
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
  readonly onOpen: () => void;
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

interface LinkClient {
  readonly client: MerkleClient;
  readonly base: string;
}

export function openBrokerLink({ config, onClient, onOpen, log }: BrokerLinkOptions): BrokerLink {
  let current: LinkClient | undefined;
  let pendingClient: Promise<LinkClient> | undefined;
  let isClosed = false;

  /** Returns the current client, or a new client if the current one is permanently closed. */
  async function findClient(): Promise<LinkClient> {
    if (current?.client.state.status === "open") return current;
    // A newer connection has replaced this one. If both reconnected, they would keep replacing each other.
    if (current && isReplaced(current.client)) throw wasReplaced();
    pendingClient ??= replaceClient().finally(() => {
      pendingClient = undefined;
    });
    return pendingClient;
  }

  async function replaceClient(): Promise<LinkClient> {
    const base = await findAddress(config);
    const WebSocket = createWebSocketClass(await prepareTls(base, config));
    if (isClosed) throw linkClosed();
    if (current && current.base === base && current.client.state.status !== "closed") return current;
    void current?.client.close();
    const client = connect({ url: base, WebSocket, retry, insecure: true, ...introduce(base, config) });
    current = { client, base };
    client.onState((state) => {
      log(`${base}: ${state.status}${"reason" in state ? `, ${state.reason}` : ""}`);
      if (state.status === "open") onOpen();
    });
    onClient(client);
    return current;
  }

  async function openClient(signal: AbortSignal | undefined): Promise<LinkClient & { epoch: string }> {
    const linkClient = await findClient();
    return { ...linkClient, epoch: await waitUntilOpen(linkClient, signal) };
  }

  const call: BrokerLink["call"] = async (name, input, { signal, timeoutMs = callTimeoutMsDefault } = {}) => {
    const { client, base } = await openClient(signal);
    try {
      return await client.call(name, input, { timeoutMs, ...(signal && { signal }) });
    } catch (error) {
      if (isReplaced(client)) throw wasReplaced();
      const isLost = error instanceof MerkleError && error.code === "unavailable" && !isOpen(client);
      throw isLost ? unreachable({ client, base }, error.details) : error;
    }
  };

  return {
    get isOpen() {
      return current !== undefined && isOpen(current.client);
    },
    call,
    async getTrustedMeshId(signal) {
      const caller: OperationCaller = { call: (name, input) => call(name, input, signal && { signal }) };
      const { base } = await openClient(signal);
      return getTrustedMeshId(caller, {
        base,
        source: config.broker.source,
        reach: config,
        home: config.home,
      });
    },
    reconnectOnNextCall() {
      if (current && isReplaced(current.client)) current = undefined;
    },
    getEpoch: async (signal) => (await openClient(signal)).epoch,
    async close() {
      isClosed = true;
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

function waitUntilOpen(linkClient: LinkClient, signal: AbortSignal | undefined): Promise<string> {
  const { client } = linkClient;
  return new Promise((resolve, reject) => {
    const check = () => {
      const { state } = client;
      if (state.status === "open") settle(() => resolve(state.epoch));
      else if (isReplaced(client)) settle(() => reject(wasReplaced()));
      else if (state.status === "closed" && state.code !== undefined) settle(() => reject(toRefusal(state)));
      else if (state.status === "reconnecting" && isAboutClock(state.refusal))
        settle(() => reject(state.refusal));
      else if (state.status === "closed") settle(() => reject(unreachable(linkClient)));
    };
    const abort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => settle(() => reject(unreachable(linkClient))), connectWithinMs);
    const stopListening = client.onState(check);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", abort);
      end();
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else check();
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

function unreachable({ client, base }: LinkClient, details: MerkleError["details"] = {}): MerkleError {
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
