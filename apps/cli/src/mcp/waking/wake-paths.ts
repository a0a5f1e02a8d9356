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
  readonly canInterrupt: boolean;
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
  let hasInboxFailed = false;

  async function post({ line, canInterrupt }: Wake): Promise<boolean> {
    if (!inbox?.isConnected) return false;
    try {
      await inbox.post({ line, canInterrupt });
      hasInboxFailed = false;
    } catch (error) {
      hasInboxFailed = true;
      log(`the client's inbox did not accept a message: ${String(error)}`);
    }
    return !hasInboxFailed;
  }

  async function send({ line, meta }: Wake): Promise<boolean> {
    if (!channel?.isConnected) return false;
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
        inbox?.isConnected === true && !hasInboxFailed && "inbox",
        hasHooks() && "hooks",
        channel?.isConnected === true && "channel",
      ];
      return paths.filter((path) => path !== false);
    },
    async run(wake) {
      const [posted, sent] = await Promise.all([post(wake), send(wake)]);
      return [...(posted ? (["inbox"] as const) : []), ...(sent ? (["channel"] as const) : [])];
    },
  };
}

interface ClientActivityOptions {
  /** Returns when the client last reached this server, in milliseconds. */
  readonly getHeardAt: () => number;
  /** Returns when the client became idle. Undefined if the client is busy or its state is unknown. */
  readonly readIdleSince: () => Promise<number | undefined>;
  /** Called when a nudge turns out to have had no effect. */
  readonly onUnheard: () => void;
}

/**
 * Disables the wake paths after a nudge that had no effect: the client accepted the nudge and became idle
 * again without reaching this server. In that case the client's connection is broken, and every further nudge
 * would cost a turn. The paths are enabled again when the client reaches the server (WAKE-19).
 */
export function stopWhenUnheard(
  paths: WakePaths,
  { getHeardAt, readIdleSince, onUnheard }: ClientActivityOptions,
): WakePaths {
  /** When the first nudge since the client last reached this server was sent. */
  let nudgedAt = 0;
  let unheardNudgeAt = 0;
  const isUnheard = () => getHeardAt() < unheardNudgeAt;

  async function wasUnheard(): Promise<boolean> {
    const since = await readIdleSince();
    return since !== undefined && since > nudgedAt && getHeardAt() < nudgedAt;
  }

  return {
    get available() {
      return isUnheard() ? [] : paths.available;
    },
    async run(wake) {
      if (isUnheard()) return [];
      const isFirst = getHeardAt() >= nudgedAt;
      if (!isFirst && (await wasUnheard())) {
        unheardNudgeAt = nudgedAt;
        onUnheard();
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
  readonly isConnected: boolean;
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
