/**
 * What differs between systems for files and for PostgreSQL's programs, a question each. Every answer is a function of the
 * system, so that tests on one have those of all; nothing else asks which it is.
 */
type System = NodeJS.Platform;

/** Files have owners and modes, folders can be synced, processes get signals, and a socket is a file. */
export function isPosix(system: System = process.platform): boolean {
  return system !== "win32";
}

/** Processes, open files and threads can be looked into below `/proc`. */
export function hasProc(system: System = process.platform): boolean {
  return system === "linux";
}

/** How a program's file is called. */
export function programFile(name: string, system: System = process.platform): string {
  return isPosix(system) ? name : `${name}.exe`;
}

/** An argument as it is given: an empty one needs quotes where arguments pass through one command line. */
export function argumentOf(value: string, system: System = process.platform): string {
  return !isPosix(system) && value === "" ? '""' : value;
}

/** By which binaries are chosen: `linux-x64`, and of a Linux without glibc, as Alpine is, `linux-x64-musl`. */
export function systemAndProcessor(
  system: System = process.platform,
  processor: string = process.arch,
  musl: boolean = hasProc(system) && isMusl(),
): string {
  return `${system}-${processor}${musl ? "-musl" : ""}`;
}

function isMusl(): boolean {
  // Its types know an object alone.
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header !== undefined && header.glibcVersionRuntime === undefined;
}
