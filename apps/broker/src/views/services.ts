import type { DocumentServices } from "../document/services.js";
import type { PersonDataHook } from "./person-data.js";

/** The room in which the agents are, or will be as soon as somebody looks. */
export interface DemoRoom {
  readonly session_id: string;
  readonly session: string;
}

export interface DemoRooms {
  /** Opens a room, or leads into the one that still lives. */
  open(): Promise<DemoRoom>;
}

export interface DemoServices extends ViewServices {
  readonly demoRooms: DemoRooms;
}

/** The services of what is read over all the others. */
export interface ViewServices extends DocumentServices {
  readonly personData: readonly PersonDataHook<ViewServices>[];
  /** The certificate, in PEM, that the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => { readonly cert: string; readonly keyPin: string | null } | null;
}
