import { limits } from "@merkle/wire/limits";
import type { Feature } from "../../feature.js";

/** Sources: files under Git. */
export const feature: Feature = {
  needs: [],
  async listFiles(broker) {
    const { files } = await broker.call("list_sources", { limit: limits.sourcesListedMax });
    return files.map(({ source_path }) => source_path);
  },
  commands: [
    {
      topic: "git",
      load: {
        "source list": async () => (await import("./list.js")).sourceList,
        "source show": async () => (await import("./show.js")).sourceShow,
      },
    },
  ],
};
