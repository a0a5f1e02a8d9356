/**
 * SHA-256 of the page around records in each released version (EXPORT-9). `npm run release` adds a line, and
 * the release workflow fails if its build produced a different page. The page of the current build is
 * compared too, even if it was built elsewhere.
 */
export const shippedPages: Readonly<Record<string, string>> = {
  // <version>: <SHA-256 of record.template>
};
