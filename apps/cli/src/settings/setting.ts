import { dirname, resolve } from "node:path";
import { type CliError, usageError } from "../core/cli-error.js";
import { type Flag, type Flags, isSet, listOf, textOf } from "../core/flags.js";

/** A value as a flag, a variable or a file contains it. */
export interface Given {
  readonly value: unknown;
  /** The source as errors name it: `--port`, `MERKLE_PORT in /work/.env`, `mesh in /home/ana/.merkle/config.json`. */
  readonly name: string;
}

/** A value with the folder at which its relative paths start. */
export interface LocatedValue extends Given {
  readonly folder: string;
}

/** The consequences of a value from a project's file, for the person who decides whether to trust the file (CLI-82). */
export interface Consequence {
  /** Describes the consequence, possibly with text of others as it is. Undefined if the value has none. */
  readonly describe: (given: LocatedValue) => string | undefined;
  /** Returns what the decision also covers: a resolved value, or the content of the file that the value names. */
  readonly content?: (given: LocatedValue) => string | null;
}

export interface Variable {
  readonly name: string;
  /** Applies only to commands that start the broker: for others it may be another program's variable. */
  readonly forBroker?: true;
  /**
   * What `.env.local` and `.env` of a folder may do with the variable (CLI-85): `harmless` ones apply at once, those with a
   * consequence once a person trusts the file, and those of the `environment` never, because most commands do not read these
   * files. Without it, the files cannot set the variable.
   */
  readonly inFile?: "harmless" | "environment" | Consequence;
  /** Another name of the variable, only in these files. */
  readonly aliasInFile?: string;
}

/** The texts of a key in config.json, for the reference. */
export interface DocumentedKey {
  /** A value as the file contains it. */
  readonly example: string;
  readonly usual: string;
  readonly meaning: string;
}

/** A key in config.json. */
export interface FileKey extends DocumentedKey {
  readonly name: string;
  /** Also allowed in a project's `.merkle.json`, with these consequences. */
  readonly inProject?: Consequence;
  /** Checks the type when the file is read. Default: `parse` of the setting. */
  readonly checkType?: (given: LocatedValue) => unknown;
  /** The keys of its object. */
  readonly keys?: Readonly<Record<string, DocumentedKey>>;
}

/**
 * Where a setting of this machine can be set, and its texts. The first of these sources that sets it counts, in this order: flag,
 * variables, project's file, config.json (CLI-5).
 */
export interface SettingSources {
  /** A flag of every command, or of `up`. */
  readonly flag?: Flag & { readonly of: "every command" | "up" };
  readonly variables?: readonly Variable[];
  /** A source that sets one of the variables decides all of them. */
  readonly variablesBelongTogether?: true;
  /** The variables and their meaning, as `merkle help environment` lists them. */
  readonly help?: readonly [names: string, meaning: string];
  readonly key?: FileKey;
}

/** A setting of the core. */
export interface Setting<Value = unknown> extends SettingSources {
  /** The name in `merkle config`. Settings without a name are not listed. */
  readonly name?: string;
  /** Converts the value of any source. @throws CliError `usage`, naming the source */
  readonly parse: (given: LocatedValue) => Value;
  readonly default: Value;
  /** Converts the value to what `merkle config list` shows: no token, and no address that may contain a password. */
  readonly show: (value: never) => unknown;
}

/** Defines a setting. Its default is undefined, and it is shown as it is, if `facts` do not say otherwise. */
export function setting<Value, Default = undefined>(
  facts: SettingSources & {
    readonly name?: string;
    readonly parse: (given: LocatedValue) => Value;
    readonly default?: Default;
    readonly show?: (value: NoInfer<Value | Default>) => unknown;
  },
): Setting<Value | Default> {
  return { show: showPlain, ...facts, default: facts.default as Default };
}

function showPlain(value: unknown): unknown {
  return Array.isArray(value) ? value.join(", ") || null : (value ?? null);
}

/** Shows that there is a value. */
export function showPresence(value: unknown): "set" | null {
  return value ? "set" : null;
}

/** A configuration file, as far as settings are concerned. */
export interface SettingsFile {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Everything that sets settings. */
export interface Sources {
  readonly flags: Flags;
  /** The environment, extended by `.env.local` and `.env` for commands that start the broker. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns a variable's name for messages, including the file that it comes from. */
  readonly nameOf: (variable: string) => string;
  readonly cwd: string;
  /** Whether the command starts the broker or opens its database. */
  readonly forBroker: boolean;
  /** The project's file, if it is trusted. */
  readonly project: SettingsFile | undefined;
  readonly user: SettingsFile;
}

/** Finds the value of the first source that sets a setting, with the name of the source (CLI-5). */
export function findValue(
  { flag, variables = [], key }: SettingSources,
  { flags, env, nameOf, cwd, forBroker, project, user }: Sources,
): (LocatedValue & { readonly source: string }) | undefined {
  const flagValue = flag && readFlag(flags, flag);
  if (flag && flagValue !== undefined) {
    const name = longFlag(flag);
    return { value: flagValue, name, source: name, folder: cwd };
  }
  const variable = variables.find((each) => env[each.name] && (forBroker || !each.forBroker));
  if (variable) {
    const name = nameOf(variable.name);
    return { value: env[variable.name], name, source: name, folder: cwd };
  }
  for (const file of [key?.inProject && project, user]) {
    const given = key && file && findInFile(key, file);
    if (file && given && given.value !== "") return { ...given, source: file.path };
  }
  return undefined;
}

/** Reads a setting from the first source that sets it. @throws CliError `usage`, naming the source */
export function readSetting<Value>(each: Setting<Value>, sources: Sources): Value {
  const given = findValue(each, sources);
  return given ? each.parse(given) : each.default;
}

/** Returns the value of a key in a file. Undefined if the file does not contain the key. */
export function findInFile({ name }: FileKey, { path, content }: SettingsFile): LocatedValue | undefined {
  if (content[name] === undefined) return undefined;
  return { value: content[name], name: `${name} in ${path}`, folder: dirname(path) };
}

function readFlag(flags: Flags, flag: Flag): unknown {
  const name = longFlag(flag)
    .slice(2)
    .replace(/-./g, (each) => each.charAt(1).toUpperCase());
  if (isSet(flags, name)) return true;
  const list = listOf(flags, name);
  return textOf(flags, name) ?? (list.length > 0 ? list : undefined);
}

function longFlag({ flags }: Flag): string {
  return flags.split(" ")[0] ?? "";
}

export function parseText({ value, ...given }: Given): string {
  if (typeof value === "string") return value;
  throw wrong({ value, ...given }, "text");
}

/** Trims the text. Undefined if nothing is left. */
export function parseTrimmed(given: Given): string | undefined {
  return parseText(given).trim() || undefined;
}

/** Resolves a path, which in a file starts at the file's folder. */
export function parsePath(given: LocatedValue): string {
  return resolve(given.folder, parseText(given));
}

export function parseSwitch({ value, name }: Given): boolean {
  if (typeof value === "boolean") return value;
  throw wrong({ value, name }, "true or false");
}

/** Parses the text of a variable, or true and false of a flag or file. */
export function parseSwitchText({ value, name }: Given): boolean {
  if (typeof value !== "string") return parseSwitch({ value, name });
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw wrong({ value, name }, "1 or 0");
}

export function parseList({ value, name }: Given): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw wrong({ value, name }, "a list of strings");
}

export function wrong({ value, name }: Given, expected: string): CliError {
  return usageError(`${name} must be ${expected}, got ${JSON.stringify(value)}.`);
}
