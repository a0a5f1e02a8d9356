/** The text of every measured message: 300 bytes, similar to what agents write. */
export const messageText =
  "I moved the token check into the gateway and left the old one behind a flag, so both paths can be compared for a day. " +
  "The tests of the session store pass; the ones of the refresh flow need a fixture that Birch has on another branch. " +
  "Who reviews it? I start with the audit log now, see the notes.";

const line = "Decided: the session token moves into the gateway; see the notes of Birch on refresh flows.\n";

/** Functions that return a string of a given size. All but `lines` return strings that are expensive for some parser. */
export const costlyText = {
  lines: (bytes: number) => repeated(line, bytes),
  /** Each of these characters takes six bytes as JSON. */
  controls: (bytes: number) => repeated("\u0001", bytes),
  wide: (bytes: number) => "説".repeat(Math.floor(bytes / 3)),
  headings: (bytes: number) => repeated("# a\n", bytes),
  quotes: (bytes: number) => repeated("> ", bytes),
  backticks: (bytes: number) => repeated("`", bytes),
  oneLetter: (bytes: number) => repeated("a", bytes),
  /** Repeats a string that almost looks like a credential. */
  nearlyCredentials: (bytes: number) => repeated(".mk_0123abcd-0123-0123-0123-0123456789ab", bytes),
} as const;

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);
}
