import { MerkleError } from "@merkle/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Addressable, resolveRecipients } from "./recipients.js";

const left = new Date(0);

/** Creates a peer from an id that contains its team and name: `Oak/atlas`, or `Oak` for the unnamed peer. */
function peer(id: string, more: Partial<Addressable> & { in?: readonly string[] } = {}): Addressable {
  const [team = "", name = null] = id.split("/");
  const { in: groups = [], ...facts } = more;
  return {
    peerId: id,
    teamId: team,
    team,
    teamLeftAt: null,
    kind: "agent",
    name,
    groups: groups.map((group) => ({ name: group, role: null })),
    sessionKey: null,
    lastPolledAt: null,
    leftAt: null,
    ...facts,
  };
}

const birchKey = `${"b".repeat(43)}=`;
const sharedKey = `${"/".repeat(43)}=`;

/**
 * Oak has two named peers. Birch and Ana each have one unnamed peer. Elm has a peer with the same name as the
 * team Cedar.
 */
const rows = [
  peer("Oak"),
  peer("Oak/atlas", { in: ["Backend"] }),
  peer("Oak/borg", { in: ["backend/db", "review"], sessionKey: sharedKey }),
  peer("Birch", { sessionKey: birchKey }),
  peer("Ana", { kind: "human", in: ["review"] }),
  peer("Elm"),
  peer("Elm/Cedar", { in: ["Frontend"], sessionKey: sharedKey }),
  peer("Cedar"),
  peer("Elm/gone", { leftAt: left, in: ["ops"] }),
  peer("Fir", { teamLeftAt: left }),
  peer("Fir/fay", { teamLeftAt: left }),
  peer("Yew", { lastPolledAt: left }),
  peer("Yew/yara"),
  peer("@backend/ghost", { in: ["haunted"] }),
  peer("*"),
];
const sender = "Oak/atlas";

function to(...entries: string[]) {
  return resolveRecipients(rows, entries, sender);
}

function refusalOf(...entries: string[]): MerkleError {
  try {
    to(...entries);
  } catch (error) {
    if (error instanceof MerkleError) return error;
  }
  throw new Error(`${entries.join(", ")} was resolved.`);
}

describe("whom a message is for", () => {
  it.each([
    ["*", ["*"], null],
    ["@all", ["*"], null],
    ["@ALL", ["*"], null],
    ["borg", ["Oak/borg"], ["Oak/borg"]],
    ["BORG", ["Oak/borg"], ["Oak/borg"]],
    ["oak/Borg", ["Oak/borg"], ["Oak/borg"]],
    ["birch", ["Birch"], ["Birch"]],
    ["Oak", ["Oak"], ["Oak/borg"]],
    ["yew", ["Yew"], ["Yew", "Yew/yara"]],
    ["elm", ["Elm"], ["Elm/Cedar"]],
    [birchKey, ["Birch"], ["Birch"]],
    ["@backend", ["@Backend"], ["Oak/borg"]],
    ["@backend/DB", ["@backend/db"], ["Oak/borg"]],
    ["@review", ["@review"], ["Oak/borg", "Ana"]],
    ["@frontend", ["@Frontend"], ["Elm/Cedar"]],
    ["@humans", ["@humans"], ["Ana"]],
    ["@haunted", ["@haunted"], ["@backend/ghost"]],
    ["ghost", ["ghost"], ["@backend/ghost"]],
  ])("[SEND-2] %s", (entry, recipients, reaches) => {
    expect(to(entry)).toEqual({ recipients, reaches });
  });

  it("[SEND-2] several are taken together, each once, and everyone among them means everyone", () => {
    expect(to("birch", "Oak/borg", "BIRCH", "@review", "atlas")).toEqual({
      recipients: ["Birch", "Oak/borg", "@review", "Oak/atlas"],
      reaches: ["Birch", "Oak/borg", "Ana"],
    });
    expect(to("birch", "*")).toEqual({ recipients: ["*"], reaches: null });
    expect(refusalOf("nobody", "*").code).toBe("not_found");
  });

  it.each([
    ["nobody", 'There is no "nobody"'],
    ["Oak/nobody", 'There is no "Oak/nobody"'],
    ["Birch/atlas", 'There is no "Birch/atlas"'],
    ["gone", "has left"],
    ["Elm/gone", "has left"],
    ["Fir", "has left"],
    ["fay", "has left"],
    ["@ops", "No one here is in the group"],
    ["@back", "No one here is in the group"],
    ["@backend/d", "No one here is in the group"],
    ["@", "No one here is in the group"],
  ])("[SEND-4] %s is not there, and the error says who is", (entry, why) => {
    const refusal = refusalOf("birch", entry);
    expect(refusal).toMatchObject({ code: "not_found", message: expect.stringContaining(why) });
    expect(refusal.details["there"]).toEqual([
      ...["Oak/borg", "Birch", "Ana", "Elm/Cedar", "Cedar", "Yew", "Yew/yara", "ghost"],
      ...["@backend/db", "@review", "@Frontend", "@haunted"],
    ]);
    expect(refusal.message).toContain("Oak/borg, Birch, Ana");
  });

  it("[SEND-4] a name of several is refused with what it can mean; with the team's name a peer's is plain", () => {
    for (const [entry, there] of [
      ["cedar", ["Elm/Cedar", "the team Cedar"]],
      [sharedKey, ["Oak/borg", "Elm/Cedar"]],
    ] as const) {
      expect(refusalOf(entry)).toMatchObject({ code: "bad_request", details: { there } });
    }
    expect(to("elm/cedar")).toEqual({ recipients: ["Elm/Cedar"], reaches: ["Elm/Cedar"] });
  });

  it.each(["atlas", "oak/ATLAS"])("[SEND-3] nobody writes to itself alone: %s", (entry) => {
    expect(refusalOf(entry)).toMatchObject({ code: "bad_request", details: { to: [entry] } });
  });

  it("[SEND-3] the sender is never reached, whatever it belongs to", () => {
    const alone = rows.filter(({ peerId }) => peerId !== "Oak/borg");
    expect(() => resolveRecipients(alone, ["@backend"], sender)).toThrow(MerkleError);
    expect(() => resolveRecipients(alone, ["Oak"], sender)).toThrow(/only recipient is yourself/);
  });

  it("[SEND-5] @a reaches the members of a and of every group below it, and nobody else", () => {
    const anyPart = fc.constantFrom("a", "A", "b", "ab", "é", "É");
    const anyGroup = fc.array(anyPart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const anyMembers = fc.array(fc.array(anyGroup, { maxLength: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(anyMembers, anyGroup, (members, group) => {
        const peers = members.map((groups, index) => peer(`Team/${index}`, { in: groups }));
        const folded = group.toLowerCase();
        const expected = peers.filter(({ groups }) =>
          groups.some(({ name }) => `${name.toLowerCase()}/`.startsWith(`${folded}/`)),
        );
        const resolve = () => resolveRecipients(peers, [`@${group}`], "somebody else");
        if (expected.length === 0) {
          expect(resolve).toThrow(MerkleError);
          return;
        }
        const { recipients, reaches } = resolve();
        expect(reaches).toEqual(expected.map(({ peerId }) => peerId));
        expect(recipients.map((name) => name.toLowerCase())).toEqual([`@${folded}`]);
      }),
      { numRuns: 300 },
    );
  });
});
