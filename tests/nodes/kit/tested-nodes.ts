/** Returns the Vitest settings for runs with three nodes instead of one broker. `MERKLE_TEST_BUS` selects the bus. */
export const toNodesConfig = (bus: string | undefined) => ({
  provide: { bus: bus === "nats" ? ("nats" as const) : ("postgres" as const) },
});
