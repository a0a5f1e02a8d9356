"use client";

import { lazy, Suspense } from "react";
import type { NewSessionDialogProps } from "./new-session-dialog";

const LoadedDialog = lazy(() =>
  import("./new-session-dialog").then(({ NewSessionDialog }) => ({ default: NewSessionDialog })),
);

/** Loaded when somebody starts a session. */
export function NewSessionDialog(props: NewSessionDialogProps) {
  return (
    <Suspense>
      <LoadedDialog {...props} />
    </Suspense>
  );
}
