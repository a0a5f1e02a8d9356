import type { WakePath } from "@merkle/wire";
import type { ClientInbox } from "../../clients/client.js";

/** The ways there are to make the client of this server begin a turn. */
export interface WakePaths {
  /** Those that can be expected to work at this moment. */
  readonly available: readonly WakePath[];
  /** Takes all of them, and resolves with those that took it. */
  run(wake: Wake): Promise<WakePath[]>;
}

interface Wake {
  readonly line: string;
  /** Attributes of the line, for a client that shows them. */
  readonly meta: Readonly<Record<string, string>>;
  /** Whether it may end a tool that runs. */
  readonly interrupts: boolean;
}

interface WakePathsOptions {
  readonly inbox: ClientInbox | null;
  readonly channel: Channel | null;
  readonly hasHooks: () => boolean;
  readonly log: (text: string) => void;
}

export function createWakePaths({ inbox, channel, hasHooks, log }: WakePathsOptions): WakePaths {
  /** A client that could not be written to is tried again, but not promised to anybody. */
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
  /** When the client was heard last, in milliseconds of the clock. */
  readonly heardAt: () => number;
  /** Since when the client is idle; undefined when it is not, or does not say so. */
  readonly idleSince: () => Promise<number | undefined>;
  /** Called when a nudge turns out to have been in vain. */
  readonly onVain: () => void;
}

/**
 * The same paths until a nudge was in vain: the client has taken it and become idle after it, and was not heard in between. It
 * does not reach whom it would be heard by, and each nudge costs it a turn. When it is heard again they are back (WAKE-19).
 */
export function untilInVain(paths: WakePaths, { heardAt, idleSince, onVain }: HearingOptions): WakePaths {
  /** The first nudge since the client was heard. */
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

/** A client that hears what this server says unasked: it knows channels, or listens to the mail (MCP-18). */
export interface Channel {
  readonly isThere: boolean;
  send(message: ChannelMessage): Promise<void>;
  onChange(run: () => void): void;
}

/** A message that a client that knows channels shows its model as `<channel source="merkle" …>content</channel>`. */
export interface ChannelMessage {
  readonly content: string;
  /** Clients drop whatever is no string. */
  readonly meta: Readonly<Record<string, string>>;
}

/** By which a server says that it sends channel messages. */
export const channelCapability = { "claude/channel": {} };

export const channelMethod = "notifications/claude/channel";
