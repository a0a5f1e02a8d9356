import { inToolset, reading, vouching } from "../../operations/operation-rules.js";

export const rules = inToolset("admin", {
  preview_client: {
    ...reading,
    access: "member",
    route: "POST /api/clients/preview",
    human: "vouching",
    withoutCredential: true,
  },
  approve_client: {
    ...vouching,
    afterClosing: "refused",
    access: "member",
    route: "POST /api/sessions/:session_id/clients",
  },
});
