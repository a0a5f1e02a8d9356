import anyAscii from "any-ascii";
import { limits } from "../core/limits.js";
import { isUuid } from "../core/uuid.js";

/**
 * Creates a readable name from a title: lower-case ASCII letters and digits, joined by hyphens (SES-2).
 * Letters of other scripts are transliterated. Empty if the title has no usable characters.
 */
export function slugFrom(title: string): string {
  const seen = title.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Each Han character becomes a separate syllable. Other scripts have words.
  const spaced = seen.replace(/\p{Script=Han}/gu, " $& ");
  const slug = anyAscii(spaced)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, limits.slugCharsMax)
    .replace(/-+$/, "");
  return isUuid(slug) ? "" : slug;
}
