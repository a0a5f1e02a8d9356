/**
 * Rates how well a label matches the typed text, from 6 for equality to 0 for no match. In between, from best to worst: the
 * label's beginning, the beginnings of its words, parts of words, the additional words, and initials (`sas` for `Split the auth
 * service`).
 */
export function rankMatch(query: string, label: string, keywords: readonly string[] = []): number {
  const normalizedQuery = toPlain(query);
  const text = toPlain(label);
  if (normalizedQuery === "") return 0;
  if (text === normalizedQuery) return 6;
  if (text.startsWith(normalizedQuery)) return 5;
  const parts = normalizedQuery.split(" ");
  const labelWords = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (parts.every((part) => labelWords.some((word) => word.startsWith(part)))) return 4;
  if (parts.every((part) => text.includes(part))) return 3;
  const keywordText = toPlain(keywords.join(" "));
  if (parts.every((part) => text.includes(part) || keywordText.includes(part))) return 2;
  return isInOrder(normalizedQuery, labelWords.map(([first]) => first).join("")) ? 1 : 0;
}

/** Removes case and accents, so that `malaga` matches `Málaga`. */
function toPlain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}

/** True if there are at least two letters, and the text contains them in this order. */
function isInOrder(letters: string, text: string): boolean {
  let at = -1;
  return (
    letters.length > 1 &&
    [...letters].every((letter) => {
      at = text.indexOf(letter, at + 1);
      return at >= 0;
    })
  );
}
