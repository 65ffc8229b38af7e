"use strict";
// The page of `web2text serve` without a server: a worker answers. This comes after trial.js, and uses its names.

const PYTHON = JSON.parse(find("python").textContent);

const note = document.createElement("p");
let worker = null;
let turn = Promise.resolve();

note.id = "note";
note.setAttribute("role", "status");
note.style.margin = "0";
note.textContent = `Your browser reads the page, and sends it nowhere. The first click loads Python and the models${PYTHON.measured},
  from ${new URL(PYTHON.base, location).host} and this site.`;
find("form").after(note);
document.querySelector("h1").innerHTML = 'Try <a href="../index.html">web2text</a> on a page';
document.querySelector("h1 a").style.color = "inherit";

transport = (message) => {
  const asked = nAsked;
  turn = turn.then(() => asked === nAsked ? read(message) : {}); // or another page was asked for meanwhile
  return turn;
};

function read(message) {
  return new Promise((resolve) => {
    let timer = 0;
    const end = (found) => {
      clearTimeout(timer);
      note.textContent = "";
      resolve(found);
    };
    const stop = (error) => {
      worker.terminate(); // the next page starts another one
      worker = null;
      end({error});
    };
    worker ??= new Worker("worker.js", {type: "module"});
    worker.onerror = () => stop("This browser cannot run Python. Is it up to date?");
    worker.onmessage = ({data: {state, isReady, answer, problem}}) => {
      if (problem) stop(problem);
      else if (answer) end(JSON.parse(answer));
      else note.textContent = state;
      if (isReady) timer = setTimeout(stop, PYTHON.seconds * 1000, `The page took more than ${PYTHON.seconds} seconds.`);
    };
    worker.postMessage({python: PYTHON, message: JSON.stringify(message)});
  });
}
