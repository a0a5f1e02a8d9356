import type { Feature } from "../../feature.js";

/** Files that messages carry. */
export const feature: Feature = {
  needs: [],
  attachFiles: async (paths, post) => (await import("./attach-files.js")).attachFiles(paths, post),
  loadExtension: async () => (await import("./server-extension.js")).extendServer,
  commands: [
    { topic: "sessions", after: "post", load: { files: async () => (await import("./files.js")).files } },
  ],
};
