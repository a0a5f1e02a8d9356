/**
 * `npm run db:migrate -- --dry-run` installs and compiles what is missing, then runs `merkle upgrade` with these flags. A broker
 * also migrates its database when it starts.
 */
import { join } from "node:path";
import { prepareRoot } from "./start/prepare-root.mjs";
import * as steps from "./steps.mjs";

const merkle = join(steps.root, "apps/cli/bin/merkle.mjs");

try {
  for (const line of prepareRoot()) steps.report(line);
  await steps.alone(async () => {
    await steps.install();
    await steps.compile({ check: false });
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
process.argv = [process.execPath, merkle, "upgrade", ...process.argv.slice(2)];
await import("../apps/cli/bin/merkle.mjs");
