import { describe, expect, it } from "vitest";
import {
  cosignLine,
  noteCrypto,
  noteSigners,
  signLine,
  witnessVectors,
} from "../../../../tests/kit/witness-vectors.js";
import { ShapeError } from "../core/shape.js";
import { parseCheckpoint } from "./checkpoint.js";
import { formatVerifierKey, noteKeyTypes } from "./signed-note.js";
import {
  checkCosigned,
  cosignatureAheadMax,
  countLiesWithstood,
  formatPolicy,
  parsePolicy,
} from "./witness-policy.js";

const { sha256 } = noteCrypto;
const { log, ada, ben } = noteSigners;
const text = witnessVectors.checkpoint_5_text;
const cosignedAt = 1_795_960_980;
const lines = witnessVectors.policy.trim().split("\n");
const [logLine = "", adaLine = "", benLine = "", groupLine = "", quorumLine = ""] = lines;
const policy = parsePolicy(witnessVectors.policy, sha256);

interface CheckOptions {
  readonly of?: string;
  readonly now?: number;
  readonly earlier?: ReadonlyMap<string, number>;
}

/** Checks a note against a policy (default: that of the vectors), a minute after it was cosigned. */
function check(note: string, { of, now = cosignedAt + 60, ...earlier }: CheckOptions = {}) {
  const chosen = of === undefined ? policy : parsePolicy(of, sha256);
  return checkCosigned(parseCheckpoint(note, sha256), chosen, { ...noteCrypto, now, ...earlier });
}

const signed = `${text}\n${signLine(log, text)}`;
const adaAt = (at: number) => cosignLine(ada, text, at);

describe("policies", () => {
  it("[WITNESS-4] list the log, the witnesses, groups of them and the quorum", () => {
    expect(policy).toEqual({
      logs: [log.key],
      witnesses: new Map([
        ["ada", ada.key],
        ["ben", ben.key],
      ]),
      groups: new Map([["members", { least: 2, members: ["ada", "ben"] }]]),
      quorum: "members",
    });
    const commented = lines.map((line) => `# a comment\n\n \t${line.replace(" ", "\t ")} \n`).join("");
    expect(parsePolicy(commented, sha256)).toEqual(policy);
  });

  it("[WITNESS-4] can require any or all members of a group, and groups of groups", async () => {
    const of = [
      logLine,
      adaLine,
      benLine,
      "group anyone any ada",
      "group both all anyone ben",
      "quorum both",
    ].join("\n");
    expect(await check(witnessVectors.checkpoint_5_cosigned, { of })).toMatchObject({ isEnough: true });
    expect(await check(signed + adaAt(cosignedAt), { of })).toMatchObject({ isEnough: false });
  });

  it.each([
    ["no log", [adaLine, "quorum ada"]],
    ["no quorum", [logLine, adaLine]],
    ["two quorums", [...lines, quorumLine]],
    ["a key that counts twice", [logLine, adaLine, adaLine.replace("ada", "eve"), "quorum ada"]],
    [
      "a key that counts twice under two key names",
      [
        logLine,
        adaLine,
        `witness eve ${formatVerifierKey({ ...ada.key, name: "witness.example/eve" }, sha256)}`,
        "quorum ada",
      ],
    ],
    [
      "the log as a witness",
      [
        logLine,
        `witness log ${formatVerifierKey({ ...log.key, type: noteKeyTypes.witness }, sha256)}`,
        "quorum log",
      ],
    ],
    ["a log's key as a witness", [logLine, `witness log ${log.vkey}`, "quorum log"]],
    ["a name that is given twice", [logLine, adaLine, benLine.replace("ben", "ada"), "quorum ada"]],
    ["a witness called none", [logLine, adaLine.replace("ada", "none"), "quorum none"]],
    ["a group of more than its members", [...lines.slice(0, 3), groupLine.replace("2", "3"), quorumLine]],
    ["a group of none", [...lines.slice(0, 3), groupLine.replace("2", "0"), quorumLine]],
    ["a group without members", [...lines.slice(0, 3), "group members any", quorumLine]],
    ["an unknown member", [logLine, adaLine, groupLine, quorumLine]],
    ["a member twice", [...lines.slice(0, 3), "group members 2 ada ada", quorumLine]],
    ["a member of two groups", [...lines.slice(0, 4), "group others any ada", quorumLine]],
    ["a group that is defined later", [...lines.slice(0, 3), "group all 1 members", groupLine, "quorum all"]],
    ["an unknown quorum", [...lines.slice(0, 4), "quorum others"]],
    ["a word that is unknown", [...lines, "mirror ada"]],
    ["carriage returns", lines.map((line) => `${line}\r`)],
  ])("[WITNESS-4] are refused with %s", (_, changed) => {
    expect(() => parsePolicy(changed.join("\n"), sha256)).toThrow(ShapeError);
  });

  it("[WITNESS-4] of a mesh are formatted so that they can be parsed, or are refused", () => {
    const witnesses = [ada.key, ben.key];
    const format = (least: number, keys = witnesses) =>
      parsePolicy(formatPolicy({ log: log.key, witnesses: keys, least }, sha256), sha256);
    expect(format(2)).toMatchObject({ quorum: "witnesses" });
    expect(format(1, []).quorum).toBeNull();
    for (const refused of [
      () => format(3),
      () => format(0),
      () => format(1, [ada.key, { ...ada.key, name: "eve" }]),
      () => format(1, [{ ...log.key, name: "eve", type: noteKeyTypes.witness }]),
    ]) {
      expect(refused).toThrow(ShapeError);
    }
  });

  it("[WITNESS-4] withstand a number of lying witnesses; one of two protects nobody", () => {
    const lies = (least: number, total: number) => countLiesWithstood({ least, total });
    expect([lies(1, 1), lies(1, 2), lies(2, 2), lies(2, 3), lies(3, 4)]).toEqual([0, -1, 1, 0, 1]);
  });
});

describe("witnessed checkpoints", () => {
  it("[WITNESS-3] have the cosignatures that the policy requires", async () => {
    const both = await check(witnessVectors.checkpoint_5_cosigned);
    expect(both).toEqual({
      cosigned: new Map([
        ["ada", cosignedAt],
        ["ben", cosignedAt + 2],
      ]),
      ahead: [],
      behind: [],
      isEnough: true,
    });
    expect(await check(signed + adaAt(cosignedAt))).toMatchObject({ isEnough: false });
    expect(await check(signed)).toMatchObject({ cosigned: new Map(), isEnough: false });
    expect(await check(signed, { of: `${logLine}\nquorum none\n` })).toMatchObject({ isEnough: true });
  });

  it("[WITNESS-3] count a witness once, however often it cosigned", async () => {
    const often = signed + adaAt(cosignedAt) + adaAt(cosignedAt + 1) + adaAt(cosignedAt);
    expect(await check(often)).toMatchObject({
      cosigned: new Map([["ada", cosignedAt + 1]]),
      isEnough: false,
    });
  });

  it("[WITNESS-3] are signed by the policy's log, even if witnesses cosigned", async () => {
    const cosignedOnly = `${text}\n${adaAt(cosignedAt)}${cosignLine(ben, text, cosignedAt)}`;
    await expect(check(cosignedOnly)).rejects.toThrow(ShapeError);
    const ofOther = text.replace("merkle/", "merkle/other-");
    await expect(check(`${ofOther}\n${signLine(log, ofOther)}`)).rejects.toThrow(ShapeError);
  });

  it("[WITNESS-3] are refused with an invalid cosignature of a listed witness", async () => {
    const replayed = witnessVectors.checkpoint_3 + adaAt(cosignedAt);
    await expect(check(replayed)).rejects.toThrow('"witness.example/ada"');
  });

  it("[WITNESS-5] do not count a time over five minutes in the future, and name the witness", async () => {
    const note = witnessVectors.checkpoint_5_cosigned;
    expect(await check(note, { now: cosignedAt + 2 - cosignatureAheadMax })).toMatchObject({
      ahead: [],
      isEnough: true,
    });
    expect(await check(note, { now: cosignedAt + 1 - cosignatureAheadMax })).toMatchObject({
      cosigned: new Map([["ada", cosignedAt]]),
      ahead: ["ben"],
      isEnough: false,
    });
  });

  it("[WITNESS-5] do not count a time earlier than at a smaller size, and name the witness", async () => {
    const note = witnessVectors.checkpoint_5_cosigned;
    const earlier = new Map([
      ["ada", cosignedAt],
      ["ben", cosignedAt + 3],
    ]);
    expect(await check(note, { earlier })).toMatchObject({
      cosigned: new Map([["ada", cosignedAt]]),
      behind: ["ben"],
      isEnough: false,
    });
  });
});
