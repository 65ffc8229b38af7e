// A button on each block of code that copies it. Of a console, it copies the commands, without `$` and output.
const toCode = (pre) => {
  const lines = pre.innerText.replace(/\n$/, "").split("\n");
  if (!pre.closest(".highlight-console")) return lines.join("\n");
  let isCommand = false;
  return lines
    .map((line) => {
      const prompt = line.match(/^(?:\$|>>>) /);
      const text = prompt ? line.slice(prompt[0].length) : isCommand ? line : null;
      isCommand = text !== null && text.endsWith("\\");
      return text;
    })
    .filter((line) => line !== null)
    .join("\n");
};

document.addEventListener("DOMContentLoaded", () => {
  for (const pre of document.querySelectorAll("article div.highlight pre")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(toCode(pre));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    pre.parentElement.append(button);
  }
});
