/** The flags of one call: text, or true for one that stands alone. */
export type Flags = Readonly<Record<string, unknown>>;

/** The text of a flag; undefined when it was not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function isSet(flags: Flags, name: string): boolean {
  return flags[name] === true;
}
