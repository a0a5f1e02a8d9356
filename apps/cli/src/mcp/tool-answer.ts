import type { CallResult } from "./long-results.js";

export interface ToolAnswer {
  readonly result: CallResult;
  /** Called when delivery ends. `isDelivered` says whether the answer reached the client. */
  settle(isDelivered: boolean): void;
}

/** The `settle` callback for an answer whose delivery has no consequences. */
export function ignore(): void {}
