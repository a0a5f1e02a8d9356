import type { BrokerOptions } from "../core/broker-code.js";

/** What `npm start` builds in a checkout while the broker of the same process is up. */
type PageBuild = NonNullable<BrokerOptions["pageBuild"]>;

let current: PageBuild | undefined;
let end = () => {};

/**
 * Called before the broker starts. The start and the command are two programs in one process, so nothing can pass it on.
 *
 * @param stop - ends the build
 */
export function announcePageBuild(build: PageBuild, stop: () => void): void {
  current = build;
  end = stop;
}

/** Undefined where the pages are built already. */
export function findPageBuild(): PageBuild | undefined {
  return current;
}

/** Called when the broker has ended: nobody is left who would see the pages. */
export function endPageBuild(): void {
  end();
}
