import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { claudePaths } from "../install/claude-paths.js";
import type { HookGroup, HookSettings } from "./hook-settings.js";

/**
 * The hooks that this user's own settings have not got already: Claude Code runs those beside a launch's, and one that
 * runs twice would tell the server of an event that did not happen.
 */
export async function withoutInstalled(ours: HookSettings, env: NodeJS.ProcessEnv): Promise<HookSettings> {
  const installed = await readInstalledHooks(claudePaths(env).settings);
  const lacking = Object.entries(ours.hooks).map(
    ([event, groups]) => [event, groups.filter((each) => !isAmong(installed, event, each))] as const,
  );
  return { hooks: Object.fromEntries(lacking.filter(([, groups]) => groups.length > 0)) };
}

/** A command may run another merkle than this one, and does the same. */
function isAmong(installed: object, event: string, group: HookGroup): boolean {
  const there: unknown = Reflect.get(installed, event);
  if (!Array.isArray(there)) return false;
  const isOwnCommand = group.hooks.some((each) => each.type === "command");
  return there.some((each) =>
    isOwnCommand ? JSON.stringify(each).includes(" hook session-start") : isDeepStrictEqual(each, group),
  );
}

async function readInstalledHooks(path: string): Promise<object> {
  try {
    const { hooks }: { hooks?: unknown } = JSON.parse(await readFile(path, "utf8"));
    return typeof hooks === "object" && hooks !== null ? hooks : {};
  } catch {
    // There are none, or Claude Code cannot read them either.
    return {};
  }
}
