/** True for pages for people who are not signed in. These pages have no shell and make no request that needs a member. */
export function isSignInPage(pathname: string): boolean {
  return pathname === "/join" || pathname === "/sign-in";
}

/** True for pages that show only data provided by the visitor, and none from the broker. */
export function isPublicPage(pathname: string): boolean {
  return pathname === "/verify";
}
