import { setTimeout as pause } from "node:timers/promises";
import type { Message } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { CliError, exitCodes } from "../core/cli-error.js";
import { describeExpected, isExpected } from "./expected.js";
import type { Expected, Line } from "./story.js";

/** The means that a role plays with: a connection of its own, the demo's pace, and when to stop. */
export interface Stage {
  readonly client: MerkleClient;
  /** How many times slower than half a minute; 0 for no pauses at all. */
  readonly pace: number;
  readonly signal: AbortSignal;
  /** The session; Atlas, who opens it, has none yet. */
  readonly session: string | undefined;
  /** Tells the demo which session it is. */
  announce(session: { session_id: string; slug: string }): void;
}

/** One who takes part: hears what others say, and speaks. */
interface Player {
  /** Reads on until this has happened. */
  hear(expected: Expected): Promise<void>;
  hearLine(line: Line): Promise<void>;
  say(line: Line): Promise<void>;
  /** Reads what is still to come until the session is closed. */
  hearOut(): Promise<void>;
}

interface Part {
  readonly stage: Stage;
  readonly session_id: string;
  /** The credential to post with. */
  readonly team_id: string;
  /** The messages of the session, in their order. */
  readonly messages: AsyncGenerator<Message>;
}

export function createPlayer({ stage, session_id, team_id, messages }: Part): Player {
  const { client, signal } = stage;

  async function hear(expected: Expected): Promise<void> {
    while (true) {
      const { value, done } = await messages.next();
      if (done) throw missed(expected);
      if (isExpected(expected, value)) return;
    }
  }

  return {
    hear,
    hearLine: (line) => hear({ event: "said", ...line }),
    async say({ text }) {
      await think(stage, text);
      await client.call("post_message", { session_id, team_id, content: { text } }, { signal });
    },
    async hearOut() {
      while (!(await messages.next()).done);
    },
  };
}

const secondsAtLeast = 1;
const charactersASecond = 130;

/** The time that a text takes to be thought of, so that people can read along. */
export async function think({ pace, signal }: Stage, text: string): Promise<void> {
  const seconds = secondsAtLeast + text.length / charactersASecond;
  await pause(seconds * pace * 1_000, undefined, { signal });
}

/**
 * Waits for messages as an agent's loop does: hands out what came, and says by the next wait that it was read. The story goes on
 * by two events, which end a wait only when it asks for everything.
 */
export async function* waitForMessages(
  { client, signal }: Stage,
  { session_id, team_id, cursor }: { session_id: string; team_id: string; cursor: number },
): AsyncGenerator<Message> {
  for (let since_cursor = cursor; ; ) {
    const wait = { session_id, team_id, since_cursor, include_own: true };
    const reply = await client.call("wait_for_messages", wait, { signal });
    yield* reply.messages;
    since_cursor = reply.next_cursor;
    if (!reply.session_closed) continue;
    await client.call("ack", { session_id, team_id, cursor: since_cursor }, { signal });
    return;
  }
}

function missed(expected: Expected): CliError {
  return new CliError(
    "demo_failed",
    `Expected ${describeExpected(expected)}, but the session was closed first.`,
    { exitCode: exitCodes.session_closed },
  );
}
