import type { JobKind } from "@merkle/wire";
import type { SourcesOptions } from "../sources/sources.js";
import type { Runner } from "./runner.js";

/** How a broker has jobs done. */
export interface AgentOptions extends Pick<SourcesOptions, "author" | "roots"> {
  /** Called once, when the home and the database are known to be this broker's alone: what an earlier one left can be ended then. */
  startRunner(): Promise<Runner>;
  /** Names this runner among those of the database, the same after a restart: what it ran before has ended with it. */
  readonly name: string;
  /** How many run at once on this machine, 0 for none; 1 unless told. */
  readonly maxConcurrentJobs?: number | undefined;
  /** How long an agent may take, in milliseconds; 3 minutes for a perspective and 5 for the others unless told. */
  readonly timeoutsMs?: Partial<Record<JobKind, number>> | undefined;
  /** Lets members' own machines run jobs of their meshes, whose agents then read there what they read; false unless told. */
  readonly remoteRunners?: boolean | undefined;
  /** How long a claim holds without being renewed, in milliseconds; 30,000 unless told. */
  readonly leaseMs?: number | undefined;
}

export const timeoutsUsualMs: Readonly<Record<JobKind, number>> = {
  conclude: 300_000,
  incorporate: 300_000,
  perspective: 180_000,
};

export const leaseUsualMs = 30_000;
