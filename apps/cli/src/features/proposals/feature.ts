import type { Feature } from "../../feature.js";

/** Proposals: suggested new versions of documents and of files under Git. */
export const feature: Feature = {
  needs: [],
  commands: [
    {
      topic: "document",
      after: "doc reply",
      load: {
        "doc proposals": async () => (await import("./proposals.js")).docProposals,
        "doc accept": async () => (await import("./accept.js")).docAccept,
        "doc reject": async () => (await import("./reject.js")).docReject,
        "doc return": async () => (await import("./return.js")).docReturn,
        "doc rebase": async () => (await import("./rebase.js")).docRebase,
      },
    },
    {
      topic: "git",
      after: "source incorporate",
      load: {
        "source proposals": async () => (await import("./proposals.js")).sourceProposals,
        "source accept": async () => (await import("./accept.js")).sourceAccept,
        "source reject": async () => (await import("./reject.js")).sourceReject,
        "source return": async () => (await import("./return.js")).sourceReturn,
        "source rebase": async () => (await import("./rebase.js")).sourceRebase,
      },
    },
  ],
};
