"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useSyncExternalStore } from "react";
import { ToggleGroup, ToggleGroupItem } from "@/components/ui/toggle-group";

const themes = [
  { name: "system", label: "Colours of the system", Icon: Monitor },
  { name: "light", label: "Light", Icon: Sun },
  { name: "dark", label: "Dark", Icon: Moon },
];

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme();
  // The choice is kept in this browser, so the page as exported cannot show it yet.
  const hydrated = useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
  return (
    <ToggleGroup
      type="single"
      aria-label="Colours"
      value={hydrated ? (theme ?? "") : ""}
      onValueChange={(chosen) => chosen !== "" && setTheme(chosen)}
    >
      {themes.map(({ name, label, Icon }) => (
        <ToggleGroupItem key={name} value={name} aria-label={label} title={label}>
          <Icon aria-hidden />
        </ToggleGroupItem>
      ))}
    </ToggleGroup>
  );
}
