import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { Agent, request } from "node:http";
import { proveJoin, type SigningKey } from "@merkle/wire/keys";
import type { TestMember } from "../kit/members.js";

export interface RaceReport {
  readonly rounds: number;
  readonly callsPerRound: number;
  /** Rounds in which the number of admitted callers (`gotIn`) was not one. */
  readonly wrong: readonly { readonly round: number; readonly gotIn: number }[];
  /** Counts of all replies other than a membership or "used up". */
  readonly otherAnswers: Readonly<Record<string, number>>;
  readonly msPerRound: number;
}

/**
 * Makes many keys try to redeem a single-use invite at the same time, in several rounds over a few keep-alive
 * connections. In each round exactly one key must be admitted.
 */
export async function raceForInvites(
  { url, admin }: { readonly url: string; readonly admin: TestMember },
  { rounds, callsPerRound }: { readonly rounds: number; readonly callsPerRound: number },
): Promise<RaceReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const wrong: { round: number; gotIn: number }[] = [];
  const otherAnswers: Record<string, number> = {};
  let spentMs = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const { link } = await admin.call("create_invite", {});
      // The proofs are signed beforehand, so that all calls are queued before the first reply.
      const proofs = Array.from({ length: callsPerRound }, () =>
        proveJoin({ brokerId: admin.broker_id, invite: link, name: "Racer", memberKey: drawKey() }),
      );
      const began = performance.now();
      const answers = await Promise.all(proofs.map((proof) => redeem(agent, url, JSON.stringify(proof))));
      spentMs += performance.now() - began;
      const gotIn = answers.filter(({ status }) => status === 200).length;
      if (gotIn !== 1) wrong.push({ round, gotIn });
      for (const { status, text } of answers) {
        const isUsed = status === 403 && text.includes('"state":"used"');
        if (status !== 200 && !isUsed) otherAnswers[`${status}`] = (otherAnswers[`${status}`] ?? 0) + 1;
      }
    }
  } finally {
    agent.destroy();
  }
  return { rounds, callsPerRound, wrong, otherAnswers, msPerRound: Math.round(spentMs / rounds) };
}

/**
 * Creates a key with OpenSSL, whose signing is a hundred times as fast as the browser's implementation. The race needs
 * many keys.
 */
function drawKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: String(publicKey.export({ format: "jwk" }).x),
    sign: (bytes) => signWith(privateKey, bytes),
  };
}

function signWith(key: KeyObject, bytes: Uint8Array): string {
  return sign(null, bytes, key).toString("base64url");
}

function redeem(agent: Agent, url: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asking = request(`${url}/api/invites/redeem`, { agent, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
