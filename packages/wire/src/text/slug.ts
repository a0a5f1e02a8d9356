import { limits } from "../core/limits.js";
import { isUuid } from "../core/uuid.js";

/**
 * Makes a readable name from a title: ASCII letters and digits in lower case, joined by hyphens (SES-2). Empty when the
 * title has none that could be used.
 */
export function slugFrom(title: string): string {
  const slug = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, limits.slugCharsMax)
    .replace(/^-+|-+$/g, "");
  return isUuid(slug) ? "" : slug;
}
