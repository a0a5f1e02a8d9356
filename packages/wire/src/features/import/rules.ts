import { creating, inToolset } from "../../operations/operation-rules.js";

/** Offered over HTTP alone, since a file fits in no reply of the other transports; no agent gets it as a tool. */
export const rules = /* @__PURE__ */ inToolset("audit", {
  import_bundle: { ...creating, access: "member", route: "POST /api/import" },
});
