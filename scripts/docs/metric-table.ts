import { createMetrics } from "../../apps/broker/src/core/metrics.js";
import { markdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";

/** A row for each metric of a broker that has just started, read from what `/metrics` says of it. */
export async function metricTable(): Promise<string> {
  const text = await createMetrics().render();
  const described = text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm);
  return markdownTable(
    ["Metric", "Type", "Meaning"],
    [...described].map(([, name = "", help = "", type = ""]) => [`\`${name}\``, type, help]),
  );
}
