import {
  BookMarked,
  FileText,
  ListChecks,
  ListTodo,
  type LucideIcon,
  ShieldCheck,
  ShieldQuestionMark,
} from "lucide-react";

export interface Place {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
}

/** The pages that the sidebar shows once the mesh has something for them; until then they are under More. */
export const laterPlaces: readonly Place[] = [
  { href: "/approvals", label: "Approvals", Icon: ShieldQuestionMark },
  { href: "/tasks", label: "Tasks", Icon: ListTodo },
  { href: "/memory", label: "Memory", Icon: BookMarked },
  { href: "/progress", label: "Progress", Icon: ListChecks },
  { href: "/sources", label: "Files", Icon: FileText },
  { href: "/verify", label: "Verify", Icon: ShieldCheck },
];
