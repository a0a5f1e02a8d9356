import anyAscii from "any-ascii";
import { limits } from "../core/limits.js";
import { isUuid } from "../core/uuid.js";

/**
 * Creates a readable slug from a title: lower-case ASCII letters and digits, joined by hyphens (SES-2). Other
 * scripts are transliterated. The result is empty if the title has no usable characters.
 */
export function createSlug(title: string): string {
  const seen = title.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  // Separates Han characters, so that each becomes one syllable of the slug. Other scripts already separate
  // words.
  const spaced = seen.replace(/\p{Script=Han}/gu, " $& ");
  const slug = anyAscii(spaced)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, limits.slugCharsMax)
    .replace(/-+$/, "");
  return isUuid(slug) ? "" : slug;
}
