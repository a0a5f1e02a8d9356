/** What the tests use of the site's builder, which plain Node runs before anything is compiled. */
export function buildSite(place: { root: string; folder: string; base: string }): Promise<number>;
export function sitePages(
  root: string,
): readonly { readonly title: string; readonly pages: readonly string[] }[];
