import { announceSignIn } from "@/lib/broker/sign-in-channel";
import { forgetPerson } from "@/lib/person/person";
import { askDoor } from "./ask-door";
import { forgetMember } from "./member-key";
import { forgetPageToken } from "./page-token";

/**
 * Ends what this browser is signed in by, and loads the page anew, so that nothing of what was shown is left. The person's
 * key goes too: a member who signs in again is given another for the same person.
 */
export async function signOut({ withKey }: { readonly withKey: boolean }): Promise<void> {
  await askDoor("POST", "/api/sign-out");
  await forgetPageToken();
  forgetPerson();
  if (withKey) forgetMember();
  announceSignIn();
  location.assign("/");
}
