/* Searches pages and headings in an index that loads when the field is first focused. Queries never leave the browser. */
(() => {
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const base = document.currentScript.dataset.base;
  const shownMax = 12;
  let reading;
  let entries;
  let selected = -1;

  /* Loads the index once, and again after a failure. */
  function read() {
    reading ??= fetch(`${base}search.json`)
      .then((response) => response.json())
      .catch(() => {
        reading = undefined;
      });
    return reading;
  }

  async function search() {
    entries ??= await read();
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!entries) {
      found.replaceChildren(saying("The index could not be read. Are you online?"));
      return show(words.length > 0);
    }
    const hits = words.length === 0 ? [] : rank(words);
    selected = hits.length > 0 ? 0 : -1;
    found.replaceChildren(...hits.slice(0, shownMax).map((entry) => toItem(entry, words)));
    if (words.length > 0 && hits.length === 0) found.append(saying("Nothing found"));
    show(words.length > 0);
    mark();
  }

  /* Ranks the entries that contain every word. Words at the beginning of a word in the title or heading have the highest weight. */
  function rank(words) {
    return entries
      .map((entry) => {
        const head = `${entry.page} ${entry.heading}`.toLowerCase();
        const text = entry.text.toLowerCase();
        const weights = words.map((word) => {
          if (` ${head}`.includes(` ${word}`)) return 8;
          if (head.includes(word)) return 4;
          if (` ${text}`.includes(` ${word}`)) return 2;
          return text.includes(word) ? 1 : 0;
        });
        return { entry, weight: weights.includes(0) ? 0 : weights.reduce((sum, each) => sum + each, 0) };
      })
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight)
      .map(({ entry }) => entry);
  }

  function toItem({ page, heading, url, text }, [word]) {
    const item = document.createElement("li");
    item.role = "option";
    const link = document.createElement("a");
    link.href = url;
    link.tabIndex = -1;
    const title = document.createElement("strong");
    title.textContent = heading && heading !== page ? `${page} › ${heading}` : page;
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
    const about = document.createElement("span");
    // Starts with the next whole word.
    about.textContent = at > 0 ? `…${text.slice(at, at + 120).replace(/^\S* /, "")}` : text.slice(0, 120);
    link.append(title, about);
    item.append(link);
    return item;
  }

  function saying(text) {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }

  function show(isShown) {
    found.hidden = !isShown;
    input.ariaExpanded = String(isShown);
  }

  function mark() {
    [...found.children].forEach((item, index) => {
      item.id = `found-${index}`;
      item.ariaSelected = String(index === selected);
    });
    if (selected < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `found-${selected}`);
  }

  function move(by) {
    const count = found.querySelectorAll("a").length;
    if (count === 0) return;
    selected = (selected + by + count) % count;
    mark();
    found.children[selected].scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("focus", read);
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") found.children[selected]?.querySelector("a")?.click();
    else if (event.key === "Escape") show(false);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === input) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("search")) show(false);
  });
  // On a phone the navigation is initially collapsed.
  if (matchMedia("(max-width: 860px)").matches) document.querySelector("nav details").open = false;
})();
