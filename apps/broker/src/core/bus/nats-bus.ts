import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import type { Log } from "../log.js";
import { StartError } from "../start-error.js";
import { withTimeout } from "../with-timeout.js";
import { type BusIdentity, createBatches } from "./batches.js";
import { type Bus, createHintListeners } from "./bus.js";
import { payloadBytesMax } from "./envelope.js";
import type { SentHint } from "./hints.js";

const retryMs = 500;
/**
 * If a server neither replies nor closes its connection, the client drops the connection after two missed
 * pings.
 */
const pingMs = 3_000;
const flushMsMax = 5_000;
const connectMsMax = 3_000;

/**
 * Starts a bus over a NATS server. Uses only core NATS, which stores nothing. The address may contain a user
 * and password, or a token. `tls://` enables TLS, and `?creds=` names a credentials file. If the server is
 * unavailable, the bus keeps trying in the background. If the server refuses the connection, the broker does
 * not start.
 */
export async function startNatsBus(options: {
  readonly url: string;
  readonly identity: BusIdentity;
  readonly log: Log;
}): Promise<Bus> {
  const { log } = options;
  const subject = `${options.identity.channel}.hints`;
  // Loaded only when used, because loading takes time and memory.
  const nats = await import("./nats-client.js");
  const connectOptions = await toConnectOptions(options.url, nats.credsAuthenticator);
  const stopping = new AbortController();
  const listeners = createHintListeners(log);
  const batches = createBatches({ identity: options.identity, listeners, log, send });
  let connection: NatsConnection | null = null;
  let isUp = false;

  async function send(payloads: readonly string[]): Promise<void> {
    // Without this check, the client would queue unsent messages without a limit.
    if (!connection || !isUp) throw new Error("The bus is down.");
    for (const payload of payloads) connection.publish(subject, payload);
    await withTimeout(connection.flush(), flushMsMax, "none");
  }

  async function connectOnce(): Promise<void> {
    connection = await nats.connect(connectOptions);
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return;
        if (message.data.length > payloadBytesMax) batches.ignoreOversized();
        else batches.receive(message.string());
      },
    });
    await withTimeout(connection.flush(), flushMsMax, "none");
    markUp();
    void watch(connection);
  }

  /** Follows the status of a connection. The client reconnects automatically, with its subscriptions. */
  async function watch(monitored: NatsConnection): Promise<void> {
    for await (const { type } of monitored.status()) {
      if (type === "disconnect" || type === "staleConnection") markDown();
      if (type === "reconnect") markUp();
    }
    markDown();
    if (!stopping.signal.aborted) await keepConnecting();
  }

  function markUp(): void {
    isUp = true;
    log.info("the bus is up", { bus: "nats" });
    batches.noteLoss();
  }

  function markDown(): void {
    if (isUp && !stopping.signal.aborted)
      log.warn(
        "the bus is down; until it is back, nodes see each other's changes only through periodic sweeps",
      );
    isUp = false;
  }

  async function keepConnecting(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        return await connectOnce();
      } catch {
        await connection?.close().catch(() => undefined);
        await delay(retryMs * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  }

  let connecting = Promise.resolve();
  try {
    await connectOnce();
  } catch (error) {
    if (isRefusal(error)) throw refused(error);
    log.warn(
      "the bus is not available yet; until it is, nodes see each other's changes only through periodic sweeps",
      {
        error,
      },
    );
    connecting = keepConnecting();
  }

  return {
    kind: "nats",
    get isUp() {
      return isUp;
    },
    ignored: batches.ignored,
    isReceivingFrom: batches.isReceivingFrom,
    sendHeartbeat: batches.sendHeartbeat,
    publish: (kind, hint) => batches.add([kind, hint] as unknown as SentHint),
    on: listeners.on,
    waitForListeners: batches.waitForListeners,
    async stop() {
      await batches.end();
      stopping.abort();
      await connecting;
      await connection?.close();
    },
  };
}

type AuthenticatorFactory = typeof import("@nats-io/transport-node").credsAuthenticator;

async function toConnectOptions(
  text: string,
  makeAuthenticator: AuthenticatorFactory,
): Promise<NodeConnectionOptions> {
  const url = new URL(text);
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const file = url.searchParams.get("creds");
  return {
    servers: url.host,
    name: "merkle",
    noEcho: true,
    timeout: connectMsMax,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    ...(url.protocol === "tls:" && { tls: {} }),
    ...(user !== "" && (pass === "" ? { token: user } : { user, pass })),
    ...(file !== null && { authenticator: makeAuthenticator(await readCredentials(file)) }),
  };
}

async function readCredentials(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new StartError(
      "bad_setting",
      `The credentials file that MERKLE_BUS names cannot be read: ${file}`,
      {
        cause: error,
      },
    );
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /authoriz|authentic|permission|tls|certificate/i.test(error.message);
}

function refused(cause: unknown): StartError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StartError(
    "bad_setting",
    `The NATS server refused the connection: ${why}. Correct the user, password, token or credentials file in MERKLE_BUS.`,
    { cause },
  );
}
