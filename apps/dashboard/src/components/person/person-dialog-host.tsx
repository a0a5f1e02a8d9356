"use client";

import { lazy, Suspense, useSyncExternalStore } from "react";
import { isNameAsked, onNameAsked } from "@/lib/person/require-person";

const PersonDialog = lazy(() =>
  import("./person-dialog").then(({ PersonDialog }) => ({ default: PersonDialog })),
);

/** Asks for the person's name when something on the page needs it. */
export function PersonDialogHost() {
  const isAsked = useSyncExternalStore(onNameAsked, isNameAsked, () => false);
  if (!isAsked) return null;
  return (
    <Suspense>
      <PersonDialog />
    </Suspense>
  );
}
