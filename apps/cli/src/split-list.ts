/** What a repeatable flag names, where commas separate as repeating does; `\,` is a comma of a name's own. */
export function splitList(values: readonly string[]): string[] {
  return values
    .flatMap((value) => value.split(/(?<!\\),/))
    .map((each) => each.replaceAll("\\,", ",").trim())
    .filter((each) => each !== "");
}
