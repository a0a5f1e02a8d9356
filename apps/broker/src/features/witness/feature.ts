import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { addCosignature } from "./add-cosignature.js";
import { createMeshLog, type MeshLog } from "./mesh-log.js";
import { mountCheckpoint } from "./mount-checkpoint.js";
import { getCheckpoint, getHeadProof, getLogEntries, getLogProof } from "./read-log.js";
import type { WitnessServices } from "./services.js";
import { setWitnessPolicy } from "./set-witness-policy.js";
import { createOpenSessionSigner } from "./sign-open-sessions.js";

const everyMs = 60_000;

export interface StartedWitness {
  openMeshLog(meshId: string): MeshLog;
}

/** One log of all signed heads of a mesh, which witnesses outside of the broker cosign. */
export const witnessFeature = {
  name: "witness",
  needs: ["seal"],
  handlers: {
    get_checkpoint: getCheckpoint,
    get_log_entries: getLogEntries,
    get_log_proof: getLogProof,
    get_head_proof: getHeadProof,
    add_cosignature: addCosignature,
    set_witness_policy: setWitnessPolicy,
  },
  mount: mountCheckpoint,
  start: ({ database, signer }: StartParts): StartedWitness => ({
    openMeshLog: (meshId) => createMeshLog({ database, signer, meshId }),
  }),
  inMesh: ({ openMeshLog }, meshId): { meshLog: MeshLog } => ({ meshLog: openMeshLog(meshId) }),
  repeat: { name: "heads of open sessions", everyMs, begin: createOpenSessionSigner },
} satisfies Feature<WitnessServices & StartedWitness & Services>;
