import type { WakePath } from "@merkle/wire";
import type { ClientInbox } from "../../clients/client.js";

/** The ways to make the client of this server begin a turn. */
export interface WakePaths {
  /** The paths that are expected to work now. */
  readonly available: readonly WakePath[];
  /** Tries all paths, and resolves with those that took the nudge. */
  run(wake: Wake): Promise<WakePath[]>;
}

interface Wake {
  readonly line: string;
  /** Attributes of the line, for clients that show them. */
  readonly meta: Readonly<Record<string, string>>;
  /** Whether the nudge may abort a running tool. */
  readonly interrupts: boolean;
}

interface WakePathsOptions {
  readonly inbox: ClientInbox | null;
  readonly channel: Channel | null;
  readonly hasHooks: () => boolean;
  readonly log: (text: string) => void;
}

export function createWakePaths({ inbox, channel, hasHooks, log }: WakePathsOptions): WakePaths {
  /** A client that did not take a line is tried again, but not listed as available. */
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
  /** When the client last reached this server, in milliseconds of the clock. */
  readonly heardAt: () => number;
  /** Since when the client is idle; undefined if busy or unknown. */
  readonly idleSince: () => Promise<number | undefined>;
  /** Called when a nudge had no effect. */
  readonly onVain: () => void;
}

/**
 * Disables the paths after a nudge without effect: the client took it and became idle again without reaching this server. Its
 * connection is broken, and each nudge would cost a turn. The paths return when the client reaches the server again (WAKE-19).
 */
export function untilInVain(paths: WakePaths, { heardAt, idleSince, onVain }: HearingOptions): WakePaths {
  /** When the first nudge was made since the client last reached this server. */
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

/** A client that takes notifications from this server: it supports channels, or subscribes to the inbox (MCP-18). */
export interface Channel {
  readonly isThere: boolean;
  send(message: ChannelMessage): Promise<void>;
  onChange(run: () => void): void;
}

/** A message that clients with channels show their model as `<channel source="merkle" …>content</channel>`. */
export interface ChannelMessage {
  readonly content: string;
  /** Clients drop values that are no strings. */
  readonly meta: Readonly<Record<string, string>>;
}

/** The capability of a server that sends channel messages. */
export const channelCapability = { "claude/channel": {} };

export const channelMethod = "notifications/claude/channel";
