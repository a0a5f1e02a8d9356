/** One line of the report: what was measured, beside what it may be. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "kB" | "MB" | "fps" | "px" | "rows" | "messages" | "renders/s" | "";
  /** Null for what is only told. */
  readonly budget: { readonly atMost: number } | { readonly atLeast: number } | null;
}

/** What is measured together. */
export interface DashboardPart {
  readonly name: string;
  measure(stage: DashboardStage): Promise<readonly Measurement[]>;
}

export interface DashboardStage {
  readonly broker: LiveBroker;
  readonly browser: import("playwright-core").Browser;
  readonly quick: boolean;
}

/** A broker in a process of its own, and a client that talks to it. */
export interface LiveBroker {
  readonly url: string;
  readonly port: number;
  readonly client: import("@merkle/wire/client").MerkleClient;
  stop(): Promise<void>;
}

export function isReached({ value, budget }: Measurement): boolean | null {
  if (budget === null) return null;
  return "atMost" in budget ? value <= budget.atMost : value >= budget.atLeast;
}
