import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A Cursor that a test drives step by step. */
export interface TestCursor {
  /** The variables with which the program must be started. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves once the program has loaded its files. */
  readonly loaded: Promise<LoadedCursor>;
  /** Everything that reached the model so far: prompts, results of tools, and what hooks added. */
  readonly conversation: readonly ConversationPart[];
  /** Performs a step and resolves with the parts that it added to the conversation. */
  step(step: CursorStep): Promise<readonly ConversationPart[]>;
  /** Makes the program exit. */
  exit(): void;
  /** Ends the connection to the program, which then exits, too. */
  disconnect(): void;
}

export interface LoadedCursor {
  readonly conversation: string;
  /** Files that were ignored, with the reason. */
  readonly notes: readonly string[];
  readonly rules: readonly string[];
  readonly hooks: readonly string[];
  /** The tools of each server. */
  readonly tools: readonly (readonly string[])[];
}

export interface ConversationPart {
  readonly user?: "person" | "followup";
  /** The hook that added the text, or `result` for the result of a tool. */
  readonly model?: "sessionStart" | "postToolUse" | "result";
  readonly text: string;
}

export type CursorStep =
  | { readonly prompt: string }
  | { readonly tool: string; readonly input?: object }
  | { readonly stop: "completed" | "aborted" | "error" };

/** Installs the stand-in for `cursor-agent` in this folder, for use in a PATH. */
export async function installTestCursor(bin: string): Promise<void> {
  const program = fileURLToPath(new URL("./cursor-stand-in.mjs", import.meta.url));
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "cursor-agent"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, {
    mode: 0o755,
  });
}

/** Waits for a stand-in, which connects to the socket at this path. */
export async function controlTestCursor(path: string): Promise<TestCursor> {
  const conversation: ConversationPart[] = [];
  let connection: Socket | undefined;
  let onDone = () => {};
  let onLoaded = (_: LoadedCursor) => {};
  const loaded = new Promise<LoadedCursor>((resolve) => {
    onLoaded = resolve;
  });
  const server = createServer((socket) => {
    connection = socket;
    createInterface(socket).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.loaded) onLoaded(event.loaded);
      else if (event.done) onDone();
      else conversation.push(event);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    server.close();
  });
  return {
    env: { TEST_CONTROL: path },
    loaded,
    conversation,
    async step(step) {
      const before = conversation.length;
      const done = new Promise<void>((resolve) => {
        onDone = resolve;
      });
      connection?.write(`${JSON.stringify(step)}\n`);
      await done;
      return conversation.slice(before);
    },
    exit: () => void connection?.write(`${JSON.stringify({ exit: 0 })}\n`),
    disconnect: () => void connection?.destroy(),
  };
}
