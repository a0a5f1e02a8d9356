import { joinedPartsOfName } from "./joiners.js";

/**
 * Names stand for teams, peers, persons and members wherever somebody decides whom to believe, so one must not look like
 * another, nor like a word of ours (NAME-1 to NAME-4).
 */

/** A name as it is compared and kept: NFKC makes one of spellings that look the same, and blanks are single. */
export function normaliseName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Zs}+/gu, " ")
    .trim();
}

/** Why a name deceives, in words that follow "must not"; null for one that does not. */
export function deceptionIn(name: string): string | null {
  const seen = withoutJoined(name);
  const hidden =
    // U+2800 is the blank of Braille.
    /[\u2800\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.exec(
      seen,
    )?.[0];
  if (hidden !== undefined) return `contain the invisible or unassigned character ${codePointOf(hidden)}`;
  if (/\p{M}{4}/u.test(seen)) return "stack more than three marks on a letter";
  if (/\(\s*(?:human|guest)\s*\)/iu.test(name))
    return `contain "(human)" or "(guest)", which Merkle uses to mark people`;
  for (const word of seen.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const mixed = scriptsOf(word);
    if (mixed.length > 1) {
      return `mix ${mixed.join(" and ")} letters in one word (${JSON.stringify(word)}), which look alike`;
    }
  }
  return null;
}

/** Words on both sides of a joiner are one word; a joined emoji separates words. */
function withoutJoined(name: string): string {
  if (!/[\u200c\u200d]/.test(name)) return name;
  return name.replace(joinedPartsOfName(), (part) => (part.length === 1 ? "" : " "));
}

/**
 * Why a name that somebody takes now deceives, in words that follow "must not"; null for one that does not. Names that were
 * taken under earlier rules stay in use, so whoever has one is not asked.
 */
export function deceptionInNew(name: string): string | null {
  return deceptionIn(name) ?? poseIn(name);
}

function poseIn(name: string): string | null {
  if (/^[@*]/.test(name)) return `begin with "@" or "*", which stand for groups and everyone`;
  if (/[✓✔✅☑🗸🗹]/u.test(name)) return "contain a check mark, which looks like Merkle's for verified people";
  if (/[\p{Ps}\p{Pi}<]\s*(?:human|guest|verified)\s*[\p{Pe}\p{Pf}>]/iu.test(name))
    return `contain "human", "guest" or "verified" in brackets, which Merkle uses to mark people`;
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return reserved.has(letters)
    ? `be ${JSON.stringify(name)}, which names others than one team or person`
    : null;
}

/** Sources of text that a model or a person takes for something other than a peer, without blanks. */
const reserved: ReadonlySet<string> = new Set([
  ...["system", "user", "assistant", "human", "humans", "guest", "guests"],
  ...["merkle", "claudecode", "all", "everyone", "everybody"],
]);

/** Scripts that are written together in one word; the rest of the world's are told apart by themselves. */
const scripts: readonly (readonly [string, RegExp])[] = [
  ["Japanese", /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u],
  ["Korean", /^[\p{Script=Han}\p{Script=Hangul}]$/u],
  ["Chinese", /^[\p{Script=Han}\p{Script=Bopomofo}]$/u],
  ...[
    "Latin",
    "Cyrillic",
    "Greek",
    "Armenian",
    "Hebrew",
    "Arabic",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Gujarati",
    "Gurmukhi",
    "Sinhala",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Georgian",
    "Ethiopic",
    "Cherokee",
    "Tibetan",
    "Mongolian",
    "Canadian_Aboriginal",
    "Coptic",
    "Lisu",
  ].map((script) => [script.replace("_", " "), new RegExp(`^\\p{Script=${script}}$`, "u")] as const),
];

const ofAnyScript = /^[\p{Script=Common}\p{Script=Inherited}]$/u;

/** The scripts of a word: one where a single one has all its letters, else the first of each letter. */
function scriptsOf(word: string): string[] {
  const letters = [...word].filter((letter) => !ofAnyScript.test(letter));
  if (scripts.some(([, form]) => letters.every((letter) => form.test(letter)))) return [];
  const found = new Set(
    letters.map((letter) => scripts.find(([, form]) => form.test(letter))?.[0] ?? "other"),
  );
  return found.size === 1 ? [] : [...found];
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
