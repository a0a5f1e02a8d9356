/**
 * SHA-256 of the HTML page around a record, for each released version (EXPORT-9). `npm run release` adds a
 * line, and the release workflow fails if its build produced a different page. A file is also compared with
 * the current build's own page, which may have been built elsewhere.
 */
export const shippedPages: Readonly<Record<string, string>> = {
  // <version>: <SHA-256 of record.template>
};
