import { Message } from "@merkle/wire/schemas";
import { expect } from "vitest";
import { type StartedCommand, type TestMerkle, testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import type { TransportClient } from "../kit/transports.js";

/** A running `merkle tail`. */
export interface TailProcess extends StartedCommand {
  stdout(): string;
  stderr(): string;
  /** Resolves when stdout contains this many lines. */
  untilStdoutLines(lines: number): Promise<void>;
  /** Resolves when stderr contains this text. */
  untilStderr(text: string | RegExp): Promise<void>;
}

/** Runs `merkle tail` against a broker. By default, uses a new Merkle home. */
export async function startTail(
  url: string,
  args: readonly string[],
  { merkle, env = {} }: { merkle?: TestMerkle; env?: Readonly<Record<string, string>> } = {},
): Promise<TailProcess> {
  const home = merkle ?? (await testMerkle());
  const started = home.start(["tail", ...args], { env: { MERKLE_URL: url, TZ: "UTC", ...env } });
  let stdout = "";
  let stderr = "";
  let lines = 0;
  started.process.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    lines += chunk.toString().split("\n").length - 1;
  });
  started.process.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return {
    ...started,
    stdout: () => stdout,
    stderr: () => stderr,
    untilStdoutLines: (count) => expect.poll(() => lines, { message: stderr }).toBeGreaterThanOrEqual(count),
    untilStderr: (text) => expect.poll(() => stderr).toMatch(text),
  };
}

/** Parses the output of `tail --json`, in which every line is a message. */
export function parseMessages(stdout: string): Message[] {
  if (stdout === "") return [];
  expect(stdout.endsWith("\n")).toBe(true);
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => Message.parse(JSON.parse(line)));
}

/** Returns all messages in a session. */
export async function readFeed(transport: TransportClient, session_id: string): Promise<Message[]> {
  const messages: Message[] = [];
  let before_cursor: number | null | undefined;
  while (before_cursor !== null) {
    const page = await transport.call("get_history", {
      session_id,
      limit: 500,
      ...(before_cursor === undefined ? {} : { before_cursor }),
    });
    messages.unshift(...page.messages);
    before_cursor = page.next_cursor;
  }
  return messages;
}
