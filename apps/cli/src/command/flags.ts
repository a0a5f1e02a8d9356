/** The flags of one call: text, a list of texts for one that may be repeated, or true for one that stands alone. */
export type Flags = Readonly<Record<string, unknown>>;

/** The text of a flag; undefined when it was not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function isSet(flags: Flags, name: string): boolean {
  return flags[name] === true;
}

/** What a repeatable flag was given, in order. */
export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
