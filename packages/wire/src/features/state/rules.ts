import {
  assignToolset,
  readingWhileArchived,
  writing,
  writingWhileOpen,
} from "../../operations/operation-rules.js";

export const rules = assignToolset("mesh", {
  get_state: {
    ...readingWhileArchived,
    access: "reader",
    route: "GET /api/sessions/:session_id/state/value",
  },
  set_state: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "PUT /api/sessions/:session_id/state",
  },
  delete_state: { ...writingWhileOpen, access: "team", route: "DELETE /api/sessions/:session_id/state" },
  list_state: { ...readingWhileArchived, access: "reader", route: "GET /api/sessions/:session_id/state" },
  watch_state: {
    ...writingWhileOpen,
    stores: "input",
    access: "team",
    route: "POST /api/sessions/:session_id/state/watch",
  },
  unwatch_state: { ...writing, access: "team", route: "POST /api/sessions/:session_id/state/unwatch" },
});
