/** Runs the tests with real clients. `--latest` takes the newest releases of the clients, the rest goes to Vitest. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const latest = "--latest";
const args = process.argv.slice(2);
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const config = ["--config", "tests/clients/vitest.config.ts"];
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", ...config, ...args.filter((argument) => argument !== latest)],
  {
    stdio: "inherit",
    env: { ...process.env, ...(args.includes(latest) && { MERKLE_CLIENTS: "latest" }) },
  },
);
process.exitCode = status ?? 1;
