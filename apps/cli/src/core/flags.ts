/** The flags of one call: text, a list of texts for one that may be repeated, or true for one that stands alone. */
export type Flags = Readonly<Record<string, unknown>>;

/** `--dry-run` is `dryRun` here: by the other name it would seem to be never given. */
type FlagName<Name extends string> = Name extends `${string}-${string}` ? never : Name;

/** The text of a flag; undefined when it was not given. */
export function textOf<Name extends string>(flags: Flags, name: FlagName<Name>): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function isSet<Name extends string>(flags: Flags, name: FlagName<Name>): boolean {
  return flags[name] === true;
}

/** The values of a repeatable flag, in order. */
export function listOf<Name extends string>(flags: Flags, name: FlagName<Name>): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The names that a repeatable flag was given, where commas separate as repeating does; `\,` is a comma of a name's own. */
export function splitList(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(/(?<!\\),/))
    .map((each) => each.replaceAll("\\,", ",").trim())
    .filter((each) => each !== "");
}
