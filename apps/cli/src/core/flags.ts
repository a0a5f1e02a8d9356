export interface Flag {
  /** The flag's declaration, such as `--port <number>` or `-q, --quiet`. */
  readonly flags: string;
  readonly summary: string;
  /** Hidden in help, because only Merkle passes the flag, to its child processes. */
  readonly hidden?: true;
  /** The flag can be repeated. All values are used. */
  readonly repeatable?: true;
}

/**
 * The flags of a call. A value is a string, a list of strings if the flag is repeatable, or true if the flag
 * takes no value.
 */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * Rejects flag names with dashes at compile time. `--dry-run` is stored as `dryRun`, so `dry-run` would never
 * be found.
 */
type FlagName<Name extends string> = Name extends `${string}-${string}` ? never : Name;

/** Returns the string given for a flag, or undefined if the flag was not given. */
export function findFlag<Name extends string>(flags: Flags, name: FlagName<Name>): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function isSet<Name extends string>(flags: Flags, name: FlagName<Name>): boolean {
  return flags[name] === true;
}

/** Returns the values of a repeatable flag, in the given order. */
export function listFlagValues<Name extends string>(flags: Flags, name: FlagName<Name>): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Splits the values of a repeatable flag at commas. `\,` stands for a comma inside a name. */
export function splitList(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(/(?<!\\),/))
    .map((each) => each.replaceAll("\\,", ",").trim())
    .filter((each) => each !== "");
}
