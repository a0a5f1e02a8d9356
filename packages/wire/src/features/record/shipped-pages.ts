/**
 * SHA-256 of the page that each released version put records into (EXPORT-9), by version. `npm run release` adds a line, and the
 * release workflow fails if its build made another page. The page of this version is compared as well, wherever it was built.
 */
export const shippedPages: Readonly<Record<string, string>> = {
  // <version>: <SHA-256 of record.template>
};
