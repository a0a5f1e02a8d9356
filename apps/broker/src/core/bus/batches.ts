import { randomUUID } from "node:crypto";
import type { Log } from "../log.js";
import type { HintListeners } from "./bus.js";
import { keyOfHint, mergeHints, type SentHint } from "./hints.js";

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

  function begin(): void {
    if (sending || ended) return;
    sending = new Promise<void>((resolve) => setImmediate(resolve)).then(sendAll).finally(() => {
      sending = null;
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0 || lost) {
      const batch = [...(lost ? ([["lost", {}]] as const) : []), ...waiting.values()];
      waiting = new Map();
      lost = false;
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
