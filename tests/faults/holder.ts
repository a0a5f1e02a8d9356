import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ConnectionTarget, MessageRow } from "@merkle/db";

/** A separate database client that has locked a feed and is paused with SIGSTOP. */
export interface Holder {
  /** The sequence of the message that the client has appended but not committed. */
  readonly sequence: number | undefined;
  /** Sends SIGCONT. The client resumes, commits and exits. */
  commit(): Promise<void>;
  /** Sends SIGKILL. The server rolls back the client's transaction. */
  kill(): Promise<void>;
}

export interface HolderOptions {
  readonly target: ConnectionTarget;
  readonly session: string;
  /** A message to append. If undefined, the client only takes the lock. */
  readonly row?: MessageRow;
}

const script = fileURLToPath(new URL("holder-child.mjs", import.meta.url));

/** Resolves when the feed is locked and the client is paused. */
export async function holdFeed(options: HolderOptions): Promise<Holder> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function nextLine(): Promise<{ sequence?: number; committed?: boolean }> {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`The holder ended with ${String((await exited)[0])}.`);
    return JSON.parse(String(value));
  }

  const { sequence } = await nextLine();
  child.kill("SIGSTOP");
  return {
    sequence,
    async commit() {
      child.stdin.write("commit\n");
      child.kill("SIGCONT");
      const { committed } = await nextLine();
      if (!committed) throw new Error("The holder did not commit.");
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
