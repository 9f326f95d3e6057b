// Free names that are offered in place of one that cannot be had.

const group = document.getElementById("ideas");
const list = document.getElementById("ideas-list");

/** Shows names, if there are any. `taken` is called with the one that is chosen. */
export function show(names, taken) {
  list.replaceChildren(...names.map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "secondary";
    button.textContent = name;
    button.addEventListener("click", () => taken(name));
    return button;
  }));
  group.hidden = names.length === 0;
}

/** Who has the focus in it gets another place for it before. */
export function hide() {
  group.hidden = true;
  list.replaceChildren();
}
