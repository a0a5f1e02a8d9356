"use client";

import { FileText } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { NavLink } from "./nav-link";

/** The way to the files, where this broker has any. */
export function FilesLink() {
  const { data } = useRead("list_sources", { names_only: true });
  if (data === undefined || data.roots.length === 0) return null;
  return <NavLink href="/sources" label="Files" Icon={FileText} />;
}
