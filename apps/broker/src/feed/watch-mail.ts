import { firstUnknown, type Peer } from "../sessions/peers/peer.js";
import type { Channel, ReadBounds } from "./delivery/channel.js";
import type { FeedServices } from "./services.js";
import { park } from "./wait-for-messages.js";

export interface MailWatch {
  readonly services: FeedServices;
  readonly channel: Channel;
  readonly peer: Peer;
  /** Told when a peer has mail that it has not read, also at the beginning, and again whenever more has come. */
  readonly onMail: () => void;
  /** Told when it is ended because the peer has parked too many waits after it. */
  readonly onReplaced: () => void;
}

const bounds: ReadBounds = { messagesMax: 200, bytesMax: 256 * 1024 };

/**
 * Watches for a peer's mail as a wait does that is parked all the time, and counts as one (WAIT-6). It hands nothing out and
 * acknowledges nothing: whoever is told reads by a wait or a check. Returns how to stop.
 */
export function watchMail({ services, channel, peer, onMail, onReplaced }: MailWatch): () => void {
  let cursor = firstUnknown(peer, peer.acked);
  let reading = false;
  let stopped = false;

  async function look(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      while (!stopped && cursor < channel.head) {
        const { entries, upTo } = await channel.readMail(cursor, { peerId: peer.peerId, own: false }, bounds);
        cursor = upTo;
        if (entries.length > 0 && !stopped) onMail();
      }
    } catch (error) {
      // The next message, or whatever else wakes the channel's readers, has it read again.
      services.log.warn("reading a feed for a stream failed", { sessionId: channel.sessionId, error });
    } finally {
      reading = false;
    }
  }

  services.presence.poll(peer);
  const detach = channel.attach({ wake: () => void look() });
  const unpark = park({ services }, peer, () => {
    stop();
    onReplaced();
  });
  void look();

  function stop(): void {
    if (stopped) return;
    stopped = true;
    detach();
    unpark();
    services.presence.poll(peer);
  }
  return stop;
}

/** How many messages a peer has not read, up to 200, and up to where they go. */
export async function countUnread(channel: Channel, peer: Peer): Promise<{ unread: number; upTo: number }> {
  const after = firstUnknown(peer, peer.acked);
  const { entries, upTo } = await channel.readMail(after, { peerId: peer.peerId, own: false }, bounds);
  return { unread: entries.length, upTo };
}
