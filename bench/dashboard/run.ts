import { parseArgs } from "node:util";
import { chromiumMissing, findChromium, launchChromium } from "../../tests/kit/chromium.js";
import { startLiveBroker } from "./live-broker.js";
import type { DashboardPart } from "./measurement.js";
import { burst } from "./parts/burst.js";
import { gap } from "./parts/gap.js";
import { longSession } from "./parts/long-session.js";
import { scripts } from "./parts/scripts.js";
import { search } from "./parts/search.js";
import { seen } from "./parts/seen.js";
import { vitals } from "./parts/vitals.js";
import { type PartResult, printResults, writeResults } from "./report.js";

const parts: readonly DashboardPart[] = [scripts, vitals, longSession, burst, seen, gap, search];
const known = parts.map(({ name }) => name);
const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
});
const names = flags.only?.split(",") ?? known;
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; the parts are ${known.join(", ")}.`);
  process.exit(2);
}
const chromium = findChromium();
if (chromium === undefined) {
  console.error(chromiumMissing);
  process.exit(1);
}

const broker = await startLiveBroker();
const browser = await launchChromium(chromium);
try {
  const results: PartResult[] = [];
  for (const { name, measure } of parts.filter(({ name }) => names.includes(name))) {
    console.error(name);
    const measurements = await measure({ broker, browser, quick: flags.quick });
    for (const each of measurements) console.error(`  ${each.name}: ${each.value} ${each.unit}`);
    results.push({ part: name, measurements });
  }
  printResults(results);
  console.log(`\nAll of it: ${await writeResults(browser.version(), results)}`);
} finally {
  await browser.close();
  await broker.stop();
}
