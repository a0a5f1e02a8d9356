import type { EventKinds } from "../../feed/event-kind.js";

/** Events about state that the broker posts in feeds. */
export type StateEvent =
  /** `value` is omitted if the key was deleted or the value is larger than 8 KiB. */
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
  state_changed: { changes: [], wakes: true, hasText: true, isFoldable: true, log: null },
} as const satisfies EventKinds<StateEvent>;
