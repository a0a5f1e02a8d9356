/**
 * Differences between systems that concern files and PostgreSQL's programs, one function per question. Each
 * function takes the system as a parameter, so that tests on one system cover all of them. No other code
 * checks which system it runs on.
 */
type System = NodeJS.Platform;

/**
 * True if files have owners and modes, folders can be synced, processes receive signals, and sockets are
 * files.
 */
export function isPosix(system: System = process.platform): boolean {
  return system !== "win32";
}

/** True if processes, open files and threads can be inspected under `/proc`. */
export function hasProc(system: System = process.platform): boolean {
  return system === "linux";
}

/** Returns the file name of a program. */
export function programFile(name: string, system: System = process.platform): string {
  return isPosix(system) ? name : `${name}.exe`;
}

/** Quotes an empty argument on Windows, where all arguments are passed in one command line. */
export function argumentOf(value: string, system: System = process.platform): string {
  return !isPosix(system) && value === "" ? '""' : value;
}

/**
 * Returns the key for choosing binaries: `linux-x64`, or `linux-x64-musl` on a Linux without glibc, such as
 * Alpine.
 */
export function systemAndProcessor(
  system: System = process.platform,
  processor: string = process.arch,
  musl: boolean = hasProc(system) && isMusl(),
): string {
  return `${system}-${processor}${musl ? "-musl" : ""}`;
}

function isMusl(): boolean {
  // Its declared type is only `object`.
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header !== undefined && header.glibcVersionRuntime === undefined;
}
