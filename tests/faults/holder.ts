import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ConnectionTarget, MessageRow } from "@merkle/db";

/** Another database client, in a process of its own, that holds a feed and has been stopped by SIGSTOP. */
export interface Holder {
  /** The sequence of the message that it has appended and not committed. */
  readonly sequence: number | undefined;
  /** SIGCONT: it goes on, commits and ends. */
  commit(): Promise<void>;
  /** SIGKILL: the server rolls its transaction back. */
  kill(): Promise<void>;
}

export interface HolderOptions {
  readonly target: ConnectionTarget;
  readonly session: string;
  /** Appends this message; without one it only takes the lock. */
  readonly row?: MessageRow;
}

const script = fileURLToPath(new URL("holder-child.mjs", import.meta.url));

/** Resolves when the feed is held and the process stands still. */
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
