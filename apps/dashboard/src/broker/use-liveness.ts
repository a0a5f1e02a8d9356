"use client";

import { useEffect, useState } from "react";
import { type Liveness, LivenessWatch } from "./liveness";
import { useBroker } from "./use-broker";

const connecting: Liveness = { is: "connecting" };

/** Returns the state of the connection, including a change that happened a moment ago. */
export function useLiveness(): Liveness {
  const broker = useBroker();
  const [liveness, setLiveness] = useState(connecting);
  useEffect(() => {
    const watch = new LivenessWatch(() => setLiveness(watch.current));
    watch.state(broker.state);
    const stops = [
      broker.onState((state) => watch.state(state)),
      broker.onMessagesBrought((messages) => watch.brought(messages.length)),
      () => watch.stop(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [broker]);
  return liveness;
}
