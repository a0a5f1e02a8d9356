"use client";

import dynamic from "next/dynamic";

/** Loaded when somebody starts a session. */
export const NewSessionDialog = dynamic(
  () => import("./new-session-dialog").then(({ NewSessionDialog }) => NewSessionDialog),
  { ssr: false },
);
