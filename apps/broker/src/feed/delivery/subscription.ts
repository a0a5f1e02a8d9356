import { MerkleError, type SubscriptionKind } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import { firstUnknown, offerUpTo, type Peer, passOver } from "../../sessions/peers/peer.js";
import type { Channel, Mail, ReadBounds, Reader } from "./channel.js";

/** Where a subscription writes. The rules below know no more of a connection than this. */
export interface Sink {
  /** Whether it takes more now; when not, `onDrain` says when it does again. */
  readonly ready: boolean;
  /** How many bytes it takes before it is ready no more; one message may be larger. */
  readonly room: number;
  write(frame: Buffer): void;
  onDrain(listener: () => void): () => void;
}

export interface SubscriptionOptions {
  readonly channel: Channel;
  readonly kind: SubscriptionKind;
  /** Messages with a higher sequence follow. */
  readonly after: number;
  /** The peer whose inbox it is; a `follow` has none. */
  readonly peer: Peer | null;
  readonly sink: Sink;
  readonly log: Log;
  /** Told when an inbox has been handed out further, and at its end. */
  readonly onOffered?: (peer: Peer) => void;
  readonly onDelivered: (messages: Mail["entries"]) => void;
}

export interface Subscription {
  readonly sessionId: string;
  stop(): void;
}

/** Read in pieces, so that one reader that is far behind neither fills the memory nor holds the event loop. */
const pumpBounds: ReadBounds = { messagesMax: 200, bytesMax: 256 * 1024 };
/** A read that failed is tried again this much later: nobody may post for long, and then nothing would wake it. */
const retryReadMs = 250;

/**
 * Sends a feed, or of an inbox what is for its peer, to a sink from a cursor on: one number and a pump (WS-3). While the
 * number is below the head and the sink is ready, the next messages are taken from the channel; nothing is queued for a
 * reader that is slow.
 */
export function startSubscription(options: SubscriptionOptions): Subscription {
  const { channel, kind, peer, sink, log } = options;
  const addressee = peer && { peerId: peer.peerId, own: false };
  let cursor = peer ? firstUnknown(peer, options.after) : options.after;
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

  function pump(): void {
    while (!stopped && !reading && sink.ready && cursor < channel.head) {
      const read = readNow();
      if (read) take(read);
      else readBehind();
    }
  }

  /** A reader that has not shown that it reads gets little at a time, and what is on its way to it counts as delivered. */
  function bounds(): ReadBounds {
    const { room } = sink;
    return room < pumpBounds.bytesMax ? { ...pumpBounds, bytesMax: room } : pumpBounds;
  }

  function readNow(): Mail | null {
    if (addressee) return channel.readMailNow(cursor, addressee, bounds());
    const entries = channel.readNow(cursor, bounds());
    return entries && { entries, upTo: entries.at(-1)?.sequence ?? cursor };
  }

  async function read(): Promise<Mail> {
    if (addressee) return channel.readMail(cursor, addressee, bounds());
    const entries = await channel.read(cursor, bounds());
    return { entries, upTo: entries.at(-1)?.sequence ?? cursor };
  }

  function readBehind(): void {
    reading = true;
    read()
      .then((mail) => {
        reading = false;
        if (stopped) return;
        take(mail);
        pump();
      })
      .catch((error: unknown) => {
        if (isArchived(error)) {
          reading = false;
          return;
        }
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

  function take({ entries, upTo }: Mail): void {
    const last = entries.at(-1)?.sequence ?? cursor;
    cursor = upTo;
    if (entries.length > 0) {
      sink.write(channel.framesOf(entries, kind));
      options.onDelivered(entries);
    }
    if (!peer) return;
    if (entries.length > 0) {
      offerUpTo(peer, last);
      options.onOffered?.(peer);
    }
    passOver(peer, last, upTo);
  }

  pump();
  return {
    sessionId: channel.sessionId,
    stop() {
      if (stopped) return;
      stopped = true;
      clearTimeout(retry);
      detach();
      stopDraining();
      if (peer) options.onOffered?.(peer);
    },
  };
}

/** Its messages are elsewhere: nothing is tried again until the session changes (ARCHIVE-6). */
function isArchived(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "session_archived";
}
