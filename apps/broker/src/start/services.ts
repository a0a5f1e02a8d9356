import type { Meshes as MeshesOf } from "../identity/meshes/meshes.js";
import type { ProgressServices } from "../progress/services.js";
import type { StateServices } from "../state/services.js";
import type { FileServices } from "../transports/http/files.js";
import type { Services as TransportServices } from "../transports/services.js";
import type { SearchServices } from "../views/search/services.js";
import type { DemoServices } from "../views/services.js";
import type { JobServices } from "../work/jobs/services.js";

/** The services of all floors, as they are seen in one mesh: a call may be for any verb. */
export interface Services
  extends TransportServices,
    Pick<JobServices, "records" | "archives" | "sources" | "anchorer" | "jobs">,
    Pick<FileServices, "recordPage">,
    Pick<DemoServices, "demoRooms">,
    Pick<StateServices, "stateAnnouncer">,
    Pick<ProgressServices, "summariser">,
    Pick<SearchServices, "indexer"> {}

export type Meshes = MeshesOf<Services>;
