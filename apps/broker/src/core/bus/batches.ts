import { randomUUID } from "node:crypto";
import type { Log } from "../log.js";
import type { HintListeners } from "./bus.js";
import { keyOfHint, mayWait, mergeHints, type SentHint } from "./hints.js";

/** Collects hints while others are on their way, and sends them together. */
export interface Batches {
  add(hint: SentHint): void;
  /** Takes what came in, from this node too: that is passed over. */
  receive(payload: string): void;
  /** Says that hints may have been lost in either direction: the others are told with the next batch, this node now. */
  noteLoss(): void;
  /** Sends what waits, once. */
  end(): Promise<void>;
}

/** PostgreSQL refuses a payload of 8,000 bytes; the same is kept for every bus. */
const payloadBytesMax = 7_900;
/** What may wait is gathered for so long after a batch: to hear of each post alone takes the others half of what a post takes. */
const gatherMs = 50;
/** So many different hints wait to be sent; beyond, the others read everything anew instead. */
const waitingMax = 20_000;

/**
 * @param send - sends payloads in order; when it fails, what they held is lost, and the others are told so later
 */
export function createBatches(options: {
  readonly listeners: HintListeners;
  readonly send: (payloads: readonly string[]) => Promise<void>;
  readonly log: Log;
}): Batches {
  const { listeners, send, log } = options;
  const sender = randomUUID();
  let waiting = new Map<string, SentHint>();
  let sending: Promise<void> | null = null;
  let lost = false;
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
        await send(toPayloads(sender, batch));
      } catch {
        // The bus says itself that it is down, and this node says what was lost once it is up again.
        lost = true;
        waiting.clear();
        return;
      }
    }
  }

  /** What comes after a pause waits for the end of its turn alone, as does all that is sent with what may not wait. */
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

  function receive(payload: string): void {
    const sent = parsePayload(payload);
    if (!sent) return log.warn("something that is no hint came over the bus");
    if (sent.from === sender) return;
    for (const [kind, hint] of sent.hints) listeners.tell(kind, hint as never);
  }

  return {
    add(hint) {
      if (ended) return;
      if (waiting.size >= waitingMax) {
        waiting.clear();
        lost = true;
      }
      const key = keyOfHint(hint);
      waiting.set(key, mergeHints(waiting.get(key), hint));
      begin();
      if (!mayWait(hint)) hurry();
    },
    receive,
    noteLoss() {
      lost = true;
      begin();
      listeners.tell("lost", {});
    },
    async end() {
      ended = true;
      await (sending ?? sendAll());
    },
  };
}

/** Hints in as few payloads as hold them, in order; one that fits in none is left out, and said to be lost. */
function toPayloads(sender: string, hints: readonly SentHint[]): string[] {
  const [head, tail] = [`{"from":"${sender}","hints":[`, "]}"];
  const payloads: string[] = [];
  let held: string[] = [];
  let bytes = 0;
  const close = () => {
    if (held.length > 0) payloads.push(head + held.join() + tail);
    held = [];
    bytes = head.length + tail.length;
  };
  close();
  for (const hint of hints) {
    const text = JSON.stringify(hint);
    const size = Buffer.byteLength(text) + 1;
    const fits = head.length + tail.length + size <= payloadBytesMax;
    if (bytes + size > payloadBytesMax) close();
    held.push(fits ? text : '["lost",{}]');
    bytes += fits ? size : 12;
  }
  close();
  return payloads;
}

function parsePayload(text: string): { readonly from: unknown; readonly hints: readonly SentHint[] } | null {
  try {
    const { from, hints } = JSON.parse(text);
    if (!Array.isArray(hints)) return null;
    // Whatever else another version says is passed over by there being no listener.
    return { from, hints: hints.filter((hint) => Array.isArray(hint) && Object(hint[1]) === hint[1]) };
  } catch {
    return null;
  }
}
