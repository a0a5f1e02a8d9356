/* Shows the pages as the dashboard beside them is shown, where one was chosen there. */
try {
  const { theme } = JSON.parse(localStorage.getItem("merkle.preferences")) ?? {};
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Where nothing is kept the system's choice holds.
}
