import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createMetrics } from "../apps/broker/src/core/metrics.js";

const read = (name: string) => readFile(new URL(`../docs/grafana/${name}`, import.meta.url), "utf8");

it("[METRIC-1] the dashboard and the alerts of docs/grafana ask for metrics and labels that there are, and all metrics are shown", async () => {
  const text = await createMetrics().render();
  const metrics = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  const dashboard = JSON.parse(await read("merkle.json"));
  const ofDashboard: string[] = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  );
  const ofAlerts = [...(await read("alerts.yaml")).matchAll(/^ {8}expr: (.+)$/gm)].map(
    ([, expr = ""]) => expr,
  );
  expect(ofAlerts).toHaveLength(7);
  const asked = new Set<string>();
  for (const expr of [...ofDashboard, ...ofAlerts]) {
    for (const [name] of expr.matchAll(/\bmerkle_\w+/g)) {
      const base = name.replace(/_(?:bucket|sum|count)$/, "");
      expect(metrics.get(base), `${expr}: ${name}`).toBeDefined();
      expect(metrics.get(base) === "histogram", `${expr}: ${name}`).toBe(base !== name);
      asked.add(base);
    }
  }
  // Every metric must appear in a dashboard, so that a new metric cannot be forgotten.
  expect([...metrics.keys()].filter((name) => !asked.has(name))).toEqual([]);
});
