import type { Client } from "../../clients/client.js";
import type { Config } from "../../settings/config.js";

/** The result of a check. The status is `skipped`, not `ok`, if something could not be checked. */
export interface DoctorFinding {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail" | "skipped";
  readonly message: string;
  /** How to fix the problem. Null if there is nothing to do. */
  readonly fix: string | null;
}

export interface CheckContext {
  readonly config: Config;
  readonly signal: AbortSignal;
  /** The client that must be installed. Undefined if no client is required. */
  readonly client: Client | undefined;
}

export type DoctorCheck = (context: CheckContext) => Promise<DoctorFinding[]>;

export function ok(id: string, message: string): DoctorFinding {
  return { id, status: "ok", message, fix: null };
}

export function warn(id: string, message: string, fix: string): DoctorFinding {
  return { id, status: "warn", message, fix };
}

export function fail(id: string, message: string, fix: string): DoctorFinding {
  return { id, status: "fail", message, fix };
}

export function skip(id: string, message: string): DoctorFinding {
  return { id, status: "skipped", message, fix: null };
}
