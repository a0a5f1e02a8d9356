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
/** A read that failed is tried again this much later: nobody may post for long, and then nothing would wake it. */
const retryReadMs = 250;

/**
 * Sends a feed to a sink from a cursor on: one number and a pump (WS-3). While the number is below the head and the sink
 * is ready, the next messages are taken from the channel; nothing is queued for a reader that is slow.
 */
export function startSubscription(options: SubscriptionOptions): Subscription {
  const { channel, kind, peer, sink, log } = options;
  let cursor = options.after;
  let reading = false;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

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
        log.warn("reading a feed for a subscription failed; it is tried again", {
          sessionId: channel.sessionId,
          error,
        });
        if (stopped) return;
        retry = setTimeout(() => {
          reading = false;
          pump();
        }, retryReadMs);
      });
  }

  function send(entries: readonly Entry[]): void {
    const others = peer ? entries.filter((entry) => entry.peerId !== peer.peerId) : entries;
    if (others.length === entries.length) sink.write(channel.framesOf(entries, kind));
    else for (const entry of others) sink.write(entry.frame(kind));
    cursor = entries.at(-1)?.sequence ?? cursor;
    options.onDelivered(others.length);
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
      clearTimeout(retry);
      detach();
      stopDraining();
      if (peer) peer.connections -= 1;
    },
  };
}
