import type { Client } from "../../clients/client.js";
import type { Config } from "../../settings/config.js";

/** The result of a check. What could not be looked at is `skipped`, never `ok`. */
export interface Finding {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail" | "skipped";
  readonly message: string;
  /** Advice on it; null when nothing is to be done. */
  readonly fix: string | null;
}

export interface CheckContext {
  readonly config: Config;
  readonly signal: AbortSignal;
  /** The client of agents that has to be here; undefined where any will do. */
  readonly client: Client | undefined;
}

export type Check = (context: CheckContext) => Promise<Finding[]>;

export function ok(id: string, message: string): Finding {
  return { id, status: "ok", message, fix: null };
}

export function warn(id: string, message: string, fix: string): Finding {
  return { id, status: "warn", message, fix };
}

export function fail(id: string, message: string, fix: string): Finding {
  return { id, status: "fail", message, fix };
}

export function skipped(id: string, message: string): Finding {
  return { id, status: "skipped", message, fix: null };
}
