import type { Feature } from "../../feature.js";
import { createAlertOutbox } from "./alert-outbox.js";
import { listTargets, putTarget, removeTarget, testTarget } from "./manage-alert-targets.js";

const sendTimeoutMs = 5_000;

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
  repeat: {
    name: "alerts",
    everyMs: sendTimeoutMs,
    begin(meshes) {
      const send = createAlertOutbox(() => meshes.list());
      // Each alert is leased while it is sent, so any node could send it. Only one node does so, to spare the
      // other nodes the work.
      return async () => {
        if (meshes.main.nodes.isLeader) await send();
      };
    },
  },
} satisfies Feature;
