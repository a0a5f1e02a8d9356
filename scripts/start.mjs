/** `npm start -- --port 7500`: installs and builds what is missing, then is `merkle up` with these flags. */
import { join } from "node:path";
import { build, install, root } from "./steps.mjs";

try {
  await install();
  await build();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

// The same process goes on as the command: its signals, its terminal and its exit code need no passing on.
const merkle = join(root, "apps/cli/bin/merkle.mjs");
process.argv = [process.execPath, merkle, "up", ...process.argv.slice(2)];
await import("../apps/cli/bin/merkle.mjs");
