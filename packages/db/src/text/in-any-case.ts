/**
 * A regular expression for a text, whatever its case: each letter is spelled out in both, since what a server knows of case
 * depends on its locale, and in the locale C ends with ASCII.
 */
export function inAnyCase(text: string): string {
  return [...text].map(toPattern).join("");
}

function toPattern(sign: string): string {
  if (/[^\p{L}\p{N}\s]/u.test(sign)) return /[!-~]/.test(sign) ? `\\${sign}` : sign;
  const cases = [...new Set([sign, sign.toLowerCase(), sign.toUpperCase()])].filter(
    (each) => [...each].length === 1,
  );
  return cases.length === 1 ? sign : `[${cases.join("")}]`;
}
