"use client";

import type { ReactNode } from "react";
import { SignInCover } from "@/views/sign-in/sign-in-cover";
import { OnlookerShell } from "./onlooker-shell";

/** The frame for people who are not members. A page that they may see gets a read-only frame. Otherwise it shows the sign-in. */
export function GuestShell({ children }: { readonly children?: ReactNode }) {
  return children === undefined ? <SignInCover /> : <OnlookerShell>{children}</OnlookerShell>;
}
