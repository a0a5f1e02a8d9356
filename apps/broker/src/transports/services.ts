import type {
  Admission as AdmissionTo,
  Authenticator as AuthenticatorOf,
} from "../identity/authenticator/authenticator.js";
import type { Meshes as MeshesOf } from "../identity/meshes/meshes.js";
import type { ProgressServices } from "../progress/services.js";
import type { StateServices } from "../state/services.js";
import type { SearchServices } from "../views/search/services.js";
import type { ViewServices } from "../views/services.js";

/** The services of all floors, as they are seen in one mesh: a call may be for any verb. */
export interface Services
  extends ViewServices,
    Pick<StateServices, "stateAnnouncer">,
    Pick<ProgressServices, "summariser">,
    Pick<SearchServices, "indexer"> {}

export type Admission = AdmissionTo<Services>;
export type Authenticator = AuthenticatorOf<Services>;
export type Meshes = MeshesOf<Services>;
