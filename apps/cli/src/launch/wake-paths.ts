/** How an agent of this Claude Code can be woken, as far as its version says (LAUNCH-16). */
export interface WakePaths {
  readonly paths: readonly ("inbox" | "hooks" | "wait")[];
  /** Of which version on there would be more, or what else is to be minded; undefined when there is nothing. */
  readonly advice: string | undefined;
}

/** From these versions on; an older one may have some of it, but was not seen to. */
const inboxFrom = "2.1.224";
const hooksFrom = "2.1.330";
const triedFrom = "2.0.0";

/** @param version - as the program says it: `2.1.330 (Claude Code)`; one that cannot be understood is taken for a new one */
export function wakePathsOf(version: string): WakePaths {
  const number = /\d+\.\d+\.\d+/.exec(version)?.[0];
  if (number === undefined) return { paths: ["inbox", "hooks", "wait"], advice: undefined };
  const inbox = isFrom(number, inboxFrom);
  const hooks = isFrom(number, hooksFrom);
  return {
    paths: [...(inbox ? ["inbox" as const] : []), ...(hooks ? ["hooks" as const] : []), "wait"],
    advice: adviceFor(number, { inbox, hooks }),
  };
}

function adviceFor(number: string, { inbox, hooks }: { inbox: boolean; hooks: boolean }): string | undefined {
  if (hooks) return undefined;
  const more = [...(inbox ? [] : [`inbox from ${inboxFrom} on`]), `hooks from ${hooksFrom} on`].join(", ");
  const woken = `Claude Code ${number} is woken by ${inbox ? "inbox and wait" : "wait alone"}; ${more}`;
  return isFrom(number, triedFrom)
    ? woken
    : `${woken}. It is older than 2.0, and may not run with Merkle at all`;
}

function isFrom(version: string, first: string): boolean {
  return version.localeCompare(first, "en", { numeric: true }) >= 0;
}
