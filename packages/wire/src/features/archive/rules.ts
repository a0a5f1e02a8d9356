import { archiving, assignToolset } from "../../operations/operation-rules.js";

export const rules = assignToolset("audit", {
  archive_session: { ...archiving, route: "POST /api/sessions/:session_id/archive" },
  unarchive_session: { ...archiving, route: "POST /api/sessions/:session_id/unarchive" },
});
