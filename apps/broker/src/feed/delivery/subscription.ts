import { channel as diagnosticsChannel } from "node:diagnostics_channel";
import { MerkleError, type SubscriptionKind } from "@merkle/wire";
import type { Log } from "../../core/log.js";
import { type CursorEvent, skipKnownEmpty } from "../../sessions/peers/cursors.js";
import type { LivePeer } from "../../sessions/peers/peer.js";
import type { ChannelReader, Mail, ReadBounds, SessionChannel } from "./channel.js";
import { advancePump, type PumpEffect, type PumpEvent, type PumpState } from "./pump.js";

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

/** A change to a subscription's pump, recorded for tests that replay a real run. */
export interface PumpChange {
  readonly reader: ChannelReader;
  readonly before: PumpState;
  readonly event: PumpEvent;
  readonly after: PumpState;
}

const pumpChanges = diagnosticsChannel("merkle.pumps");

/**
 * Sends a feed to a sink, starting after a cursor. An inbox subscription sends only the messages for its peer
 * (WS-3). While the cursor is below the head and the sink is ready, the next messages are read from the
 * channel. Nothing is queued for a slow reader.
 */
export function startSubscription(options: SubscriptionOptions): Subscription {
  const { channel, kind, inbox, sink, log } = options;
  const addressee = inbox && { peerId: inbox.peer.peerId, includesOwn: false };
  const start = inbox ? skipKnownEmpty(inbox.peer.cursors, options.after) : options.after;
  let state: PumpState = { is: "waiting", cursor: start };
  let retryTimer: NodeJS.Timeout | undefined;

  const reader: ChannelReader = {
    wake: pump,
    notifyChange: (frame) => {
      if (state.is !== "stopped" && sink.isReady) sink.write(frame);
    },
  };
  const detach = channel.attach(reader);
  const stopDraining = sink.onDrain(pump);

  function advance(event: PumpEvent): PumpEffect | null {
    const before = state;
    const { state: after, effect } = advancePump(before, event);
    state = after;
    if (pumpChanges.hasSubscribers) {
      pumpChanges.publish({ reader, before, event, after } satisfies PumpChange);
    }
    return effect;
  }

  function pump(): void {
    while (advance({ type: "woken", head: channel.head, canSend: sink.isReady }) === "read") {
      const mail = readNow(state.cursor);
      if (!mail) return readBehind(state.cursor);
      sendMail(mail);
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

  function readNow(after: number): Mail | null {
    if (addressee) return channel.readMailNow(after, addressee, computeBounds());
    const entries = channel.readNow(after, computeBounds());
    return entries && { entries, upTo: entries.at(-1)?.sequence ?? after };
  }

  async function read(after: number): Promise<Mail> {
    if (addressee) return channel.readMail(after, addressee, computeBounds());
    const entries = await channel.read(after, computeBounds());
    return { entries, upTo: entries.at(-1)?.sequence ?? after };
  }

  function readBehind(after: number): void {
    read(after)
      .then((mail) => {
        sendMail(mail);
        pump();
      })
      .catch(noteFailure);
  }

  function noteFailure(error: unknown): void {
    const isArchived = isSessionArchived(error);
    if (!isArchived) {
      log.warn("reading a feed for a subscription failed; it is tried again", {
        sessionId: channel.sessionId,
        error,
      });
    }
    if (advance({ type: "readFailed", isArchived }) !== "pause") return;
    retryTimer = setTimeout(() => {
      advance({ type: "retryDue" });
      pump();
    }, retryReadMs);
  }

  function sendMail({ entries, upTo }: Mail): void {
    const last = entries.at(-1)?.sequence ?? state.cursor;
    if (advance({ type: "read", upTo }) !== "send") return;
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
      if (state.is === "stopped") return;
      advance({ type: "stopped" });
      clearTimeout(retryTimer);
      detach();
      stopDraining();
      inbox?.save();
    },
  };
}

/**
 * Returns whether a read failed because the session is archived (ARCHIVE-6).
 */
function isSessionArchived(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "session_archived";
}
