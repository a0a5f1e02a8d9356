import { beyondWakingText } from "@merkle/wire/text";
import type { WakeAbility } from "./client.js";
import { isAtLeast } from "./find-program.js";

interface WakeSupport {
  /** The first version whose hooks have been verified to work as documented. */
  readonly since: string;
  /** What works from that version on, besides a wait. */
  readonly paths: readonly ("inbox" | "hooks")[];
  /** Advice about what still does not work. */
  readonly advice?: string;
}

/** Returns a function that describes how agents of a version of a client can be woken. */
export function createWakeAbility({ since, paths, advice }: WakeSupport): (version: string) => WakeAbility {
  return (version) =>
    isAtLeast(version, since)
      ? { paths: [...paths, "wait"], advice }
      : {
          paths: ["wait"],
          advice: `${version} can be woken only through a wait; ${paths.join(" and ")} need ${since}`,
        };
}

/** Returns the advice for a client whose agents are reached by its hooks alone. */
export function describeUnwakeable(label: string): string {
  return `an idle ${label} ${beyondWakingText}`;
}
