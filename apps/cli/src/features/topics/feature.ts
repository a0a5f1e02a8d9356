import type { Feature } from "../../feature.js";

/** Topics: comment threads on documents and on files under Git. */
export const feature: Feature = {
  needs: ["sources"],
  commands: [
    {
      topic: "document",
      after: "doc diff",
      load: {
        "doc topics": async () => (await import("./topics.js")).docTopics,
        "doc comment": async () => (await import("./comment.js")).docComment,
        "doc reply": async () => (await import("./reply.js")).docReply,
      },
    },
    {
      topic: "git",
      after: "source show",
      load: {
        "source topics": async () => (await import("./topics.js")).sourceTopics,
        "source comment": async () => (await import("./comment.js")).sourceComment,
        "source reply": async () => (await import("./reply.js")).sourceReply,
      },
    },
  ],
};
