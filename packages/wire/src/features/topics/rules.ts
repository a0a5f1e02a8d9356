import { assignToolset, reading, writingWhileOpen } from "../../operations/operation-rules.js";

export const rules = assignToolset("work", {
  open_topic: { ...writingWhileOpen, stores: "input", access: "team", route: "POST /api/topics" },
  reply_to_topic: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/topics/:topic_id/messages",
  },
  list_topics: { ...reading, access: "reader", route: "GET /api/topics", forJobs: ["incorporate"] },
  get_topic: { ...reading, access: "reader", route: "GET /api/topics/:topic_id", forJobs: ["incorporate"] },
});
