import { inToolset, reading } from "../../operations/operation-rules.js";

/** Offered over HTTP alone, since a file fits in no reply of the other transports; no agent gets it as a tool. */
export const rules = /* @__PURE__ */ inToolset("audit", {
  export_session: { ...reading, access: "reader", route: "GET /api/sessions/:session_id/export" },
});
