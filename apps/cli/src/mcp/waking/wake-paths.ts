import type { WakePath } from "@merkle/wire";
import type { ClientInbox } from "../../clients/client.js";

/** The ways in which this server can make its client begin a turn. */
export interface WakePaths {
  /** The wake paths that are expected to work at the moment. */
  readonly available: readonly WakePath[];
  /** Tries all wake paths. Resolves with the paths that accepted the nudge. */
  run(wake: Wake): Promise<WakePath[]>;
}

interface Wake {
  readonly line: string;
  /** Attributes of the nudge's line, for clients that display attributes. */
  readonly meta: Readonly<Record<string, string>>;
  /** Whether the nudge may interrupt a running tool. */
  readonly interrupts: boolean;
}

interface WakePathsOptions {
  readonly inbox: ClientInbox | null;
  readonly channel: Channel | null;
  readonly hasHooks: () => boolean;
  readonly log: (text: string) => void;
}

export function createWakePaths({ inbox, channel, hasHooks, log }: WakePathsOptions): WakePaths {
  /**
   * Whether the last attempt to post to the client's inbox failed. A failing inbox is still tried, but not
   * listed as available.
   */
  let inboxFails = false;

  async function post({ line, interrupts }: Wake): Promise<boolean> {
    if (!inbox?.isThere) return false;
    try {
      await inbox.post({ line, interrupts });
      inboxFails = false;
    } catch (error) {
      inboxFails = true;
      log(`the client's inbox did not accept a message: ${String(error)}`);
    }
    return !inboxFails;
  }

  async function send({ line, meta }: Wake): Promise<boolean> {
    if (!channel?.isThere) return false;
    try {
      await channel.send({ content: line, meta });
      return true;
    } catch (error) {
      log(`the channel did not accept a message: ${String(error)}`);
      return false;
    }
  }

  return {
    get available() {
      const paths: (WakePath | false)[] = [
        inbox?.isThere === true && !inboxFails && "inbox",
        hasHooks() && "hooks",
        channel?.isThere === true && "channel",
      ];
      return paths.filter((path) => path !== false);
    },
    async run(wake) {
      const [posted, sent] = await Promise.all([post(wake), send(wake)]);
      return [...(posted ? (["inbox"] as const) : []), ...(sent ? (["channel"] as const) : [])];
    },
  };
}

interface HearingOptions {
  /** Returns when the client last reached this server, in milliseconds. */
  readonly heardAt: () => number;
  /** Returns when the client became idle. Undefined if the client is busy or its state is unknown. */
  readonly idleSince: () => Promise<number | undefined>;
  /** Called when a nudge turns out to have had no effect. */
  readonly onVain: () => void;
}

/**
 * Disables the wake paths after a nudge that had no effect: the client accepted the nudge and became idle
 * again without reaching this server. In that case the client's connection is broken, and every further nudge
 * would cost a turn. The paths are enabled again when the client reaches the server (WAKE-19).
 */
export function untilInVain(paths: WakePaths, { heardAt, idleSince, onVain }: HearingOptions): WakePaths {
  /** When the first nudge since the client last reached this server was sent. */
  let nudgedAt = 0;
  let vainAt = 0;
  const isVain = () => heardAt() < vainAt;

  async function wasInVain(): Promise<boolean> {
    const since = await idleSince();
    return since !== undefined && since > nudgedAt && heardAt() < nudgedAt;
  }

  return {
    get available() {
      return isVain() ? [] : paths.available;
    },
    async run(wake) {
      if (isVain()) return [];
      const isFirst = heardAt() >= nudgedAt;
      if (!isFirst && (await wasInVain())) {
        vainAt = nudgedAt;
        onVain();
        return [];
      }
      const at = Date.now();
      const reached = await paths.run(wake);
      if (isFirst && reached.includes("inbox")) nudgedAt = at;
      return reached;
    },
  };
}

/**
 * A client that accepts notifications from this server, because it supports channels or subscribes to the
 * messages resource (MCP-18).
 */
export interface Channel {
  readonly isThere: boolean;
  send(message: ChannelMessage): Promise<void>;
  onChange(run: () => void): void;
}

/**
 * A message that a client with channel support shows to its model as `<channel source="merkle"
 * …>content</channel>`.
 */
export interface ChannelMessage {
  readonly content: string;
  /** Attributes of the message. Clients drop values that are not strings. */
  readonly meta: Readonly<Record<string, string>>;
}

/** The capability that a server declares in order to send channel messages. */
export const channelCapability = { "claude/channel": {} };

export const channelMethod = "notifications/claude/channel";
