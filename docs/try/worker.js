// Runs Python for page.js, from where the first message says. A message in, a message out, one page at a time.

const RETRY = "Check the connection, and whether something blocks that host. Then try again.";
let python = null; // the module of answer.py

async function load({base, packages, megabytes}) {
  const from = new URL(base, location);
  postMessage({state: `Loading Python, about ${megabytes} MB …`});
  const fail = (what) => () => { throw new Error(`${what} could not be loaded from ${from.host}. ${RETRY}`); };
  const {loadPyodide} = await import(new URL("pyodide.mjs", from)).catch(fail("Python"));
  const pyodide = await loadPyodide({indexURL: from.href}).catch((error) => {
    throw new Error(`Python does not start: ${String(error.message).split("\n")[0].slice(0, 200)}. Is the browser up to date?`);
  });
  postMessage({state: `Loading ${packages.join(", ")} …`});
  // Tells only its callbacks about a package that it cannot load. Those that it loads have the hash of its list.
  await pyodide.loadPackage(packages, {messageCallback() {}, errorCallback() {}}).catch(() => {});
  const missing = packages.filter((name) => !(name in pyodide.loadedPackages));
  if (missing.length) fail(missing.join(", "))();
  postMessage({state: "Unpacking web2text …"});
  const response = await fetch("web2text.zip").catch(() => ({ok: false}));
  if (!response.ok) throw new Error(`web2text.zip could not be loaded. ${RETRY}`);
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
