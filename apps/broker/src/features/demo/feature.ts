import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { createDemoRooms, openDemoRoom } from "./demo-rooms.js";
import { enterDemo } from "./enter-demo.js";
import type { DemoRooms, DemoServices } from "./services.js";

export type { DemoServices } from "./services.js";

export interface DemoOptions {
  /** Factor by which the demo room is slowed down. Default: 1. */
  readonly demoPace?: number | undefined;
}

/** The demo room: a session played by scripted agents. */
export const demoFeature = {
  name: "demo",
  needs: ["tasks"],
  handlers: {
    open_demo_room: openDemoRoom,
  },
  start: ({
    options,
    getMeshes: meshes,
    log,
    stopping,
  }: StartParts<DemoOptions>): { demoRooms: DemoRooms } => ({
    demoRooms: createDemoRooms({
      enter: () => enterDemo(meshes()),
      log,
      stopping,
      pace: options.demoPace ?? 1,
    }),
  }),
} satisfies Feature<DemoServices & Services, DemoOptions>;
