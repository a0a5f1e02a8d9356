/* Applies the theme that was chosen in the dashboard on the same origin. */
try {
  const { theme } = JSON.parse(localStorage.getItem("merkle.preferences")) ?? {};
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, the system's theme applies.
}
