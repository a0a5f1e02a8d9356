/** Pages for people who are not signed in. They have no shell, and make no request that needs a member. */
export function isSignInPage(pathname: string): boolean {
  return pathname === "/join" || pathname === "/sign-in";
}

/** Whether a page shows no data of the broker, but only what the visitor gives it. */
export function isForAnybody(pathname: string): boolean {
  return pathname === "/verify";
}
