import type { BrokerOptions } from "../core/broker-code.js";

/** What `npm start` builds in a checkout while the broker of the same process is up. */
type PageBuild = NonNullable<BrokerOptions["pageBuild"]>;

let current: PageBuild | undefined;

/** Called before the broker starts. The start and the command are two programs in one process, so nothing can pass it on. */
export function announcePageBuild(build: PageBuild): void {
  current = build;
}

/** Undefined where the pages are built already. */
export function findPageBuild(): PageBuild | undefined {
  return current;
}
