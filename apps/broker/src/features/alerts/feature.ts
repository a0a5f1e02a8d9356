import type { Feature } from "../../feature.js";
import { listTargets, putTarget, removeTarget, testTarget } from "./manage-alert-targets.js";

export { createAlertOutbox } from "./alert-outbox.js";

/** Alerts to people who are away. */
export const alertsFeature = {
  name: "alerts",
  needs: [],
  handlers: {
    list_alert_targets: listTargets,
    put_alert_target: putTarget,
    delete_alert_target: removeTarget,
    test_alert: testTarget,
  },
} satisfies Feature;
