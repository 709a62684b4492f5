// Ask the search of the built site: `node tools/site_search.js SITE QUESTION...` prints one JSON
// list of page addresses per question, best first. It runs the site's own search worker, the code
// that runs in a browser, with the built index.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, ...questions] = process.argv.slice(2);
const folder = path.join(site, "assets/javascripts/workers");
const worker = fs.readdirSync(folder).find((name) => /^search\..*\.js$/.test(name));
const index = JSON.parse(fs.readFileSync(path.join(site, "search/search_index.json"), "utf8"));

let listener;
let answered;
const scope = { console, addEventListener: (_, handler) => (listener = handler) };
scope.postMessage = (message) => answered(message);
scope.self = scope;
vm.runInNewContext(fs.readFileSync(path.join(folder, worker), "utf8"), scope);

function ask(type, data) {
  return new Promise((resolve) => {
    answered = resolve;
    listener({ data: { type, data } });
  });
}

(async () => {
  await ask(0, { config: index.config, docs: index.docs, options: { suggest: false } });
  for (const question of questions) {
    const { items } = (await ask(2, question)).data;
    console.log(JSON.stringify(items.map((group) => group[0].location.split("#")[0])));
  }
})();
