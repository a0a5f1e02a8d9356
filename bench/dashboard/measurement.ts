/** One line of the report: what was measured, beside what it may be. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "kB" | "MB" | "fps" | "px" | "rows" | "messages" | "renders/s" | "";
  /** Null for what is only told. */
  readonly budget: { readonly atMost: number } | { readonly atLeast: number } | null;
  /** The run fails when this budget is missed. */
  readonly isRequired?: boolean;
  /** What of the machine it is to be seen against: on a slow or busy one both are slow. */
  readonly against?: keyof Machine;
}

/** What this machine needs for things that have nothing of ours in them, measured in the same run. */
export interface Machine {
  /** The largest paint of an empty page, in milliseconds. */
  readonly page: number;
  /** A fixed piece of arithmetic in a page, in milliseconds. */
  readonly loop: number;
  /** A message from a page over a bare WebSocket and back, in milliseconds. */
  readonly socket: number;
  /** Frames a second of scrolling plain text. */
  readonly scroll: number;
}

/** What is measured together. */
export interface DashboardPart {
  readonly name: string;
  /** After this it is given up, with what it was doing. */
  readonly limitMs: number;
  measure(stage: DashboardStage): Promise<readonly Measurement[]>;
}

export interface DashboardStage {
  readonly broker: LiveBroker;
  readonly browser: import("playwright-core").Browser;
  readonly quick: boolean;
  /** Says what is being done, for whoever waits, and for the reason should it take too long. */
  doing(what: string): void;
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
