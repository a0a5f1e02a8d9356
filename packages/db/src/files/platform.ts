/**
 * Differences between operating systems that concern files and PostgreSQL's programs, one function per
 * question. Each function takes the system as a parameter, so that tests on one system cover all of them. No
 * other code may check which system it runs on.
 */

/**
 * Returns true if files have owners and modes, folders can be synced, processes receive signals, and sockets
 * are files.
 */
export function isPosix(system: NodeJS.Platform = process.platform): boolean {
  return system !== "win32";
}

/** Returns true if `/proc` shows processes, open files and threads. */
export function hasProc(system: NodeJS.Platform = process.platform): boolean {
  return system === "linux";
}

/** Returns the file name of a program, which has an extension on Windows. */
export function toProgramFile(name: string, system: NodeJS.Platform = process.platform): string {
  return isPosix(system) ? name : `${name}.exe`;
}

/**
 * Returns an argument in the form that programs expect. Windows passes all arguments in one command line, so
 * an empty argument must be quoted there.
 */
export function toArgument(value: string, system: NodeJS.Platform = process.platform): string {
  return !isPosix(system) && value === "" ? '""' : value;
}

/**
 * Returns the key for choosing this platform's binaries, such as `linux-x64`. A Linux without glibc, such as
 * Alpine, has keys like `linux-x64-musl`.
 */
export function getPlatformKey(
  system: NodeJS.Platform = process.platform,
  processor: string = process.arch,
  usesMusl: boolean = hasProc(system) && isMusl(),
): string {
  return `${system}-${processor}${usesMusl ? "-musl" : ""}`;
}

function isMusl(): boolean {
  // Node declares the report's type only as `object`.
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header !== undefined && header.glibcVersionRuntime === undefined;
}
