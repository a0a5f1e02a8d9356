import { MerkleError, type SubscriptionKind } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import { type CursorEvent, skipKnownEmpty } from "../../sessions/peers/cursors.js";
import type { LivePeer } from "../../sessions/peers/peer.js";
import type { ChannelReader, Mail, ReadBounds, SessionChannel } from "./channel.js";

/** The target to which a subscription writes. The subscription knows nothing else about the connection. */
export interface Sink {
  /** Whether the sink accepts more data now. If not, `onDrain` listeners are called once it does. */
  readonly isReady: boolean;
  /**
   * Number of bytes that the sink accepts before it stops being ready. A single message may be larger than
   * that.
   */
  readonly room: number;
  write(frame: Buffer): void;
  onDrain(listener: () => void): () => void;
}

export interface SubscriptionOptions {
  readonly channel: SessionChannel;
  readonly kind: SubscriptionKind;
  /** The subscription sends the messages after this sequence. */
  readonly after: number;
  /** Inbox of the subscribed peer. Null for a `follow`. */
  readonly inbox: PeerInbox | null;
  readonly sink: Sink;
  readonly log: Log;
  readonly onDelivered: (messages: Mail["entries"]) => void;
}

export interface PeerInbox {
  readonly peer: LivePeer;
  /** Moves the peer's cursors. */
  advance(event: CursorEvent): void;
  /** Saves the cursors when the subscription ends. */
  save(): void;
}

export interface Subscription {
  readonly sessionId: string;
  stop(): void;
}

/**
 * Size of one read, so that a reader that is far behind neither fills the memory nor blocks the event loop.
 */
const pumpBounds: ReadBounds = { messagesMax: 200, bytesMax: 256 * 1024 };
/**
 * Delay before a failed read is retried. Without a retry, only a new message would wake the reader, possibly
 * much later.
 */
const retryReadMs = 250;

/**
 * Sends a feed to a sink, starting after a cursor. An inbox subscription sends only the messages for its peer
 * (WS-3). While the cursor is below the head and the sink is ready, the next messages are read from the
 * channel. Nothing is queued for a slow reader.
 */
export function startSubscription(options: SubscriptionOptions): Subscription {
  const { channel, kind, inbox, sink, log } = options;
  const addressee = inbox && { peerId: inbox.peer.peerId, includesOwn: false };
  let cursor = inbox ? skipKnownEmpty(inbox.peer.cursors, options.after) : options.after;
  let isReading = false;
  let isStopped = false;
  let retryTimer: NodeJS.Timeout | undefined;

  const reader: ChannelReader = {
    wake: pump,
    notifyChange: (frame) => {
      if (!isStopped && sink.isReady) sink.write(frame);
    },
  };
  const detach = channel.attach(reader);
  const stopDraining = sink.onDrain(pump);

  function pump(): void {
    while (!isStopped && !isReading && sink.isReady && cursor < channel.head) {
      const read = readNow();
      if (read) sendMail(read);
      else readBehind();
    }
  }

  /**
   * Returns the bounds of the next read. A client that has not shown that it is reading gets small pieces,
   * because messages in flight to it count as delivered.
   */
  function computeBounds(): ReadBounds {
    const { room } = sink;
    return room < pumpBounds.bytesMax ? { ...pumpBounds, bytesMax: room } : pumpBounds;
  }

  function readNow(): Mail | null {
    if (addressee) return channel.readMailNow(cursor, addressee, computeBounds());
    const entries = channel.readNow(cursor, computeBounds());
    return entries && { entries, upTo: entries.at(-1)?.sequence ?? cursor };
  }

  async function read(): Promise<Mail> {
    if (addressee) return channel.readMail(cursor, addressee, computeBounds());
    const entries = await channel.read(cursor, computeBounds());
    return { entries, upTo: entries.at(-1)?.sequence ?? cursor };
  }

  function readBehind(): void {
    isReading = true;
    read()
      .then((mail) => {
        isReading = false;
        if (isStopped) return;
        sendMail(mail);
        pump();
      })
      .catch((error: unknown) => {
        if (isArchived(error)) {
          isReading = false;
          return;
        }
        log.warn("reading a feed for a subscription failed; it is tried again", {
          sessionId: channel.sessionId,
          error,
        });
        if (isStopped) return;
        retryTimer = setTimeout(() => {
          isReading = false;
          pump();
        }, retryReadMs);
      });
  }

  function sendMail({ entries, upTo }: Mail): void {
    const last = entries.at(-1)?.sequence ?? cursor;
    cursor = upTo;
    if (entries.length > 0) {
      sink.write(channel.toFrames(entries, kind));
      options.onDelivered(entries);
    }
    inbox?.advance({ type: "handedOut", upTo: last });
    inbox?.advance({ type: "foundEmpty", after: last, upTo });
  }

  pump();
  return {
    sessionId: channel.sessionId,
    stop() {
      if (isStopped) return;
      isStopped = true;
      clearTimeout(retryTimer);
      detach();
      stopDraining();
      inbox?.save();
    },
  };
}

/**
 * Returns whether a read failed because the session is archived. Such a read is not retried until the session changes
 * (ARCHIVE-6).
 */
function isArchived(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "session_archived";
}
