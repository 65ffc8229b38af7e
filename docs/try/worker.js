// Runs Python for page.js, from where the first message says. A message in, a message out, one page at a time.

const RETRY = "Check the connection, and whether something blocks that host. Then try again.";
let python = null; // the module of answer.py

async function load({base, packages}) {
  const from = new URL(base, location);
  postMessage({state: `Loading Python from ${from.host} …`});
  const fail = (what) => () => { throw new Error(`${what} could not be loaded from ${from.host}. ${RETRY}`); };
  const archive = fetch("web2text.zip").catch(() => ({ok: false}));
  const {loadPyodide} = await import(new URL("pyodide.mjs", from)).catch(fail("Python"));
  const pyodide = await loadPyodide({indexURL: from.href, packages}).catch((error) => {
    throw new Error(`Python does not start: ${String(error.message).split("\n")[0].slice(0, 200)}. Is the browser up to date?`);
  });
  // Packages that cannot be loaded are not an error. Those that are loaded have the hash of Pyodide's list.
  const missing = packages.filter((name) => !(name in pyodide.loadedPackages));
  if (missing.length) fail(missing.join(", "))();
  const response = await archive;
  if (!response.ok) throw new Error(`web2text.zip could not be loaded. ${RETRY}`);
  postMessage({state: "Unpacking web2text …"});
  const [extractDir] = pyodide.runPython("import site; site.getsitepackages()").toJs();
  pyodide.unpackArchive(await response.arrayBuffer(), "zip", {extractDir});
  return pyodide.pyimport("answer");
}

onmessage = async ({data}) => {
  try {
    python ??= await load(data.python);
    postMessage({state: "Reading the page …", isReady: true});
    postMessage({answer: python.answer(data.message)});
  } catch (error) {
    const said = error.message.trim().split("\n").pop(); // of a traceback
    postMessage({problem: python ? `The page could not be read: ${said}` : said});
  }
};
