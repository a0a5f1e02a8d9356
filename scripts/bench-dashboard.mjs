/**
 * `npm run bench:dashboard -- --quick vitals` builds what is missing, and measures the dashboard, or parts of it, in a real
 * browser.
 */
import { build, run } from "./steps.mjs";

await build();
process.exitCode = await run(process.execPath, [
  "--import=tsx",
  "--conditions=merkle-source",
  "bench/dashboard/run.ts",
  ...process.argv.slice(2),
]);
