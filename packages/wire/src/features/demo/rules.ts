import { assignToolset, creating } from "../../operations/operation-rules.js";

export const rules = assignToolset("admin", {
  open_demo_room: {
    ...creating,
    access: "open",
    route: "POST /api/demo",
    notForModels: true,
    withoutCredential: true,
  },
});
