import { assignToolset, reading } from "../../operations/operation-rules.js";

/**
 * The export is available only over HTTP, because the other transports cannot return a file. Agents do not
 * get it as a tool.
 */
export const rules = /* @__PURE__ */ assignToolset("audit", {
  export_session: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/export" },
});
