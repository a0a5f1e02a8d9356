import { lazy } from "react";

/** Loaded when an older version is shown. */
export const RestoreVersion = lazy(async () => ({
  default: (await import("./restore-version")).RestoreVersion,
}));
