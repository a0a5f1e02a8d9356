import { assignToolset, reading, writing } from "../../operations/operation-rules.js";

export const rules = assignToolset("people", {
  list_alert_targets: { ...reading, access: "team", route: "GET /api/alerts", human: "person" },
  put_alert_target: {
    ...writing,
    stores: "input",
    access: "team",
    route: "PUT /api/alerts",
    human: "person",
  },
  delete_alert_target: {
    ...writing,
    access: "team",
    route: "DELETE /api/alerts/:target_id",
    human: "person",
  },
  test_alert: { ...writing, access: "team", route: "POST /api/alerts/:target_id/test", human: "person" },
});
