/** Types of the parts of the site builder that the tests use. The builder is plain JavaScript, because it runs before anything is compiled. */
export function buildSite(place: { root: string; folder: string; base: string }): Promise<number>;
export function listSitePages(
  root: string,
): readonly { readonly title: string; readonly pages: readonly string[] }[];
