import { assignToolset, creating } from "../../operations/operation-rules.js";

/**
 * The import is available only over HTTP, because the other transports cannot accept a file. Agents do not
 * get it as a tool.
 */
export const rules = /* @__PURE__ */ assignToolset("audit", {
  import_bundle: { ...creating, access: "member", route: "POST /api/import" },
});
