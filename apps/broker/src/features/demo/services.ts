import type { ViewServices } from "../../views/services.js";

/** The demo room. Its agents arrive once the room has a reader. */
export interface DemoRoom {
  readonly session_id: string;
  readonly session: string;
}

export interface DemoRooms {
  /** Opens a new room, or returns the current room. */
  open(): Promise<DemoRoom>;
}

export interface DemoServices extends ViewServices {
  readonly demoRooms: DemoRooms;
}
