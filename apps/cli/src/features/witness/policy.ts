import type { OutputOf } from "@merkle/wire";
import { formatPolicy, noteKeyTypes, parseCheckpoint, parseVerifierKey, toLogKey } from "@merkle/wire/record";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { getPersonActor, getReadingActor } from "../../identity/actors.js";
import { explainShapeErrors } from "./check-log.js";

export const witnessPolicy: Command = {
  name: "witness policy",
  summary: "show the mesh's witnesses as a policy file for merkle verify, or set them as an admin",
  arguments: [{ name: "[keys...]", summary: "verifier keys of the witnesses, from merkle witness key" }],
  flags: [
    { flags: "--least <number>", summary: "how many of the witnesses must cosign (default: all)" },
    { flags: "--none", summary: "require no witness" },
  ],
  examples: [
    "merkle witness policy > policy.txt",
    "merkle witness policy ada.example+3f1c09d2+BA… ben.example+77aa0c41+BB… --least 2",
    "merkle witness policy --none",
  ],
  async run({ args: keys, flags, config, output, signal }) {
    const isNone = isSet(flags, "none");
    const max = Math.max(keys.length, 1);
    const least = readWholeNumber(findFlag(flags, "least"), "--least", { min: 1, max }) ?? keys.length;
    if (isNone && keys.length > 0) throw usageError("Name the keys of the witnesses, or use --none.");
    const broker = await findBroker(config, signal);
    if (isNone || keys.length > 0) {
      const policy = isNone ? null : { least, witnesses: [...keys] };
      const result = await getPersonActor({ broker, config }).call("set_witness_policy", { policy });
      const { lies_withstood } = result;
      if (lies_withstood !== null && lies_withstood < 1) {
        output.note(`${output.mark.warn} ${describeWeakPolicy(lies_withstood)}`);
      }
    }
    const actor = await getReadingActor({ broker, config });
    const checkpoint = await actor.call("get_checkpoint", {});
    const text = await explainShapeErrors(async () => formatMeshPolicy(checkpoint));
    output.print({ policy: checkpoint.policy, text }, text);
    return exitCodes.done;
  },
};

function describeWeakPolicy(withstood: number): string {
  return withstood < 0
    ? "Two histories can both be cosigned, even if no witness lies. Choose k of n so that 2k > n + 1."
    : "One lying witness is enough for two cosigned histories. Choose k of n so that 2k > n + 1.";
}

/** Formats the mesh's policy as a file that any verifier reads (C2SP tlog-policy). */
function formatMeshPolicy({ note, keys, policy }: OutputOf<"get_checkpoint">): string {
  const { origin } = parseCheckpoint(note, nodeCrypto.sha256);
  const newest = keys.at(-1);
  const log = newest && toLogKey(newest, origin);
  if (!log) throw new TypeError("The broker named no valid key.");
  const { least, witnesses } = policy ?? { least: 0, witnesses: [] };
  const parsed = witnesses.map((key) => parseVerifierKey(key, noteKeyTypes.witness, nodeCrypto.sha256));
  return formatPolicy({ log, witnesses: parsed, least }, nodeCrypto.sha256);
}
