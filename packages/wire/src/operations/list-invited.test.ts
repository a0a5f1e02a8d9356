import { expect, it } from "vitest";
import type { Member } from "./identity.js";
import { listInvited } from "./list-invited.js";

function member(name: string, inviter: string | null, more: Partial<Member> = {}): Member {
  const invited_by = inviter === null ? null : { member_id: inviter, name: inviter, revoked: false };
  return { member_id: name, name, invited_by, revoked: null, own: false, ...more } as Member;
}

it("[MEMBER-5] those whom a member invited are found through others, revoked ones too, but not by way of the caller", () => {
  const revoked = { by: "Ana", at: "2026-01-01T00:00:00.000Z" };
  const members = [
    member("Elm", "Yew"),
    member("Ana", null),
    member("Oak", "Ana"),
    member("Yew", "Oak", { revoked }),
    member("Fir", "Oak", { own: true }),
    member("Ash", "Fir"),
    member("Ivy", "Ana"),
  ];
  const namesFor = (member_id: string) => listInvited(members, { member_id }).map(({ name }) => name);
  expect(namesFor("Oak")).toEqual(["Elm"]);
  expect(namesFor("Ana")).toEqual(["Elm", "Oak", "Ivy"]);
  expect(namesFor("Ivy")).toEqual([]);
});
