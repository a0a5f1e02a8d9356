import type { PageBuild } from "../core/broker-code.js";

let current: PageBuild | undefined;
let end = () => {};

/**
 * Registers a build before the broker starts. The build is kept in a module variable, because the build and
 * the command are two programs in one process.
 *
 * @param stop - ends the build
 */
export function announcePageBuild(build: PageBuild, stop: () => void): void {
  current = build;
  end = stop;
}

/** Returns the registered build. Undefined if the pages are already built. */
export function findPageBuild(): PageBuild | undefined {
  return current;
}

/** Ends the registered build after the broker has ended. */
export function endPageBuild(): void {
  end();
}
