import { skipKnownEmpty } from "../sessions/peers/cursors.js";
import type { LivePeer } from "../sessions/peers/peer.js";
import type { ReadBounds, SessionChannel } from "./delivery/channel.js";
import type { FeedServices } from "./services.js";
import { parkWait } from "./wait-for-messages.js";

export interface MailWatch {
  readonly services: FeedServices;
  readonly channel: SessionChannel;
  readonly peer: LivePeer;
  /** Called when the peer has unread messages: at the start, and whenever more messages have arrived. */
  readonly onMail: () => void;
  /** Called when the watch ends because the peer has parked too many newer waits. */
  readonly onReplaced: () => void;
}

const bounds: ReadBounds = { messagesMax: 200, bytesMax: 256 * 1024 };

/**
 * Watches for a peer's messages like a permanently parked wait, and counts as a parked wait (WAIT-6). Delivers
 * and acknowledges nothing. The client reads its messages with a separate wait or check. Returns a function
 * that stops the watch.
 */
export function watchMail({ services, channel, peer, onMail, onReplaced }: MailWatch): () => void {
  let cursor = skipKnownEmpty(peer.cursors, peer.cursors.acked);
  let isReading = false;
  let isStopped = false;

  async function readNew(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (!isStopped && cursor < channel.head) {
        const { entries, upTo } = await channel.readMail(
          cursor,
          { peerId: peer.peerId, includesOwn: false },
          bounds,
        );
        cursor = upTo;
        if (entries.length > 0 && !isStopped) onMail();
      }
    } catch (error) {
      // The next message starts another read, as does anything else that wakes the channel's readers.
      services.log.warn("reading a feed for a stream failed", { sessionId: channel.sessionId, error });
    } finally {
      isReading = false;
    }
  }

  services.presence.notePoll(peer);
  const detach = channel.attach({ wake: () => void readNew() });
  const unpark = parkWait({ services }, peer, () => {
    stop();
    onReplaced();
  });
  void readNew();

  function stop(): void {
    if (isStopped) return;
    isStopped = true;
    detach();
    unpark();
    services.presence.notePoll(peer);
  }
  return stop;
}

/** Counts a peer's unread messages, up to 200. `upTo` is the end of the counted range. */
export async function countUnread(
  channel: SessionChannel,
  peer: LivePeer,
): Promise<{ unread: number; upTo: number }> {
  const after = skipKnownEmpty(peer.cursors, peer.cursors.acked);
  const { entries, upTo } = await channel.readMail(
    after,
    { peerId: peer.peerId, includesOwn: false },
    bounds,
  );
  return { unread: entries.length, upTo };
}
