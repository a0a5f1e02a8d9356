import { createJoinedNamePattern } from "./joiners.js";

/**
 * People use names to decide which teams, peers and members to trust. A name must therefore not look like
 * another name or like a term that Merkle itself uses (NAME-1 to NAME-4).
 */

/**
 * Returns the form in which names are stored and compared. NFKC unifies spellings that look the same, and
 * runs of spaces become a single space.
 */
export function normaliseName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{Zs}+/gu, " ")
    .trim();
}

/**
 * Explains why a name is deceptive, in words that can follow "must not". Returns null if the name is not
 * deceptive.
 */
export function describeDeception(name: string): string | null {
  const seen = withoutJoined(name);
  const hidden =
    // U+2800 is the blank Braille pattern.
    /[\u2800\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Cc}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.exec(
      seen,
    )?.[0];
  if (hidden !== undefined) return `contain the invisible or unassigned character ${formatCodePoint(hidden)}`;
  if (/\p{M}{4}/u.test(seen)) return "stack more than three marks on a letter";
  if (/\(\s*(?:human|guest)\s*\)/iu.test(name))
    return `contain "(human)" or "(guest)", which Merkle uses to mark people`;
  for (const word of seen.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const mixed = findMixedScripts(word);
    if (mixed.length > 1) {
      return `mix ${mixed.join(" and ")} letters in one word (${JSON.stringify(word)}), which look alike`;
    }
  }
  return null;
}

/**
 * Removes joiners between letters, so that the letters form one word. Replaces joined emoji with a space, so
 * that emoji separate words.
 */
function withoutJoined(name: string): string {
  if (!/[\u200c\u200d]/.test(name)) return name;
  return name.replace(createJoinedNamePattern(), (part) => (part.length === 1 ? "" : " "));
}

/**
 * Explains why a newly chosen name is deceptive, in words that can follow "must not". Returns null if the
 * name is not deceptive. Names that were accepted under earlier rules remain valid, so only new names are
 * checked.
 */
export function describeNewNameDeception(name: string): string | null {
  return describeDeception(name) ?? describeImpersonation(name);
}

function describeImpersonation(name: string): string | null {
  if (/^[@*]/.test(name)) return `begin with "@" or "*", which stand for groups and everyone`;
  if (/[✓✔✅☑🗸🗹]/u.test(name)) return "contain a check mark, which looks like Merkle's for verified people";
  if (/[\p{Ps}\p{Pi}<]\s*(?:human|guest|verified)\s*[\p{Pe}\p{Pf}>]/iu.test(name))
    return `contain "human", "guest" or "verified" in brackets, which Merkle uses to mark people`;
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return reserved.has(letters)
    ? `be ${JSON.stringify(name)}, which names others than one team or person`
    : null;
}

/**
 * Names that a model or person would attribute to something other than a peer. Compared without spaces and
 * punctuation.
 */
const reserved: ReadonlySet<string> = new Set([
  ...["system", "user", "assistant", "human", "humans", "guest", "guests"],
  ...["merkle", "claudecode", "all", "everyone", "everybody"],
]);

/** Scripts that are used together in one word. */
const combinedScripts: readonly (readonly [string, RegExp])[] = [
  ["Japanese", /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u],
  ["Korean", /^[\p{Script=Han}\p{Script=Hangul}]$/u],
  ["Chinese", /^[\p{Script=Han}\p{Script=Bopomofo}]$/u],
];

const otherScripts = [
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
];

let scriptSets: readonly (readonly [string, RegExp])[] | undefined;

/**
 * Returns the sets of scripts that one word may contain, each with a pattern for its letters. Creates the patterns
 * on demand, because that takes longer than any other part of loading this module.
 */
function getScriptSets(): readonly (readonly [string, RegExp])[] {
  scriptSets ??= [
    ...combinedScripts,
    ...otherScripts.map(
      (script) => [script.replace("_", " "), new RegExp(`^\\p{Script=${script}}$`, "u")] as const,
    ),
  ];
  return scriptSets;
}

const anyScript = /^[\p{Script=Common}\p{Script=Inherited}]$/u;

/**
 * Returns the sets of scripts found in a word. Returns an empty list if a single set contains all letters of
 * the word.
 */
function findMixedScripts(word: string): string[] {
  const letters = [...word].filter((letter) => !anyScript.test(letter));
  const sets = getScriptSets();
  if (sets.some(([, form]) => letters.every((letter) => form.test(letter)))) return [];
  const found = new Set(letters.map((letter) => sets.find(([, form]) => form.test(letter))?.[0] ?? "other"));
  return found.size === 1 ? [] : [...found];
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
