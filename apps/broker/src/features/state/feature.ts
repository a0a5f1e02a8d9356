import { countStateKeys } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { deleteState, setState } from "./change-state.js";
import { forgetValues } from "./forget-values.js";
import { getState, listState } from "./read-state.js";
import type { StateServices } from "./services.js";
import { type StateAnnouncer, startStateAnnouncer } from "./state-announcer.js";
import { unwatchState, watchState } from "./watch-state.js";

export type { StateServices } from "./services.js";

/** Interval at which the broker announces changes whose notification was lost. */
const catchUpMs = 5_000;

/** Key-value state that the agents of a session or mesh share live. */
export const stateFeature = {
  name: "state",
  needs: [],
  handlers: {
    get_state: getState,
    set_state: setState,
    delete_state: deleteState,
    list_state: listState,
    watch_state: watchState,
    unwatch_state: unwatchState,
  },
  sessionFacts: { state_keys: ({ database }, sessionId) => countStateKeys(database.orm, sessionId) },
  start({ database, bus, channels, log, stops }: StartParts): { stateAnnouncer: StateAnnouncer } {
    const stateAnnouncer = startStateAnnouncer({ database, bus, channels, log });
    stops.add("state announcer", stateAnnouncer.stop);
    return { stateAnnouncer };
  },
  repeat: {
    name: "state announcements",
    everyMs: catchUpMs,
    begin: ({ main }) => main.stateAnnouncer.catchUp,
  },
  catchUp: ({ stateAnnouncer }) => stateAnnouncer.pushRecent(),
  onRemoveText: forgetValues,
} satisfies Feature<StateServices & Services>;
