import anyAscii from "any-ascii";
import { limits } from "../core/limits.js";
import { isUuid } from "../core/uuid.js";

/**
 * Makes a readable name from a title: ASCII letters and digits in lower case, joined by hyphens (SES-2). Letters of other
 * scripts are written in Latin ones. Empty when the title has none that could be used.
 */
export function slugFrom(title: string): string {
  const seen = title.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Each Han character is a syllable of its own; other scripts have words.
  const spaced = seen.replace(/\p{Script=Han}/gu, " $& ");
  const slug = anyAscii(spaced)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, limits.slugCharsMax)
    .replace(/-+$/, "");
  return isUuid(slug) ? "" : slug;
}
