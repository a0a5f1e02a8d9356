import type { Feature } from "../../feature.js";

/** Private messages, which only the recipient can read. */
export const feature: Feature = {
  needs: [],
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
  commands: [
    {
      topic: "people",
      after: "peers",
      load: {
        "verify-peer": async () => (await import("./verify-peer.js")).verifyPeer,
      },
    },
  ],
};
