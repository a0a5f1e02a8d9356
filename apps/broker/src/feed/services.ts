import type { Traces } from "../core/traces.js";
import type { SessionServices } from "../sessions/context.js";
import type { Appender } from "./appender.js";
import type { Channels } from "./delivery/channels.js";
import type { MeshChannel } from "./delivery/mesh-channel.js";
import type { WaitSignals } from "./wait-signal.js";
import type { WakePeers } from "./wake-peers.js";

/** The services that write the feed and deliver it to readers. */
export interface FeedServices extends SessionServices {
  readonly appender: Appender;
  readonly channels: Channels;
  /** Traces messages. Null if tracing is off. */
  readonly traces: Traces | null;
  readonly mesh: MeshChannel;
  readonly wakePeers: WakePeers;
  readonly waitSignals: WaitSignals;
}
