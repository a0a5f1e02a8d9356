import type { EventKinds } from "../../feed/event-kind.js";

/** What the broker announces of state in a feed. */
export type StateEvent =
  /** `value` is left out when it is above 8 KiB, and when the key was deleted. */
  {
    event: "state_changed";
    by: string;
    key: string;
    version: number;
    value?: unknown;
    deleted?: true;
    at: string;
  };

export const events = {
  state_changed: { changes: [], wakes: true, holdsText: true, foldable: true, log: null },
} as const satisfies EventKinds<StateEvent>;
