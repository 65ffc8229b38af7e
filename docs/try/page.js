"use strict";
// The page of `web2text serve` without a server: a worker answers. This comes after trial.js, and uses its names.

const PYTHON = JSON.parse(find("python").textContent);
const MOST_KEPT = 8; // pages, whose options can be changed

const note = document.createElement("p");
const pages = {}; // the HTML or the file of each
let nPages = 0;
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

transport = ({page, options, ...given}) => {
  const asked = nAsked;
  const source = page ? pages[page] : given;
  if (!source) return {error: "This page is no longer kept. Show it again."};
  turn = turn.then(() => asked === nAsked ? read(source, options) : {}); // or another page was asked for meanwhile
  return turn;
};

showViewer = (found) => { find("frame").srcdoc = found.document; };

function read(source, options) {
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
    const take = (found) => {
      pages[++nPages] = source;
      delete pages[nPages - MOST_KEPT];
      end({page: nPages, ...found});
    };
    worker ??= new Worker("worker.js", {type: "module"});
    worker.onerror = () => stop("This browser cannot run Python. Is it up to date?");
    worker.onmessage = ({data: {state, isReady, answer, problem}}) => {
      if (problem) stop(problem);
      else if (answer) take(JSON.parse(answer));
      else note.textContent = state;
      if (isReady) timer = setTimeout(stop, PYTHON.seconds * 1000, `The page took more than ${PYTHON.seconds} seconds.`);
    };
    worker.postMessage({python: PYTHON, message: JSON.stringify({...source, options})});
  });
}
