/** Pages for people who are not let in yet: they stand alone, and ask nothing of the broker that takes a member. */
export function isDoorPage(pathname: string): boolean {
  return pathname === "/join" || pathname === "/sign-in";
}
