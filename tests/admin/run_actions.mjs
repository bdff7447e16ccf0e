// Runs actions of the table on a served blog, as the editor and the lists do. Prints what the item was before and after
// each write.

const { module, origin, cookie, key, cases } = JSON.parse(process.argv[2]);
const send = globalThis.fetch;
const { ACTIONS, runAction } = await import(module);

const ask = async (path, headers) => {
  const response = await send(`${origin}/api/v1/${path}`, { headers });
  return response.ok ? response.json() : null;
};
const FIELDS = "title,content,slug,custom";
const look = async (path) => ({
  item: await ask(`${path}?fields=${FIELDS},status,published_at`, { Cookie: cookie }),
  edits: await ask(`${path}working-copy/`, { Cookie: cookie }),
  shown: await ask(`${path}?fields=${FIELDS}`, { "X-API-KEY": key }),
});
const write = (path, [method, part, body]) => {
  const headers = { Cookie: cookie, "Content-Type": "application/json" };
  return send(`${origin}/api/v1/${path}${part}`, { method, headers, body: JSON.stringify(body) });
};

let [current, steps] = ["", []];
globalThis.fetch = async (address, { headers, ...options }) => {
  headers.set("Cookie", cookie);
  const response = await send(`${origin}${address}`, { ...options, headers });
  if (options.method !== "GET") steps.push(await look(current));
  return response;
};

const results = [];
for (const { path, action, at, meanwhile } of cases) {
  [current, steps] = [path, []];
  const result = { before: await look(path) };
  results.push(result);
  try {
    const { undo } = await runAction(path, ACTIONS[action], { at: at && new Date(at) });
    Object.assign(result, { done: steps, isUndone: Boolean(undo) });
    if (meanwhile) await write(path, meanwhile);
    steps = [];
    await undo?.();
  } catch (error) {
    result.error = error.message;
  }
  Object.assign(result, { undone: steps, end: steps.at(-1) ?? (await look(path)) });
}
console.log(JSON.stringify(results));
