import type { Feature } from "../../feature.js";

/** State: current facts about a session, stored by key. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "knowledge",
      load: {
        "state list": async () => (await import("./list.js")).stateList,
        "state get": async () => (await import("./get.js")).stateGet,
        "state set": async () => (await import("./set.js")).stateSet,
        "state unset": async () => (await import("./unset.js")).stateUnset,
        "state watch": async () => (await import("./watch.js")).stateWatch,
      },
    },
  ],
};
