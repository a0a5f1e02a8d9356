import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionTarget, openNotifications } from "@merkle/db";
import type { Log } from "../log.js";
import { type BusIdentity, createBatches } from "./batches.js";
import { type Bus, createHintListeners } from "./bus.js";
import type { SentHint } from "./hints.js";

/** How often a query checks the connection. Only a query detects a connection that was cut without notice. */
const checkEveryMs = 2_000;
const retryMs = 250;

/**
 * Starts a bus over PostgreSQL notifications. It uses its own connection, so that no write waits for a hint
 * or fails because of one. PgBouncer must use session pooling for this connection.
 */
export async function startPostgresBus(options: {
  readonly target: ConnectionTarget;
  readonly identity: BusIdentity;
  readonly log: Log;
}): Promise<Bus> {
  const { target, identity, log } = options;
  const stopping = new AbortController();
  const listeners = createHintListeners(log);
  const batches = createBatches({ identity: options.identity, listeners, log, send });
  let isUp = false;
  let losses = 0;

  const connection = openNotifications(target, identity.channel, {
    onNotified: batches.receive,
    onLost() {
      losses += 1;
      if (isUp)
        log.warn(
          "the bus is down; until it is back, nodes see each other's changes only through periodic sweeps",
        );
      isUp = false;
      void listenAgain();
    },
  });

  async function send(payloads: readonly string[]): Promise<void> {
    if (!isUp) throw new Error("The bus is down.");
    await connection.notify(payloads);
  }

  let listening: Promise<void> | null = null;
  function listenAgain(): Promise<void> {
    listening ??= listen().finally(() => {
      listening = null;
    });
    return listening;
  }

  async function listen(): Promise<void> {
    while (!stopping.signal.aborted) {
      const before = losses;
      const isListening = await connection.listen().then(
        () => true,
        () => false,
      );
      // If the connection was lost while LISTEN was running, a later query would use a new connection that
      // does not listen.
      if (isListening && losses === before) {
        isUp = true;
        log.info("the bus is up", { bus: "postgres" });
        return batches.noteLoss();
      }
      await delay(retryMs * (0.5 + Math.random()), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  }

  const checkTimer = setInterval(() => {
    if (isUp) connection.check().catch(() => undefined);
  }, checkEveryMs);
  await listenAgain();

  return {
    kind: "postgres",
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
      clearInterval(checkTimer);
      await batches.end();
      stopping.abort();
      // Closing the connection ends a LISTEN in progress.
      await connection.end();
      await listening;
    },
  };
}
