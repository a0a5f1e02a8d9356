import type { ReactNode } from "react";
import { SessionView } from "@/views/session/session-view";

export default function SessionLayout({ children }: { children: ReactNode }) {
  return <SessionView>{children}</SessionView>;
}
