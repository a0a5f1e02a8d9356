import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { readSettingsText } from "../core/read-settings-text.js";
import { type ForeignFile, isTrusted, toForeign } from "./foreign-file.js";
import type { LocatedValue, SettingSources, Variable } from "./setting.js";
import { coreSettings, settings } from "./settings.js";

/** The variables with which a broker is started. */
export interface Variables {
  /** The variables of the process, with those from the folder's `.env.local` and `.env` added. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns a variable's name for messages. Includes the file that sets the variable. */
  nameOf(variable: string): string;
  /**
   * Notices that say which variables from each file are used, which are ignored, and why. They never contain
   * a value.
   */
  readonly notices: readonly string[];
}

interface Folder {
  readonly cwd: string;
  /** The settings of features, whose variables `.env.local` and `.env` may also set. */
  readonly featureSettings?: readonly SettingSources[] | undefined;
}

/**
 * The files, in order of precedence. The first file that names a variable determines its value, even if that
 * file is not trusted.
 */
const fileNames = [".env.local", ".env"];

/**
 * Reads the variables that `.env.local` and `.env` in a folder add to the environment (CLI-85). The files may
 * come from the project's author, so variables that control where data, keys or agents go apply only once the
 * user trusts the file.
 *
 * @throws CliError `usage` that names the file, if it is unreadable or its DATABASE_URL is invalid
 */
export function readEnvFiles({
  env,
  home,
  ...folder
}: Folder & { readonly env: NodeJS.ProcessEnv; readonly home: string }): Variables {
  const known = listFileVariables(folder.featureSettings);
  const withPartners = (names: readonly string[]) => addPartners(names, folder.featureSettings);
  const toSettingVariable = (name: string) => known.get(name)?.sets ?? name;
  const added: Record<string, string> = {};
  const sources = new Map<string, string>();
  const decided = new Set(withPartners(Object.keys(env)));
  const notices: string[] = [];
  for (const file of findEnvFiles(folder)) {
    const named = Object.entries(file.values).filter(
      ([name]) =>
        !decided.has(toSettingVariable(name)) &&
        !(name !== toSettingVariable(name) && toSettingVariable(name) in file.values),
    );
    const isUsable = file.foreign === undefined || isTrusted(home, file.foreign);
    const used: string[] = [];
    const untrusted: string[] = [];
    const elsewhere: string[] = [];
    for (const [name, value] of named) {
      // Check the address even if the file is not trusted and the value is therefore not used.
      if (name === "DATABASE_URL" && value) settings.databaseUrl.parse(locate(name, value, file.path));
      const inFile = known.get(name)?.inFile;
      if (inFile === undefined) continue;
      if (inFile === "environment") elsewhere.push(name);
      else if (inFile === "harmless" || isUsable || value === "") {
        added[toSettingVariable(name)] = value;
        sources.set(toSettingVariable(name), `${name} in ${file.path}`);
        used.push(name);
      } else untrusted.push(name);
    }
    for (const name of withPartners(named.map(([each]) => toSettingVariable(each)))) decided.add(name);
    notices.push(...describe(file.path, { used, untrusted, elsewhere }));
  }
  return {
    env: { ...env, ...added },
    nameOf: (variable) => sources.get(variable) ?? variable,
    notices,
  };
}

/** Returns the folder's `.env` files that the user must decide whether to trust (CLI-82). */
export function findForeignEnvFiles(folder: Folder): ForeignFile[] {
  return findEnvFiles(folder).flatMap(({ foreign }) => foreign ?? []);
}

/** Returns the names of all variables that can be set in `.env.local` or `.env`. */
export function listUsableNames(featureSettings: readonly SettingSources[]): readonly string[] {
  return [...listFileVariables(featureSettings)].flatMap(([name, { inFile }]) =>
    inFile === "environment" ? [] : [name],
  );
}

/** A variable named in an `.env` file: which setting's variable it sets, and under what conditions. */
interface FileVariable {
  readonly sets: string;
  readonly inFile: NonNullable<Variable["inFile"]>;
}

function listFileVariables(
  featureSettings: readonly SettingSources[] = [],
): ReadonlyMap<string, FileVariable> {
  const known = new Map<string, FileVariable>();
  for (const { variables = [] } of [...coreSettings, ...featureSettings]) {
    for (const { name, inFile, aliasInFile } of variables) {
      if (inFile === undefined) continue;
      known.set(name, { sets: name, inFile });
      if (aliasInFile !== undefined) known.set(aliasInFile, { sets: name, inFile });
    }
  }
  return known;
}

/**
 * Adds the other variables of every group that contains one of these names. A group must be set by a single
 * source.
 */
function addPartners(
  names: readonly string[],
  featureSettings: readonly SettingSources[] = [],
): readonly string[] {
  const groups = [...coreSettings, ...featureSettings]
    .filter(({ variablesBelongTogether }) => variablesBelongTogether)
    .map(({ variables = [] }) => variables.map(({ name }) => name));
  return [...names, ...groups.filter((group) => group.some((each) => names.includes(each))).flat()];
}

function describe(
  path: string,
  names: Readonly<Record<"used" | "untrusted" | "elsewhere", readonly string[]>>,
): string[] {
  const { used, untrusted, elsewhere } = names;
  return [
    ...(used.length > 0 ? [`${path} is read: ${used.join(", ")}`] : []),
    ...(untrusted.length > 0
      ? [`${path} is not read for ${untrusted.join(", ")} because you have not trusted it: merkle trust`]
      : []),
    ...(elsewhere.length > 0
      ? [
          `${path} is not read for ${elsewhere.join(", ")}: set it in the environment, which every command reads`,
        ]
      : []),
  ];
}

interface EnvFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  /** The file in the form used for trust decisions. Undefined if it sets only harmless variables. */
  readonly foreign: ForeignFile | undefined;
}

function findEnvFiles({ cwd, featureSettings }: Folder): EnvFile[] {
  const known = listFileVariables(featureSettings);
  const files: EnvFile[] = [];
  for (const fileName of fileNames) {
    const path = join(cwd, fileName);
    const text = readTextIfFile(path);
    if (text === undefined) continue;
    // Every value that is present is a string, although the type also allows undefined.
    const values = parseEnv(text) as Record<string, string>;
    const foreignValues = [...known].flatMap(([name, { inFile }]) => {
      const value = values[name];
      return typeof inFile === "string"
        ? []
        : [{ consequence: inFile, given: value ? locate(name, value, path) : undefined }];
    });
    files.push({ path, values, foreign: toForeign({ path, text }, foreignValues) });
  }
  return files;
}

function locate(name: string, value: string, path: string): LocatedValue {
  return { value, name: `${name} in ${path}`, folder: dirname(path) };
}

/**
 * Reads a regular file. Ignores a device, and a folder of the same name such as a Python virtual environment.
 */
function readTextIfFile(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readSettingsText(path) : undefined;
}
