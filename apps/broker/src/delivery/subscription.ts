import type { SubscriptionKind } from "@merkle/wire";
import type { Log } from "../log.js";
import { offerUpTo, type Peer } from "../roster/peer.js";
import type { Channel, ReadBounds, Reader } from "./channel.js";
import type { Entry } from "./entry.js";

/** Where a subscription writes. The rules below know no more of a connection than this. */
export interface Sink {
  /** Whether it takes more now; when not, `onDrain` says when it does again. */
  readonly ready: boolean;
  write(frame: Buffer): void;
  onDrain(listener: () => void): () => void;
}

export interface SubscriptionOptions {
  readonly channel: Channel;
  readonly kind: SubscriptionKind;
  /** Messages with a higher sequence follow. */
  readonly after: number;
  /** Whose inbox it is; a `follow` has none. */
  readonly peer: Peer | null;
  readonly sink: Sink;
  readonly log: Log;
  /** Told how far an inbox has been handed out. */
  readonly onOffered?: (peer: Peer) => void;
  readonly onDelivered: (messages: number) => void;
}

export interface Subscription {
  readonly cursor: number;
  stop(): void;
}

/** Read in pieces, so that one reader that is far behind neither fills the memory nor holds the event loop. */
const pumpBounds: ReadBounds = { messagesMax: 200, bytesMax: 256 * 1024 };

/**
 * Sends a feed to a sink from a cursor on: one number and a pump (WS-3). While the number is below the head and the sink
 * is ready, the next messages are taken from the channel; nothing is queued for a reader that is slow.
 */
export function startSubscription(options: SubscriptionOptions): Subscription {
  const { channel, kind, peer, sink, log } = options;
  let cursor = options.after;
  let reading = false;
  let stopped = false;

  const reader: Reader = {
    wake: pump,
    changed: (frame) => {
      if (!stopped && sink.ready) sink.write(frame);
    },
  };
  const detach = channel.attach(reader);
  const stopDraining = sink.onDrain(pump);
  if (peer) peer.connections += 1;

  function pump(): void {
    while (!stopped && !reading && sink.ready && cursor < channel.head) {
      const entries = channel.readNow(cursor, pumpBounds);
      if (entries) send(entries);
      else readBehind();
    }
  }

  function readBehind(): void {
    reading = true;
    channel
      .read(cursor, pumpBounds)
      .then((entries) => {
        reading = false;
        if (stopped) return;
        send(entries);
        pump();
      })
      .catch((error: unknown) => {
        // The next message, or the safety query, wakes it again.
        reading = false;
        log.warn("reading a feed for a subscription failed", { sessionId: channel.sessionId, error });
      });
  }

  function send(entries: readonly Entry[]): void {
    let delivered = 0;
    for (const entry of entries) {
      cursor = entry.sequence;
      if (peer && entry.peerId === peer.peerId) continue;
      sink.write(entry.frame(kind));
      delivered += 1;
    }
    options.onDelivered(delivered);
    if (peer) {
      offerUpTo(peer, cursor);
      options.onOffered?.(peer);
    }
  }

  pump();
  return {
    get cursor() {
      return cursor;
    },
    stop() {
      if (stopped) return;
      stopped = true;
      detach();
      stopDraining();
      if (peer) peer.connections -= 1;
    },
  };
}
