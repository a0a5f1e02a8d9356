import type { Log } from "../log.js";
import { createRateLimited } from "../rate-limited.js";
import type { HintListeners } from "./bus.js";
import { createEnvelopes, type IgnoredBy } from "./envelope.js";
import { keyOfHint, mayWait, mergeHints, type SentHint } from "./hints.js";
import { createInbox } from "./inbox.js";

/**
 * Collects the hints that this node publishes while earlier hints are being sent, and sends them together.
 * Passes received hints to the listeners.
 */
export interface Batches {
  readonly ignored: Readonly<Record<IgnoredBy, number>>;
  hears(nodeId: string): boolean;
  add(hint: SentHint): void;
  /** Handles an incoming message. This node's own messages are ignored. */
  receive(payload: string): void;
  /** Counts a message that is too long to come from a node, without reading it. */
  ignoreOversized(): void;
  /** Resolves once the listeners have handled all hints received so far. */
  followed(): Promise<void>;
  /**
   * Reports that hints sent or received by this node may have been lost. This node is notified immediately, and
   * the other nodes are notified with the next batch.
   */
  noteLoss(): void;
  /**
   * Tells the other nodes that this node is alive.
   *
   * @param hasUnheard - whether hints from at least one node are not arriving, perhaps because that node runs
   *   an earlier version
   */
  beat(hasUnheard: boolean): void;
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
const heardWithinMs = 15_000;
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
  const inbox = createInbox(listeners);
  const ignored = { unsigned: 0, malformed: 0, repeated: 0 };
  const logRarely = createRateLimited(ignoredLogMs);
  let waiting = new Map<string, SentHint>();
  let sending: Promise<void> | null = null;
  let lost = false;
  let forEarlier = false;
  let ended = false;
  let sentAt = -gatherMs;
  let hurry: () => void = () => undefined;

  function begin(): void {
    if (sending || ended) return;
    sending = sendAll().finally(() => {
      sending = null;
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0 || lost) {
      await gather();
      const batch = [...(lost ? ([["lost", {}]] as const) : []), ...waiting.values()];
      waiting = new Map();
      lost = false;
      sentAt = performance.now();
      try {
        await send(toPayloads(batch));
      } catch {
        // Not logged, because the bus itself reports that it is down. The other nodes are notified of the
        // loss once the bus is up again.
        lost = true;
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
    const restMs = [...waiting.values()].every(mayWait) ? sentAt + gatherMs - performance.now() : 0;
    return new Promise((resolve) => {
      const timer = restMs > 0 ? setTimeout(resolve, restMs) : undefined;
      hurry = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
      if (restMs <= 0) hurry();
    });
  }

  /**
   * Packs hints into as few payloads as possible, in order. A hint that fits in no payload is dropped and reported as lost.
   */
  function toPayloads(hints: readonly SentHint[]): string[] {
    const payloads: string[] = [];
    const roomBytes = payloadBytesMax - envelopes.overheadBytes;
    let texts: string[] = [];
    let bytes = 0;
    const close = () => {
      if (texts.length > 0) payloads.push(envelopes.seal(texts, { forEarlier }));
      forEarlier = false;
      texts = [];
      bytes = 0;
    };
    for (const hint of hints) {
      const whole = JSON.stringify(hint);
      const text = Buffer.byteLength(whole) < roomBytes ? whole : '["lost",{}]';
      const size = Buffer.byteLength(text) + 1;
      if (bytes + size > roomBytes) close();
      texts.push(text);
      bytes += size;
    }
    close();
    return payloads;
  }

  function ignore(by: IgnoredBy, count = 1): void {
    ignored[by] += count;
    logRarely(() => log.warn("a message on the bus was ignored", { ...ignored }));
  }

  function add(hint: SentHint): void {
    if (ended) return;
    if (waiting.size >= waitingMax) {
      waiting.clear();
      lost = true;
    }
    const key = keyOfHint(hint);
    waiting.set(key, mergeHints(waiting.get(key), hint));
    begin();
    if (!mayWait(hint)) hurry();
  }

  return {
    ignored,
    hears: (nodeId) => envelopes.hasHeard(nodeId, heardWithinMs),
    add,
    beat(hasUnheard) {
      forEarlier = hasUnheard;
      add(["here", {}]);
    },
    receive(payload) {
      const opened = envelopes.open(payload);
      if (opened.ignored !== null) return ignore(opened.ignored);
      if (opened.malformed > 0) ignore("malformed", opened.malformed);
      for (const hint of opened.hints) inbox.add(hint);
    },
    ignoreOversized: () => ignore("malformed"),
    followed: inbox.followed,
    noteLoss() {
      lost = true;
      begin();
      inbox.add(["lost", {}]);
    },
    async end() {
      ended = true;
      await (sending ?? sendAll());
    },
  };
}
