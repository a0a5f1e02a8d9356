import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { openDemoRoom } from "./demo-rooms.js";
import type { DemoServices } from "./services.js";

export { createDemoRooms, type DemoRoomsOptions, demoMeshName } from "./demo-rooms.js";
export type { DemoServices } from "./services.js";

/** The demo room. */
export const demoFeature = {
  name: "demo",
  needs: [],
  handlers: {
    open_demo_room: openDemoRoom,
  },
} satisfies Feature<DemoServices & Services>;
