import type { Log } from "../log.js";
import { createRateLimited } from "../rate-limited.js";
import type { HintListeners } from "./bus.js";
import { createEnvelopes, type IgnoredBy } from "./envelope.js";
import { canWait, mergeHints, type SentHint, toHintKey } from "./hints.js";
import { createHintQueue } from "./inbox.js";

/**
 * Collects the hints that this node publishes while earlier hints are being sent, and sends them together.
 * Passes received hints to the listeners.
 */
export interface Batches {
  readonly ignored: Readonly<Record<IgnoredBy, number>>;
  isReceivingFrom(nodeId: string): boolean;
  add(hint: SentHint): void;
  /** Handles an incoming message. This node's own messages are ignored. */
  receive(payload: string): void;
  /** Counts a message that is too long to come from a node, without reading it. */
  ignoreOversized(): void;
  /** Resolves once the listeners have handled all hints received so far. */
  waitForListeners(): Promise<void>;
  /**
   * Reports that hints sent or received by this node may have been lost. This node is notified immediately, and
   * the other nodes are notified with the next batch.
   */
  noteLoss(): void;
  /**
   * Tells the other nodes that this node is alive.
   *
   * @param hasUnheardNodes - whether hints from at least one node are not arriving, perhaps because that node runs
   *   an earlier version
   */
  sendHeartbeat(hasUnheardNodes: boolean): void;
  /** Stops accepting hints, and sends the hints that are still waiting. */
  end(): Promise<void>;
}

/** The id of this node, and the secret and channel that all nodes share. */
export interface BusIdentity {
  readonly nodeId: string;
  /** A secret shared by all nodes of a database and stored outside it. */
  readonly secret: string;
  /** A name that keeps this deployment's hints apart from other deployments' hints on the same server. */
  readonly channel: string;
}

/** PostgreSQL refuses a payload of 8,000 bytes. Nodes keep payloads below that limit on every bus. */
const payloadBytesMax = 7_900;
/**
 * How long deferrable hints are collected after a batch. Without this delay, each post would send its own
 * message, which costs every other node half as much as the post itself.
 */
const gatherMs = 50;
/**
 * Maximum number of different hints that wait to be sent. If there are more, the other nodes re-read everything
 * instead.
 */
const waitingMax = 20_000;
/**
 * Nodes publish with every heartbeat. If nothing has arrived from a node for this long, its hints are not
 * getting through.
 */
const silentAfterMs = 15_000;
const ignoredLogMs = 60_000;

/**
 * @param send - sends payloads in order; if sending fails, the hints in them are lost, and the other nodes are
 * notified of the loss later
 */
export function createBatches(options: {
  readonly identity: BusIdentity;
  readonly listeners: HintListeners;
  readonly send: (payloads: readonly string[]) => Promise<void>;
  readonly log: Log;
}): Batches {
  const { listeners, send, log } = options;
  const envelopes = createEnvelopes(options.identity);
  const inbox = createHintQueue(listeners);
  const ignored = { unsigned: 0, malformed: 0, repeated: 0 };
  const logRarely = createRateLimited(ignoredLogMs);
  let waiting = new Map<string, SentHint>();
  let sending: Promise<void> | null = null;
  let hasLoss = false;
  let shouldAlertOldNodes = false;
  let hasEnded = false;
  let sentAt = -gatherMs;
  let endGathering: () => void = () => undefined;

  function startSending(): void {
    if (sending || hasEnded) return;
    sending = sendAll().finally(() => {
      sending = null;
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0 || hasLoss) {
      await gather();
      const batch = [...(hasLoss ? ([["lost", {}]] as const) : []), ...waiting.values()];
      waiting = new Map();
      hasLoss = false;
      sentAt = performance.now();
      try {
        await send(toPayloads(batch));
      } catch {
        // Not logged, because the bus itself reports that it is down. The other nodes are notified of the
        // loss once the bus is up again.
        hasLoss = true;
        waiting.clear();
        return;
      }
    }
  }

  /**
   * Waits before sending the next batch. Usually the wait lasts only until the current turn of the event loop
   * ends. Deferrable hints that arrive soon after a batch wait longer.
   */
  function gather(): Promise<void> {
    const restMs = [...waiting.values()].every(canWait) ? sentAt + gatherMs - performance.now() : 0;
    return new Promise((resolve) => {
      const timer = restMs > 0 ? setTimeout(resolve, restMs) : undefined;
      endGathering = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
      if (restMs <= 0) endGathering();
    });
  }

  /**
   * Packs hints into as few payloads as possible, in order. A hint that fits in no payload is dropped and reported as lost.
   */
  function toPayloads(hints: readonly SentHint[]): string[] {
    const payloads: string[] = [];
    const payloadRoomBytes = payloadBytesMax - envelopes.overheadBytes;
    let texts: string[] = [];
    let bytes = 0;
    const flushPayload = () => {
      if (texts.length > 0) payloads.push(envelopes.seal(texts, { shouldAlertOldNodes }));
      shouldAlertOldNodes = false;
      texts = [];
      bytes = 0;
    };
    for (const hint of hints) {
      const whole = JSON.stringify(hint);
      const text = Buffer.byteLength(whole) < payloadRoomBytes ? whole : '["lost",{}]';
      const size = Buffer.byteLength(text) + 1;
      if (bytes + size > payloadRoomBytes) flushPayload();
      texts.push(text);
      bytes += size;
    }
    flushPayload();
    return payloads;
  }

  function ignore(by: IgnoredBy, count = 1): void {
    ignored[by] += count;
    logRarely(() => log.warn("a message on the bus was ignored", { ...ignored }));
  }

  function add(hint: SentHint): void {
    if (hasEnded) return;
    if (waiting.size >= waitingMax) {
      waiting.clear();
      hasLoss = true;
    }
    const key = toHintKey(hint);
    waiting.set(key, mergeHints(waiting.get(key), hint));
    startSending();
    if (!canWait(hint)) endGathering();
  }

  return {
    ignored,
    isReceivingFrom: (nodeId) => envelopes.hasHeardFrom(nodeId, silentAfterMs),
    add,
    sendHeartbeat(hasUnheardNodes) {
      shouldAlertOldNodes = hasUnheardNodes;
      add(["here", {}]);
    },
    receive(payload) {
      const opened = envelopes.open(payload);
      if (opened.ignored !== null) return ignore(opened.ignored);
      if (opened.malformed > 0) ignore("malformed", opened.malformed);
      for (const hint of opened.hints) inbox.add(hint);
    },
    ignoreOversized: () => ignore("malformed"),
    waitForListeners: inbox.waitForListeners,
    noteLoss() {
      hasLoss = true;
      startSending();
      inbox.add(["lost", {}]);
    },
    async end() {
      hasEnded = true;
      await (sending ?? sendAll());
    },
  };
}
