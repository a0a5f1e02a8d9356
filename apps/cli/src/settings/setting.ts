import { dirname, resolve } from "node:path";
import { type CliError, usageError } from "../core/cli-error.js";
import { type Flag, type Flags, findFlag, isSet, listFlagValues } from "../core/flags.js";

/** The value of a setting as it was given in a flag, a variable or a file. */
export interface GivenValue {
  readonly value: unknown;
  /**
   * The name of the source in error messages, such as `--port`, `MERKLE_PORT in /home/ana/app/.env` or `mesh in
   * /home/ana/.merkle/config.json`.
   */
  readonly name: string;
}

/** A value, and the folder against which relative paths in it are resolved. */
export interface LocatedValue extends GivenValue {
  readonly folder: string;
}

/**
 * The consequence of using a value from a project's file. Shown to the person who decides whether to trust
 * the file (CLI-82).
 */
export interface Consequence {
  /**
   * Describes the consequence. The text may quote others and is not neutralised. Undefined if the value has
   * no consequence.
   */
  readonly describe: (given: LocatedValue) => string | undefined;
  /**
   * Returns further content that a decision to trust the file covers: the resolved value, or the content of a
   * file named by the value.
   */
  readonly readContent?: (given: LocatedValue) => string | null;
}

export interface Variable {
  readonly name: string;
  /**
   * Whether the variable applies only to commands that start the broker. For other commands, it may belong to
   * another program.
   */
  readonly isForBroker?: true;
  /**
   * Whether `.env.local` and `.env` in a folder can set the variable (CLI-85). If `harmless`, they always
   * can. With a consequence, they can once a person trusts the file. If `environment`, they cannot, because
   * most commands do not read these files, and a notice says so. If undefined, the variable is ignored in
   * these files.
   */
  readonly inFile?: "harmless" | "environment" | Consequence;
  /** An additional name for the variable, which is valid only in `.env.local` and `.env`. */
  readonly aliasInFile?: string;
}

/** The documentation of a key in config.json, for the reference. */
export interface DocumentedKey {
  /** An example value as it would be written in the file. */
  readonly example: string;
  readonly defaultText: string;
  readonly meaning: string;
}

/** A key in config.json. */
export interface FileKey extends DocumentedKey {
  readonly name: string;
  /** If set, the key can also be in a project's `.merkle.json`, with this consequence. */
  readonly inProject?: Consequence;
  /** Checks the type when the file is read. Default: the setting's `parse` function. */
  readonly checkType?: (given: LocatedValue) => unknown;
  /** If the value is an object, the documentation of its keys. */
  readonly keys?: Readonly<Record<string, DocumentedKey>>;
}

/**
 * Where a setting of this machine can be set, and its help text. The first source that sets it wins: flag,
 * variables, project's file, config.json (CLI-5).
 */
export interface SettingSources {
  /** The flag for the setting, and whether every command has it or only `up`. */
  readonly flag?: Flag & { readonly of: "every command" | "up" };
  readonly variables?: readonly Variable[];
  /**
   * Whether all the variables must come from one source. If so, a source that sets one of the variables
   * decides all of them.
   */
  readonly variablesBelongTogether?: true;
  /** The names of the variables and their meaning, as shown by `merkle help environment`. */
  readonly help?: readonly [names: string, meaning: string];
  readonly key?: FileKey;
}

/** A setting of the core. */
export interface Setting<Value = unknown> extends SettingSources {
  /** The setting's name in `merkle config`. Settings without a name are not listed. */
  readonly name?: string;
  /** Converts a value from any source to the setting's type. @throws CliError `usage`, naming the source */
  readonly parse: (given: LocatedValue) => Value;
  readonly default: Value;
  /**
   * Converts the setting's value for `merkle config list`. Must not return a token, or an address that may
   * contain a password.
   */
  readonly show: (value: never) => unknown;
}

/** Defines a setting. By default, the setting is undefined if not set, and its value is shown unchanged. */
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

/** For a secret value, shows only whether it is set. */
export function showPresence(value: unknown): "set" | null {
  return value ? "set" : null;
}

/** The parts of a configuration file that reading settings requires. */
export interface SettingsFile {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** All sources from which settings are read. */
export interface ConfigInputs {
  readonly flags: Flags;
  /**
   * The environment variables. For commands that start the broker, these include the variables in
   * `.env.local` and `.env`.
   */
  readonly env: NodeJS.ProcessEnv;
  /** Returns a variable's name for messages. Includes the file that sets the variable. */
  readonly nameOf: (variable: string) => string;
  readonly cwd: string;
  /** Whether the command starts the broker or opens its database. */
  readonly isForBroker: boolean;
  /** The project's file. Undefined if there is none or the user does not trust it. */
  readonly project: SettingsFile | undefined;
  readonly user: SettingsFile;
}

/** Returns a setting's value from the first source that sets it, with the name of that source (CLI-5). */
export function findValue(
  { flag, variables = [], key }: SettingSources,
  { flags, env, nameOf, cwd, isForBroker, project, user }: ConfigInputs,
): (LocatedValue & { readonly source: string }) | undefined {
  const flagValue = flag && readFlag(flags, flag);
  if (flag && flagValue !== undefined) {
    const name = toLongFlag(flag);
    return { value: flagValue, name, source: name, folder: cwd };
  }
  const variable = variables.find((each) => env[each.name] && (isForBroker || !each.isForBroker));
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

/**
 * Returns the value of a setting, from the first source that sets it. @throws CliError `usage`, naming the
 * source
 */
export function readSetting<Value>(each: Setting<Value>, sources: ConfigInputs): Value {
  const given = findValue(each, sources);
  return given ? each.parse(given) : each.default;
}

/** Returns the value of a key in a file. Undefined if the file does not contain the key. */
export function findInFile({ name }: FileKey, { path, content }: SettingsFile): LocatedValue | undefined {
  if (content[name] === undefined) return undefined;
  return { value: content[name], name: `${name} in ${path}`, folder: dirname(path) };
}

function readFlag(flags: Flags, flag: Flag): unknown {
  const name = toLongFlag(flag)
    .slice(2)
    .replace(/-./g, (each) => each.charAt(1).toUpperCase());
  if (isSet(flags, name)) return true;
  const list = listFlagValues(flags, name);
  return findFlag(flags, name) ?? (list.length > 0 ? list : undefined);
}

function toLongFlag({ flags }: Flag): string {
  return flags.split(" ")[0] ?? "";
}

export function parseText({ value, ...given }: GivenValue): string {
  if (typeof value === "string") return value;
  throw invalidValue({ value, ...given }, "text");
}

/** Returns the text without surrounding white space. Undefined if nothing is left. */
export function parseTrimmed(given: GivenValue): string | undefined {
  return parseText(given).trim() || undefined;
}

/** Returns the absolute path. A relative path in a file is relative to the file's folder. */
export function parsePath(given: LocatedValue): string {
  return resolve(given.folder, parseText(given));
}

export function parseSwitch({ value, name }: GivenValue): boolean {
  if (typeof value === "boolean") return value;
  throw invalidValue({ value, name }, "true or false");
}

/** Parses a switch: 1, 0, true or false as the text of a variable, or a boolean from a flag or file. */
export function parseSwitchText({ value, name }: GivenValue): boolean {
  if (typeof value !== "string") return parseSwitch({ value, name });
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw invalidValue({ value, name }, "1 or 0");
}

export function parseList({ value, name }: GivenValue): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw invalidValue({ value, name }, "a list of strings");
}

export function invalidValue({ value, name }: GivenValue, expected: string): CliError {
  return usageError(`${name} must be ${expected}, got ${JSON.stringify(value)}.`);
}
