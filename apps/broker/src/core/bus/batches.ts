import type { Log } from "../log.js";
import { createRateLimited } from "../rate-limited.js";
import type { HintListeners } from "./bus.js";
import { createEnvelopes, type IgnoredBy } from "./envelope.js";
import { keyOfHint, mayWait, mergeHints, type SentHint } from "./hints.js";
import { createInbox } from "./inbox.js";

/** Collects hints while others are on their way, and sends them together; passes on those that come in. */
export interface Batches {
  readonly ignored: Readonly<Record<IgnoredBy, number>>;
  hears(nodeId: string): boolean;
  add(hint: SentHint): void;
  /** Takes what came in, this node's own messages included, which are passed over. */
  receive(payload: string): void;
  /** Counts a message that is too long to be any node's, unread. */
  ignoreOversized(): void;
  /** Resolves when listeners have ended with all hints that came in until now. */
  followed(): Promise<void>;
  /** Reports that hints may have been lost in either direction: to this node at once, to the others with the next batch. */
  noteLoss(): void;
  /**
   * Has the others hear of this node.
   *
   * @param hasUnheard - whether a node is there that is not heard, whose version may be an earlier one
   */
  beat(hasUnheard: boolean): void;
  /** Sends what waits, once. */
  end(): Promise<void>;
}

/** How a node signs what it sends, and knows what other nodes sent. */
export interface BusIdentity {
  readonly nodeId: string;
  /** Shared by all nodes of a database, and kept outside of it. */
  readonly secret: string;
  /** Separates this deployment's hints from those of others on the same server. */
  readonly channel: string;
}

/** PostgreSQL refuses a payload of 8,000 bytes; the same bound applies to every bus. */
const payloadBytesMax = 7_900;
/** Hints that may wait are gathered for so long after a batch: one message for each post would cost the others half of a post. */
const gatherMs = 50;
/** So many different hints wait to be sent; beyond, the others read everything again instead. */
const waitingMax = 20_000;
/** Nodes publish something at every beat, so one that was silent for so long is not heard. */
const heardWithinMs = 15_000;
const ignoredLogMs = 60_000;

/**
 * @param send - sends payloads in order; when it fails, their hints are lost, and the others are notified of that later
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
        // The bus reports itself that it is down, and this node reports the loss once the bus is up again.
        lost = true;
        waiting.clear();
        return;
      }
    }
  }

  /** A hint after a pause waits for the end of its turn only, as does everything that is sent with one that may not wait. */
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

  /** Puts hints into as few payloads as possible, in order; one that fits in none is left out, and reported as lost. */
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
