#!/usr/bin/env node
// Keeps to syntax that every version of Node can parse, so that an old version prints the message below
// instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `merkle needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org\n`,
  );
  process.exit(1);
}

// Minimum hard limit on open files. Node raises its own limit to the hard limit. With a lower limit, some
// modules cannot be opened, and Node reports them as missing.
const descriptorsMin = 512;

// A checkout has the sources next to this folder and runs the compiled code in `dist`. An installed package
// has only the bundle.
let inCheckout = false;
let readPackageName = () => "";

let ended = false;
// Node exits when it has nothing left to do. If the command has not finished by then, it has failed, and the
// exit code must show that.
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
 * Leaves the current folder if it was deleted, because `process.cwd()` fails there. Hooks exit silently so as
 * not to disturb their client. `launch` fails, because an agent needs an existing folder. Other commands run
 * in the user's home folder.
 */
function leaveDeletedFolder() {
  try {
    process.cwd();
    return;
  } catch {
    // The current folder was deleted.
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

/**
 * Throws if the process may open too few files. Systems without `/proc` are not checked: Windows has no
 * limit, and the hard limit on macOS is high.
 */
function refuseFewDescriptors(existsSync, readFileSync) {
  const limits = "/proc/self/limits";
  if (!existsSync(limits)) return;
  const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
  if (hard === undefined || Number(hard) >= descriptorsMin) return;
  throw new Error(
    `it may open ${hard} files at once, and needs ${descriptorsMin}. Raise the hard limit (ulimit -Hn, LimitNOFILE= of a service, --ulimit nofile= of a container).`,
  );
}
