import { countStateKeys } from "@merkle/db";
import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { deleteState, setState } from "./change-state.js";
import { getState, listState } from "./read-state.js";
import type { StateServices } from "./services.js";
import { unwatchState, watchState } from "./watch-state.js";

export type { StateServices } from "./services.js";
export { startStateAnnouncer } from "./state-announcer.js";
export { toStateEntry } from "./state-entry.js";

/** Live key-value facts of a session or a mesh. */
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
} satisfies Feature<StateServices & Services>;
