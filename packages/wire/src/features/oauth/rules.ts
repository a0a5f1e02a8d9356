import { assignToolset, reading, vouching } from "../../operations/operation-rules.js";

export const rules = assignToolset("admin", {
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
