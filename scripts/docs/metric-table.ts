import { createMetrics } from "../../apps/broker/src/core/metrics.js";
import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";

/** Returns a row for each metric of a new broker, from the help texts in `/metrics`. */
export async function renderMetricTable(): Promise<string> {
  const text = await createMetrics().render();
  const described = text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm);
  return formatMarkdownTable(
    ["Metric", "Type", "Meaning"],
    [...described].map(([, name = "", help = "", type = ""]) => [`\`${name}\``, type, help]),
  );
}
