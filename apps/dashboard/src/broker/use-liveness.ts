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
    watch.update(broker.state);
    const cleanups = [
      broker.onState((state) => watch.update(state)),
      broker.onMessagesDelivered((messages) => watch.countDelivered(messages.length)),
      () => watch.stop(),
    ];
    return () => {
      for (const stop of cleanups) stop();
    };
  }, [broker]);
  return liveness;
}
