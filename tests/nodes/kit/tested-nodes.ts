/** What a run is told that has three nodes behind nginx in the place of a broker: their bus, which `MERKLE_TEST_BUS` names. */
export const nodesOf = (bus: string | undefined) => ({
  provide: { bus: bus === "nats" ? ("nats" as const) : ("postgres" as const) },
});
