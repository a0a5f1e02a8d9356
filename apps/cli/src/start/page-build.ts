import type { BrokerOptions } from "../core/broker-code.js";

/** The build of the dashboard's pages that `npm start` runs in a checkout, in the broker's process. */
type PageBuild = NonNullable<BrokerOptions["pageBuild"]>;

let current: PageBuild | undefined;
let end = () => {};

/**
 * Registers the build before the broker starts. A module variable is needed, because the build and the
 * command are two programs in one process.
 *
 * @param stop - ends the build
 */
export function announcePageBuild(build: PageBuild, stop: () => void): void {
  current = build;
  end = stop;
}

/** Returns the running build. Undefined if the pages are already built. */
export function findPageBuild(): PageBuild | undefined {
  return current;
}

/** Ends the build once the broker has ended. */
export function endPageBuild(): void {
  end();
}
