import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../core/cli-error.js";
import type { HookSettings } from "./hook-settings.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Our settings together with those that the user gave to Claude Code, a path or JSON: of several `--settings` it takes
 * the last alone. All that the user set stays; our hooks come on top of the user's.
 *
 * @throws CliError `usage` when they cannot be read
 */
export async function mergeSettings(
  ours: HookSettings,
  given: string | undefined,
  cwd: string,
): Promise<Fields> {
  if (given === undefined) return { ...ours };
  const theirs = parse(await readGiven(given, cwd), given);
  const hooks = isFields(theirs["hooks"]) ? theirs["hooks"] : {};
  const events = new Set([...Object.keys(hooks), ...Object.keys(ours.hooks)]);
  const merged = [...events].map((event) => [
    event,
    [...groupsOf(hooks[event]), ...(ours.hooks[event] ?? [])],
  ]);
  return { ...theirs, hooks: Object.fromEntries(merged) };
}

async function readGiven(given: string, cwd: string): Promise<string> {
  if (given.trimStart().startsWith("{")) return given;
  return readFile(resolve(cwd, given), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usageError(`--settings names ${given}, which cannot be read (${error.code}).`);
  });
}

function parse(text: string, given: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch {
    // Not JSON is as wrong as not an object, and told in the same sentence.
  }
  const named = given.trimStart().startsWith("{") ? "" : ` names ${given}, which`;
  throw usageError(`--settings${named} must hold a JSON object.`);
}

function groupsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
