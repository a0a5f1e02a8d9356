import { createHmac, timingSafeEqual } from "node:crypto";
import type { SentHint } from "./hints.js";
import { parseHint } from "./parse-hint.js";

/** Why a message on the bus is ignored. */
export type IgnoredBy = "unsigned" | "malformed" | "repeated";

export type OpenedEnvelope =
  | { readonly ignored: IgnoredBy }
  /** `malformed` is the number of invalid hints, which are left out of `hints`. */
  | { readonly ignored: null; readonly hints: readonly SentHint[]; readonly malformed: number };

/** Signs the messages that this node sends over the bus, and verifies messages from other nodes (NODE-15). */
export interface Envelopes {
  /** Size of a message without any hints, in bytes. */
  readonly overheadBytes: number;
  /** @param forEarlier - whether nodes that are too old to read signed hints should re-read everything */
  seal(hints: readonly string[], options?: { readonly shouldAlertOldNodes: boolean }): string;
  /**
   * Verifies a message and returns its hints. A repeated message is ignored. For this node's own messages, no
   * hints are returned.
   */
  open(payload: string): OpenedEnvelope;
  /** Returns whether a valid message from the node arrived within the given time. */
  hasHeardFrom(nodeId: string, withinMs: number): boolean;
}

/** What is known about a node from its last valid message. */
interface Sender {
  readonly start: number;
  readonly counter: number;
  readonly heardAt: number;
}

/** No node sends longer messages: PostgreSQL refuses a payload of 8,000 bytes, and nodes keep that limit on every bus. */
export const payloadBytesMax = 7_999;
const sendersMax = 1_000;
/** Hints for nodes that are too old to read signed hints. All other nodes ignore these hints. */
const hintsForOldNodes = '["lost",{}]';
const shape = /^\{"hints":\[(?:\["lost",\{\}\])?\],"mac":"([\w-]{43})","body":(\{.*\})\}$/s;

/**
 * @param secret - shared by all nodes of a database, and stored outside it
 * @param channel - separates deployments that share a secret
 */
export function createEnvelopes({
  nodeId,
  secret,
  channel,
}: {
  readonly nodeId: string;
  readonly secret: string;
  readonly channel: string;
}): Envelopes {
  const start = Date.now();
  const senders = new Map<string, Sender>();
  let counter = 0;

  function wrap(body: string, unsignedHints: string): string {
    return `{"hints":[${unsignedHints}],"mac":"${computeMac(body)}","body":${body}}`;
  }

  function computeMac(body: string): string {
    return createHmac("sha256", secret).update(channel).update("\n").update(body).digest("base64url");
  }

  function toBody(count: number, hints: readonly string[]): string {
    return `{"node":"${nodeId}","start":${start},"counter":${count},"hints":[${hints.join()}]}`;
  }

  /** Messages arrive in order, so a counter that does not increase means a repeated message. */
  function isRepeated({ node, start: began, counter: count }: Body): boolean {
    const known = senders.get(node);
    if (known && (began < known.start || (began === known.start && count <= known.counter))) return true;
    senders.delete(node);
    senders.set(node, { start: began, counter: count, heardAt: performance.now() });
    const [longestSilent] = senders.size > sendersMax ? senders.keys() : [];
    if (longestSilent !== undefined) senders.delete(longestSilent);
    return false;
  }

  return {
    overheadBytes: Buffer.byteLength(wrap(toBody(Number.MAX_SAFE_INTEGER, []), hintsForOldNodes)),
    seal(hints, { shouldAlertOldNodes } = { shouldAlertOldNodes: false }) {
      counter += 1;
      return wrap(toBody(counter, hints), shouldAlertOldNodes ? hintsForOldNodes : "");
    },
    open(payload) {
      if (payload.length > payloadBytesMax) return { ignored: "malformed" };
      const [, mac, text] = shape.exec(payload) ?? [];
      if (mac === undefined || text === undefined || !isEqual(mac, computeMac(text)))
        return { ignored: "unsigned" };
      const body = parseBody(text);
      if (!body) return { ignored: "malformed" };
      if (body.node === nodeId) return { ignored: null, hints: [], malformed: 0 };
      if (isRepeated(body)) return { ignored: "repeated" };
      const parsed = body.hints.map(parseHint);
      const hints = parsed.filter((each) => typeof each === "object");
      return { ignored: null, hints, malformed: parsed.filter((each) => each === "malformed").length };
    },
    hasHeardFrom(node, withinMs) {
      const heardAt = senders.get(node)?.heardAt;
      return heardAt !== undefined && performance.now() - heardAt < withinMs;
    },
  };
}

interface Body {
  readonly node: string;
  readonly start: number;
  readonly counter: number;
  readonly hints: readonly unknown[];
}

function parseBody(text: string): Body | null {
  try {
    const { node, start, counter, hints } = JSON.parse(text);
    const isWhole = typeof node === "string" && Number.isSafeInteger(start) && Number.isSafeInteger(counter);
    return isWhole && Array.isArray(hints) ? { node, start, counter, hints } : null;
  } catch {
    return null;
  }
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
