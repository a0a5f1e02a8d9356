/**
 * How well a label is meant by what was typed; 0 when it is not. Best is the label itself, then how it begins, then words of it
 * that begin so, then parts of words, then words beside the label, then the first letters of its words (`sas` for `Split the auth service`).
 */
export function rankOf(query: string, label: string, words: readonly string[] = []): number {
  const wanted = plain(query);
  const text = plain(label);
  if (wanted === "") return 0;
  if (text === wanted) return 6;
  if (text.startsWith(wanted)) return 5;
  const parts = wanted.split(" ");
  const begins = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (parts.every((part) => begins.some((word) => word.startsWith(part)))) return 4;
  if (parts.every((part) => text.includes(part))) return 3;
  const beside = plain(words.join(" "));
  if (parts.every((part) => text.includes(part) || beside.includes(part))) return 2;
  return isInOrder(wanted, begins.map(([first]) => first).join("")) ? 1 : 0;
}

/** Without case and accents: who types `malaga` means `Málaga`. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
}

/** Whether the text contains the letters in this order, for at least two letters. */
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
