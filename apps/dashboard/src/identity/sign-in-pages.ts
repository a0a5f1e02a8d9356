/** Pages for people who are not let in yet: they stand alone, and ask nothing of the broker that takes a member. */
export function isSignInPage(pathname: string): boolean {
  return pathname === "/join" || pathname === "/sign-in";
}

/** Whether a page shows nothing of the broker's: what it works with comes from whoever opened it. */
export function isForAnybody(pathname: string): boolean {
  return pathname === "/verify";
}
