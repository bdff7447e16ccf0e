// The clients of the packages of npm call the tools of the blog, in each mode.

import * as modern from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(`${process.env.BLOG_URL}/mcp`);
const options = { requestInit: { headers: { Authorization: `Bearer ${process.env.BLOG_KEY}` } } };
const info = { name: "test", version: "1" };

async function run(name, client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const found = await client.callTool({ name: "search_articles", arguments: { q: "bread" } });
  const { items } = JSON.parse(found.content[0].text);
  console.log(name, tools.length, items.map(({ title }) => title).join());
  await client.close();
}

await run("sdk", new Client(info), new StreamableHTTPClientTransport(url, options));
for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
  const client = new modern.Client(info, { versionNegotiation: { mode } });
  const transport = new modern.StreamableHTTPClientTransport(url, options);
  await run(`client ${mode.pin ?? mode}`, client, transport);
}
