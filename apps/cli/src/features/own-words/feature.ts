import type { Feature } from "../../feature.js";

/** Words that count as those of an agent's own user. */
export const feature: Feature = {
  needs: [],
  loadOwnWords: async () => (await import("./own-words.js")).ownWords,
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
  commands: [],
};
