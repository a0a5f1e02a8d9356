import { hostname, userInfo } from "node:os";
import { limits } from "@merkle/wire/limits";
import { describeNewNameDeception, normaliseName } from "@merkle/wire/text";

/** Returns the name of the system's user, or the machine's name if the user has none. */
export function getSystemUserName(): string {
  let name = "";
  try {
    name = userInfo().username;
  } catch {
    // In a container, the process may run under a user id without a name.
  }
  const names = [name, hostname()].map((each) => normaliseName(each).slice(0, limits.nameCharsMax));
  return names.find((each) => each !== "" && describeNewNameDeception(each) === null) ?? "Somebody";
}
