import type { EventKinds } from "../../feed/event-kind.js";

/** Events about state in a feed. */
export type StateEvent =
  /** `value` is omitted if it exceeds 8 KiB or the key was deleted. */
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
