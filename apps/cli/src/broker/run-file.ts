import { readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { isObject } from "../core/is-object.js";
import { homeFiles } from "../core/merkle-home.js";
import { readProcessStart } from "../core/process-table.js";
import { replaceFile } from "../core/replace-file.js";

/** The broker that `merkle up` runs for a home, and how it was started. */
export interface RunningBroker {
  readonly pid: number;
  readonly host: string;
  /** When the process started. Distinguishes the broker from a later process with the same id. */
  readonly began: string;
  readonly url: string;
  readonly mcp_url: string;
  readonly port: number;
  readonly loopback: boolean;
  readonly auth: "open" | "invite";
  readonly database: "embedded" | "external";
  readonly migrations_run: number;
  readonly home: string;
  readonly log: string;
}

/** Announces this process as the home's broker, in a file that other commands read. */
export async function announceBroker(
  started: Omit<RunningBroker, "pid" | "host" | "began">,
): Promise<{ running: RunningBroker; withdraw(): Promise<void> }> {
  const path = homeFiles.run(started.home);
  const began = (await readProcessStart(process.pid)) ?? "";
  const running: RunningBroker = { ...started, pid: process.pid, host: hostname(), began };
  await replaceFile(path, `${JSON.stringify(running)}\n`);
  return {
    running,
    async withdraw() {
      if ((await readRunFile(path))?.pid === process.pid) await rm(path, { force: true });
    },
  };
}

/** Returns this home's broker if its process is alive. A killed broker leaves its file behind. */
export async function findRunningBroker(home: string): Promise<RunningBroker | undefined> {
  const broker = await readRunFile(homeFiles.run(home));
  if (!broker) return undefined;
  return (await isRunning(broker)) ? broker : undefined;
}

/**
 * Returns whether the broker is running. A broker on another host (with the home on a shared volume) cannot
 * be checked and counts as running.
 */
export async function isRunning({ pid, host, began }: RunningBroker): Promise<boolean> {
  return host !== hostname() || (await readProcessStart(pid)) === began;
}

async function readRunFile(path: string): Promise<RunningBroker | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isRunningBroker(value) ? value : undefined;
  } catch {
    // A missing or invalid file means that no broker is running.
    return undefined;
  }
}

function isRunningBroker(value: unknown): value is RunningBroker {
  return isObject(value) && Object.entries(fieldTypes).every(([name, type]) => typeof value[name] === type);
}

const fieldTypes: Readonly<Record<keyof RunningBroker, "string" | "number" | "boolean">> = {
  pid: "number",
  host: "string",
  began: "string",
  url: "string",
  mcp_url: "string",
  port: "number",
  loopback: "boolean",
  auth: "string",
  database: "string",
  migrations_run: "number",
  home: "string",
  log: "string",
};
