import { expect, it } from "vitest";
import { describeDegradation, type HealthReply } from "./broker-facts.js";

const healthy: HealthReply = { ready: true, durable: true, degraded: false, version: "1.0.0", uptime_s: 1 };

it("[OPS-2] names the repeated tasks of a broker that keep failing, and else the bus", () => {
  expect(describeDegradation({ ...healthy, failing_tasks: [] })).toBeNull();
  expect(
    describeDegradation({ ...healthy, degraded: true, failing_tasks: ["quotas", "alerts"] }),
  ).toMatchObject({
    problem: "these periodic tasks keep failing: quotas, alerts",
  });
  expect(describeDegradation({ ...healthy, degraded: true })).toMatchObject({
    problem: expect.stringContaining("its bus is down"),
  });
});
