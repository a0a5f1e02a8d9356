import { connect } from "node:net";
import type { WakePath } from "@merkle/wire";

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
  readonly inbox: InboxSocket | null;
  /** Sends a channel message, where the client was told that this server does. */
  readonly channel: ((message: ChannelMessage) => Promise<void>) | null;
  readonly hasHooks: () => boolean;
  readonly log: (text: string) => void;
}

export function createWakePaths({ inbox, channel, hasHooks, log }: WakePathsOptions): WakePaths {
  /** A client that could not be written to is tried again, but not promised to anybody. */
  let inboxFails = false;

  async function post({ line, interrupts }: Wake): Promise<boolean> {
    if (!inbox) return false;
    try {
      await postToInbox(inbox, { line, priority: interrupts ? "now" : "next" });
      inboxFails = false;
    } catch (error) {
      inboxFails = true;
      log(`the client's inbox took nothing: ${String(error)}`);
    }
    return !inboxFails;
  }

  async function send({ line, meta }: Wake): Promise<boolean> {
    if (!channel) return false;
    try {
      await channel({ content: line, meta });
      return true;
    } catch (error) {
      log(`the channel took nothing: ${String(error)}`);
      return false;
    }
  }

  return {
    get available() {
      const paths: (WakePath | false)[] = [
        inbox !== null && !inboxFails && "inbox",
        hasHooks() && "hooks",
        channel !== null && "channel",
      ];
      return paths.filter((path) => path !== false);
    },
    async run(wake) {
      const [posted, sent] = await Promise.all([post(wake), send(wake)]);
      return [...(posted ? (["inbox"] as const) : []), ...(sent ? (["channel"] as const) : [])];
    },
  };
}

/** What a client that knows channels shows its model as `<channel source="merkle" …>content</channel>`. */
export interface ChannelMessage {
  readonly content: string;
  /** Clients drop whatever is no string. */
  readonly meta: Readonly<Record<string, string>>;
}

/** By which a server says that it sends channel messages. */
export const channelCapability = { "claude/channel": {} };

export const channelMethod = "notifications/claude/channel";

/** Where Claude Code takes messages for the session whose MCP server this is. */
export interface InboxSocket {
  readonly path: string;
  readonly token: string | null;
}

/** What it is told, and when: beside the next result or in a turn of its own, or at once, which ends a running tool. */
interface InboxPost {
  readonly line: string;
  readonly priority: "next" | "now";
}

/** A client that is there takes it in a few milliseconds. */
const withinMs = 1_000;

/** The socket that the client named to this process, or null: not every client has one. */
export function findInboxSocket(env: NodeJS.ProcessEnv): InboxSocket | null {
  const path = env["CLAUDE_CODE_MESSAGING_SOCKET"];
  return path ? { path, token: env["CLAUDE_CODE_MESSAGING_TOKEN"] || null } : null;
}

/**
 * Writes a line into the session's inbox. Resolves when it was written; whether the client shows it, it does not say.
 *
 * @throws Error when there is nobody to take it
 */
function postToInbox({ path, token }: InboxSocket, { line, priority }: InboxPost): Promise<void> {
  // In this frame the client shows one line to the user, not its whole warning.
  const content = `<cross-session-message from="merkle" from-name="merkle">\n${line}\n</cross-session-message>`;
  const frames = [
    ...(token === null ? [] : [{ type: "auth", token }]),
    { type: "user", message: { role: "user", content }, priority },
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setTimeout(withinMs, () => socket.destroy(new Error(`${path} does not answer.`)));
    socket.on("error", reject);
    // It need not answer; what it says is not read.
    socket.resume();
    socket.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""), () => {
      resolve();
      socket.destroySoon();
    });
  });
}
