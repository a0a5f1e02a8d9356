/** One line of the report: a measured value and its budget. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "kB" | "MB" | "fps" | "px" | "rows" | "messages" | "renders/s" | "";
  /** Null for a value without a budget. */
  readonly budget: { readonly atMost: number } | { readonly atLeast: number } | null;
  /** True if the run fails when this budget is missed. */
  readonly isRequired?: boolean;
  /** The machine's own figure to compare this value with. A slow or busy machine affects both. */
  readonly against?: keyof Machine;
}

/** How fast this machine is without our code, measured in the same run. */
export interface Machine {
  /** Largest contentful paint of an empty page, in milliseconds. */
  readonly page: number;
  /** Duration of a fixed loop of arithmetic in a page, in milliseconds. */
  readonly loop: number;
  /** Round-trip time of a message over a bare WebSocket from a page, in milliseconds. */
  readonly socket: number;
  /** Frames per second while scrolling plain text. */
  readonly scroll: number;
}

/** A group of measurements. */
export interface DashboardPart {
  readonly name: string;
  /** Timeout of the part. The failure message contains the current step. */
  readonly limitMs: number;
  measure(stage: DashboardStage): Promise<readonly Measurement[]>;
}

export interface DashboardStage {
  readonly broker: LiveBroker;
  readonly browser: import("playwright-core").Browser;
  readonly quick: boolean;
  /** Reports the current step, for progress output and for the timeout's message. */
  reportStep(what: string): void;
}

/** A broker in a separate process, and a client connected to it. */
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
