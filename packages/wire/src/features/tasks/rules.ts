import {
  assignToolset,
  reading,
  readingWhileArchived,
  writingWhileOpen,
} from "../../operations/operation-rules.js";

export const rules = assignToolset("tasks", {
  create_task: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/sessions/:session_id/tasks",
  },
  list_tasks: { ...readingWhileArchived, access: "reader", route: "GET /api/sessions/:session_id/tasks" },
  list_all_tasks: { ...reading, access: "reader", route: "GET /api/tasks" },
  get_task: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/tasks/:task" },
  update_task: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "PATCH /api/sessions/:session_id/tasks/:task",
  },
  claim_task: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/tasks/claim" },
  release_task: {
    ...writingWhileOpen,
    access: "team",
    route: "POST /api/sessions/:session_id/tasks/:task/release",
  },
  finish_task: {
    ...writingWhileOpen,
    access: "team",
    route: "POST /api/sessions/:session_id/tasks/:task/finish",
  },
  split_task: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/sessions/:session_id/tasks/:task/split",
  },
  claim: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/sessions/:session_id/claims",
  },
  release: { ...writingWhileOpen, access: "team", route: "POST /api/sessions/:session_id/claims/release" },
  list_claims: { ...readingWhileArchived, access: "reader", route: "GET /api/sessions/:session_id/claims" },
});
