#!/usr/bin/env node
// Read by every Node there is, so that an old one gets a sentence instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `merkle needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org\n`,
  );
  process.exit(1);
}

// Node takes all that the hard limit allows. With fewer, modules that are there cannot be opened, and count as missing.
const descriptorsMin = 512;

// In a checkout the sources lie beside, and what was compiled from them runs; a package has the bundle alone.
let inCheckout = false;
let readPackageName = () => "";

let ended = false;
// Node ends when it has nothing left to do: a command that still waits then has failed, and must not look like success.
process.once("beforeExit", () => {
  if (ended) return;
  process.stderr.write("merkle ended before its command did, which is a fault of merkle.\n");
  process.exitCode = 1;
});

leaveDeletedFolder();

import("node:fs")
  .then(({ existsSync, readFileSync }) => {
    refuseFewDescriptors(existsSync, readFileSync);
    inCheckout = existsSync(new URL("../src", import.meta.url));
    readPackageName = () =>
      JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).name;
    return import(inCheckout ? "../dist/main.js" : "../bundle/main.js");
  })
  .then(
    ({ main }) => main(process.argv.slice(2)),
    (error) => {
      const missing = error.code === "ERR_MODULE_NOT_FOUND";
      const advice = inCheckout
        ? "merkle is not built. Run: npm ci && npm run build"
        : `merkle is not installed completely. Install it again: npm install -g ${readPackageName()}`;
      process.stderr.write(`${missing ? advice : `merkle cannot start: ${error.message}`}\n`);
      process.exitCode = 1;
    },
  )
  .finally(() => {
    ended = true;
  });

/**
 * A folder that was deleted has no path, and whatever asks for it fails. Hooks have nothing to say there, and must not
 * disturb their client; an agent needs a folder that exists; other commands go on in the user's home.
 */
function leaveDeletedFolder() {
  try {
    process.cwd();
    return;
  } catch {
    // Handled below.
  }
  const words = process.argv.slice(2);
  if (words[0] === "hook") process.exit(0);
  if (words.includes("launch")) {
    process.stderr.write("The current folder was deleted. Go to the folder in which the agent is to work.\n");
    process.exit(2);
  }
  const home = process.env.HOME || process.env.USERPROFILE || "/";
  try {
    process.chdir(home);
  } catch {
    process.chdir("/");
  }
  const isQuiet = ["--json", "--quiet", "-q", "mcp"].some((word) => words.includes(word));
  if (!isQuiet)
    process.stderr.write(`The current folder was deleted; merkle uses ${process.cwd()} instead.\n`);
}

/** Where the system tells no limits it is Windows, which has none, or macOS, where the hard limit is high. */
function refuseFewDescriptors(existsSync, readFileSync) {
  const limits = "/proc/self/limits";
  if (!existsSync(limits)) return;
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
  if (hard === undefined || Number(hard) >= descriptorsMin) return;
  throw new Error(
    `it may open ${hard} files at once, and needs ${descriptorsMin}. Raise the hard limit (ulimit -Hn, LimitNOFILE= of a service, --ulimit nofile= of a container).`,
  );
}
