import type { Feature } from "../../command/feature.js";

/** Files under Git. */
export const feature: Feature = {
  needs: ["jobs"],
  commands: [
    {
      topic: "git",
      load: {
        "source list": async () => (await import("./list.js")).sourceList,
        "source show": async () => (await import("./show.js")).sourceShow,
      },
    },
    {
      topic: "git",
      after: "source reply",
      load: {
        "source incorporate": async () => (await import("./incorporate.js")).sourceIncorporate,
      },
    },
  ],
};
