"""The clients of the packages `mcp` and `fastmcp` call the tools of the blog, in each mode."""

import asyncio
import json
import os

from fastmcp import Client as FastClient
from fastmcp.client.auth import BearerAuth
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

URL, KEY = f"{os.environ['BLOG_URL']}/mcp", os.environ["BLOG_KEY"]


def titles(result):
    """Return the titles in the result of search_articles."""
    return [item["title"] for item in json.loads(result.content[0].text)["items"]]


async def main():
    """Print what each client gets."""
    for mode in ("auto", "2026-07-28", "legacy"):
        async with (
            create_mcp_http_client(headers={"Authorization": f"Bearer {KEY}"}) as http,
            Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
        ):
            tools = (await client.list_tools()).tools
            found = await client.call_tool("search_articles", {"q": "bread"})
            print("mcp", mode, client.protocol_version, len(tools), titles(found))
    async with FastClient(URL, auth=BearerAuth(KEY)) as client:
        tools, found = await client.list_tools(), await client.call_tool("search_articles", {"q": "bread"})
        print("fastmcp", len(tools), titles(found))


asyncio.run(main())
