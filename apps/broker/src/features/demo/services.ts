import type { ViewServices } from "../../views/services.js";

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
