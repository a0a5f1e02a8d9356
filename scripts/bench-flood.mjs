/** `npm run bench:flood -- --quick slow-requests`: builds what is missing, and floods a broker, with all attacks or some. */
import { build, run } from "./steps.mjs";

await build();
process.exitCode = await run(process.execPath, [
  "--import=tsx",
  "--conditions=merkle-source",
  "bench/flood/run.ts",
  ...process.argv.slice(2),
]);
