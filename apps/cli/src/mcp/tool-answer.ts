import type { CallResult } from "./long-results.js";

export interface ToolAnswer {
  readonly result: CallResult;
  /** Called with whether the answer reached the client. */
  settle(isDelivered: boolean): void;
}

/** The `settle` of an answer whose delivery makes no difference. */
export function ignore(): void {}
