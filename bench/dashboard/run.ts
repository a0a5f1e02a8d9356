import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { chromiumMissing, findChromium, launchUsersChromium } from "../../tests/kit/chromium.js";
import { startLiveBroker } from "./live-broker.js";
import { measureMachine } from "./machine.js";
import type { DashboardPart, LiveBroker } from "./measurement.js";
import { burst } from "./parts/burst.js";
import { links } from "./parts/links.js";
import { longSession } from "./parts/long-session.js";
import { outage } from "./parts/outage.js";
import { palette } from "./parts/palette.js";
import { scripts } from "./parts/scripts.js";
import { search } from "./parts/search.js";
import { seen } from "./parts/seen.js";
import { vitals } from "./parts/vitals.js";
import { wheel } from "./parts/wheel.js";
import { isPassed, type PartResult, printResults, type Run, writeResults } from "./report.js";

const parts: readonly DashboardPart[] = [
  scripts,
  vitals,
  palette,
  wheel,
  longSession,
  links,
  burst,
  seen,
  outage,
  search,
];
const known = parts.map(({ name }) => name);
const { values: flags, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const names = positionals.length === 0 ? known : positionals;
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; the parts are ${known.join(", ")}.`);
  process.exit(2);
}
const chromium = findChromium();
if (chromium === undefined) {
  console.error(chromiumMissing);
  process.exit(2);
}

const broker = await startLiveBroker();
const browser = await launchUsersChromium(chromium);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    // Closing the browser ends all parts. Results measured so far are still printed.
    void browser.close();
  });
}
try {
  const machine = await measureMachine(browser);
  const results: PartResult[] = [];
  for (const part of parts.filter(({ name }) => names.includes(name))) {
    if (!browser.isConnected()) break;
    results.push(await measurePart(part, broker, browser));
  }
  const run: Run = { machine, results };
  printResults(run);
  console.log(`\nAll of it: ${await writeResults(browser.version(), run)}`);
  if (!isPassed(run) || !browser.isConnected()) process.exitCode = 1;
} finally {
  await browser.close();
  await broker.stop();
}

/** Measures one part. If it fails or times out, its pages are closed and the run continues. */
async function measurePart(part: DashboardPart, broker: LiveBroker, browser: Browser): Promise<PartResult> {
  let doing = "beginning";
  const before = load();
  console.error(`${part.name} (load ${before.toFixed(1)})`);
  const reportStep = (what: string) => {
    doing = what;
    console.error(`  ${what}`);
  };
  try {
    const measured = part.measure({ broker, browser, quick: flags.quick, reportStep });
    const measurements = await within(measured, part.limitMs);
    for (const each of measurements) console.error(`  = ${each.name}: ${each.value.toFixed(2)} ${each.unit}`);
    return { part: part.name, measurements, load: [before, load()] };
  } catch (error) {
    const [reason] = String(error).split("\n");
    const failure = `${doing}: ${reason}`;
    console.error(`  ! ${failure}`);
    return { part: part.name, measurements: [], failure, load: [before, load()] };
  } finally {
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${limitMs / 1_000} s`)), limitMs);
  });
  // The abandoned part may fail later, when its pages are closed.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function load(): number {
  return loadavg()[0] ?? 0;
}
