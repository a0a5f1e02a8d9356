/** `npm run dev -- --port 7500`: compiles on each change, and starts the broker again; the dashboard's pages reload by themselves. */
import { spawn } from "node:child_process";
import { build, hasDashboard, install, programs, root } from "./steps.mjs";

try {
  await install();
  await build();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

let ending = false;
/** Where `next dev` serves the pages: at another port than the broker, which refuses pages of other ports. */
const pages = ["localhost:3000", "127.0.0.1:3000"];
const allowed = [process.env.MERKLE_ALLOWED_HOSTS, ...pages].filter(Boolean).join();
const flags = process.argv.slice(2);
const children = [
  start("tsc", [programs.tsc, "-b", "--watch", "--preserveWatchOutput"]),
  // Node watches the files that the broker is made of, and lets it stop in order before it starts it again.
  start("broker", ["--watch", "--watch-preserve-output", "apps/cli/bin/merkle.mjs", "up", ...flags]),
  ...(hasDashboard() ? [start("dashboard", [programs.next, "dev", "apps/dashboard"])] : []),
];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, endAll);

function start(name, args) {
  const env = { ...process.env, MERKLE_ALLOWED_HOSTS: allowed, NEXT_TELEMETRY_DISABLED: "1" };
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env });
  child.on("close", (code) => {
    if (!ending) process.stderr.write(`${name} ended\n`);
    if (code !== 0 && !ending) process.exitCode = 1;
    endAll();
  });
  return child;
}

/** Told once: a second signal would keep the broker from stopping in order. */
function endAll() {
  if (ending) return;
  ending = true;
  for (const child of children) child.kill("SIGTERM");
}
