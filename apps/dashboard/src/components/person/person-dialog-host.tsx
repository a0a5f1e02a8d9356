"use client";

import dynamic from "next/dynamic";
import { useSyncExternalStore } from "react";
import { isNameAsked, onNameAsked } from "@/lib/person/require-person";

const PersonDialog = dynamic(() => import("./person-dialog").then(({ PersonDialog }) => PersonDialog), {
  ssr: false,
});

/** Asks for the person's name when something on the page needs it. */
export function PersonDialogHost() {
  const isAsked = useSyncExternalStore(onNameAsked, isNameAsked, () => false);
  return isAsked ? <PersonDialog /> : null;
}
