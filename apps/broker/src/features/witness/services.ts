import type { SealServices } from "../seal/feature.js";
import type { MeshLog } from "./mesh-log.js";

/** The services that the mesh's log needs. */
export interface WitnessServices extends SealServices {
  readonly meshLog: MeshLog;
}
